// What the leader sends where answers of the database, changes of the owner and ends of attempts cross. The deliverer with a
// database in memory that answers when a test lets it, and a receiver that does too.
import { expect, test } from 'bun:test'
import type { Database } from '../../src/db/database.ts'
import { type DelivererOptions, startDeliverer } from '../../src/delivery/deliverer.ts'
import type { HookRow } from '../../src/delivery/subscription.ts'
import type { OutgoingRequest } from '../../src/sending/sender.ts'
import { quietLog } from '../support/http/service.ts'
import { until } from '../support/until.ts'
import { hookRow } from './hook_row.ts'

type Row = Record<string, unknown>
type Attempt = { subscription_id: string; cursor: number; outcome: string; attempt: number }

const reply = {
  status: 200,
  errorClass: null,
  retryAfterMs: null,
  excerpt: null,
  headers: null,
  durationMs: 1,
}

const eventOf = (cursor: number) => ({
  cursor,
  event_type: 'a',
  event_id: crypto.randomUUID(),
  occurred_ms: 0,
  body: String(cursor),
})

class World {
  head = 0
  readonly hooks = new Map<string, HookRow>()
  /** Attempts made of deliveries that are due, by cursor, for every subscription. */
  readonly due = new Map<number, number>()
  readonly erased = new Set<number>()
  readonly locked = new Set<string>()
  readonly recorded: Attempt[] = []
  readonly sent: { id: string; cursor: number }[] = []
  /** Answers that a test holds back, by the name of the query; each has read what was there when it was asked. */
  readonly held = new Map<string, (() => void)[]>()
  /** Requests that are not answered yet; null: each is answered at once. */
  requests: (() => void)[] | null = null
  failsToSign = false
  queries = 0

  readonly deliverer = startDeliverer({
    database: { rows: (name: string, args: Row) => this.#rows(name, args) } as unknown as Database,
    log: quietLog(),
    concurrency: 8,
    delaysMs: [0],
    sender: { send: request => this.#send(request), close() {} },
    sign: () => {
      if (this.failsToSign) throw new Error('no key opens it')
      return {}
    },
    isLeading: () => true,
    onReplaced() {},
    onPaused() {},
  } satisfies DelivererOptions)

  constructor(ids: string[], head: number) {
    for (const id of ids) this.hooks.set(id, hookRow(id))
    this.head = head
    this.deliverer.begin(1, 'here')
    this.deliverer.onHead(head)
    this.look()
  }

  look(due: string[] = []) {
    const versions = [...this.hooks.values()].map(({ version }) => version).join()
    this.deliverer.look({ versions, due })
  }

  change(id: string, columns: Partial<HookRow> = {}) {
    const row = this.hooks.get(id) ?? hookRow(id)
    this.hooks.set(id, { ...row, version: row.version + 1, ...columns })
    this.deliverer.refresh()
  }

  /** Gives the next cursors, up to this one. */
  sequence(to: number) {
    const after = this.head
    this.head = to
    const events = upTo(to)
      .slice(after)
      .map(cursor => ({
        ...{ cursor, type: 'a', id: crypto.randomUUID(), occurredMs: 0, body: String(cursor) },
      }))
    this.deliverer.onSequenced({ after, to, types: ['a'], events })
  }

  cursorsOf = (id: string) => this.sent.filter(one => one.id === id).map(({ cursor }) => cursor)

  /** Lets the answers go that are held. */
  release(name: string) {
    const answers = this.held.get(name)
    this.held.delete(name)
    for (const answer of answers ?? []) answer()
  }

  async #rows(name: string, args: Row): Promise<Row[]> {
    this.queries += 1
    const rows = this.#answer(name, args)
    const answers = this.held.get(name)
    if (answers) await new Promise<void>(resolve => answers.push(resolve))
    return rows
  }

  #answer(name: string, args: Row): Row[] {
    if (name === 'listActiveHooks') return [...this.hooks.values()].map(row => ({ ...row }))
    if (name === 'listDeliveryPage') return this.#page(args)
    if (name === 'claimDueDeliveries')
      return [...this.due]
        .slice(0, args.row_limit as number)
        .map(([cursor, attempts]) => ({ ...eventOf(cursor), attempts }))
    return this.#record(args)
  }

  #page({ subscription_id, after }: Row): Row[] {
    const delivered = new Set(
      this.recorded.flatMap(one => (one.subscription_id === subscription_id ? one.cursor : [])),
    )
    const cursors = Array.from(
      { length: this.head - Number(after) },
      (_, at) => Number(after) + at + 1,
    )
    const open = cursors.filter(
      cursor => ![delivered, this.due, this.erased].some(of => of.has(cursor)),
    )
    return [
      ...open.map(eventOf),
      { cursor: this.head, event_type: null, is_last: true, at_head: true },
    ]
  }

  #record({ attempts, positions }: Row): Row[] {
    // As where the last delivery had failed: each row is wanted.
    const ended = (attempts as Attempt[]).map(one => one.subscription_id)
    const ids = new Set([...Object.keys(positions as object), ...ended])
    const held = [...ids].filter(id => this.locked.has(id))
    for (const one of attempts as Attempt[]) {
      if (held.includes(one.subscription_id)) continue
      this.recorded.push(one)
      if (one.attempt > 1) this.due.delete(one.cursor)
    }
    const written = [...ids].filter(id => !held.includes(id))
    return [
      ...written.map(id => ({
        subscription_id: id,
        held: false,
        version: this.hooks.get(id)?.version,
      })),
      ...held.map(id => ({ subscription_id: id, held: true, version: null })),
      { subscription_id: null, held: false, version: null },
    ]
  }

  async #send({ group, body }: OutgoingRequest) {
    this.sent.push({ id: group, cursor: Number(body) })
    const { requests } = this
    if (requests) await new Promise<void>(resolve => requests.push(resolve))
    return reply
  }
}

/** Resolves when the subscriptions were read and stand at the head. */
async function known(world: World) {
  await until(() => world.deliverer.wantedTypes().length === 1)
  await Bun.sleep(20)
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test('a row that is read while its subscription begins to send starts nothing twice', async () => {
  const world = new World(['s'], 0)
  await known(world)
  world.requests = []
  world.held.set('listActiveHooks', [])
  world.change('s')
  world.head = 5
  world.deliverer.onHead(5)
  await until(() => world.sent.length === 5)
  world.release('listActiveHooks')
  for (let looks = 0; looks < 20; looks += 1) {
    world.look()
    await Bun.sleep(1)
  }
  expect(world.cursorsOf('s')).toEqual(upTo(5))
  for (const answer of world.requests.splice(0)) answer()
  world.requests = null
  world.head = 7
  world.deliverer.onHead(7)
  await until(() => world.recorded.length === 7)
  expect(world.cursorsOf('s')).toEqual(upTo(7))
  await world.deliverer.stop()
})

test('retries that were read before one of them was recorded do not start it again', async () => {
  const world = new World(['s'], 0)
  await known(world)
  world.due.set(1, 1)
  world.requests = []
  world.look(['s'])
  await until(() => world.sent.length === 1)
  // The next read finds the row as it was, and is answered after the record.
  world.held.set('claimDueDeliveries', [])
  world.look(['s'])
  await until(() => world.held.get('claimDueDeliveries')?.length === 1)
  world.requests.splice(0)[0]?.()
  await until(() => world.recorded.length === 1)
  await Bun.sleep(5)
  world.release('claimDueDeliveries')
  await Bun.sleep(5)
  world.look()
  expect(world.cursorsOf('s')).toEqual([1])
  await world.deliverer.stop()
})

test('all that is due goes, however much it is, after one look', async () => {
  const world = new World(['s'], 0)
  for (const cursor of upTo(300)) world.due.set(cursor, 1)
  await known(world)
  world.look(['s'])
  await until(() => world.recorded.length === 300)
  expect(world.cursorsOf('s').toSorted((a, b) => a - b)).toEqual(upTo(300))
  await world.deliverer.stop()
})

test('a row that stays locked stops its subscription and no other', async () => {
  const world = new World(['locked', 'free'], 5_000)
  world.locked.add('locked')
  await until(() => world.recorded.filter(one => one.subscription_id === 'free').length === 5_000)
  const sent = world.cursorsOf('locked').length
  expect(sent).toBeLessThan(5_000)
  world.head = 6_000
  world.deliverer.onHead(6_000)
  await until(() => world.cursorsOf('free').length === 6_000)
  expect(world.cursorsOf('locked').length).toBe(sent)
  world.locked.clear()
  await until(() => world.recorded.length === 12_000)
  expect(world.cursorsOf('locked')).toEqual(upTo(6_000))
  await world.deliverer.stop()
}, 20_000)

test.each([
  [1, 8],
  [50, 8],
  [128, 4],
  [600, 1],
])(
  '%d subscriptions that have something to send: %d requests in flight each',
  async (count, each) => {
    const world = new World(upTo(count).map(String), 0)
    await known(world)
    world.requests = []
    world.sequence(100)
    await until(() => world.sent.length === Math.min(512, count * each))
    await Bun.sleep(5)
    const counts = new Set(
      [...Map.groupBy(world.sent, ({ id }) => id).values()].map(of => of.length),
    )
    expect([...counts]).toEqual([each])
    expect(world.sent.length).toBe(Math.min(512, count * each))
    for (const answer of world.requests.splice(0)) answer()
    world.requests = null
    await world.deliverer.stop()
  },
)

test('a batch that was asked for before an erasure is read again, not sent from memory', async () => {
  const world = new World(['s'], 0)
  await known(world)
  world.deliverer.forgetEvents()
  world.erased.add(1)
  world.sequence(2)
  await until(() => world.sent.length > 0)
  await Bun.sleep(5)
  expect(world.cursorsOf('s')).toEqual([2])
  await world.deliverer.stop()
})

test('after a fault of ours the next change of the row is tried at once, and nothing is lost', async () => {
  const world = new World(['s'], 0)
  await known(world)
  world.failsToSign = true
  world.head = 3
  world.deliverer.onHead(3)
  await Bun.sleep(20)
  expect(world.sent).toEqual([])
  world.failsToSign = false
  world.look()
  await Bun.sleep(20)
  expect(world.sent).toEqual([])
  world.change('s')
  await until(() => world.recorded.length === 3)
  expect(world.cursorsOf('s')).toEqual(upTo(3))
  await world.deliverer.stop()
})

test('a process that has stopped begins nothing, though it becomes the leader', async () => {
  const world = new World(['s'], 0)
  await world.deliverer.stop()
  const { queries } = world
  world.head = 3
  world.deliverer.begin(2, 'here')
  world.deliverer.onHead(3)
  world.look()
  await Bun.sleep(20)
  expect([world.sent, world.queries]).toEqual([[], queries])
})
