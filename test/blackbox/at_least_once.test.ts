// Deliveries as a receiver and the workspace's owner see them: each event at least once, a receiver that fails is paused,
// and nothing is lost until the owner decides.
import { afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Subscriber, useWorkspace } from '../support/process/workspace.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(40_000)

const finalsMax = 10
const concurrency = 8

type Expected = { attempts: number; state: 'delivered' | 'failed'; pauseMs?: number }

const answers: [answers: string, expected: Expected][] = [
  ['200', { attempts: 1, state: 'delivered' }],
  ['no-content', { attempts: 1, state: 'delivered' }],
  ['500,503,200', { attempts: 3, state: 'delivered' }],
  ['500,500,500,500,200', { attempts: 5, state: 'delivered' }],
  ['500', { attempts: 5, state: 'failed' }],
  ['429;1,200', { attempts: 2, state: 'delivered', pauseMs: 1_000 }],
  ['429', { attempts: 5, state: 'failed' }],
  ['reset,200', { attempts: 2, state: 'delivered' }],
  ['close,200', { attempts: 2, state: 'delivered' }],
  ['garbage,200', { attempts: 2, state: 'delivered' }],
  ['400', { attempts: 1, state: 'failed' }],
  ['410', { attempts: 1, state: 'failed' }],
  ['500,422', { attempts: 2, state: 'failed' }],
  ['redirect', { attempts: 1, state: 'failed' }],
  ['tarpit,200', { attempts: 2, state: 'delivered', pauseMs: 15_000 }],
]

const workspace = useWorkspace()
const { receiver, subscribe, emit, hook, command, deliveries, received, receives } = workspace
const byAnswers = new Map<string, Subscriber>()
beforeAll(async () => {
  await workspace.start()
  for (const [script] of answers)
    byAnswers.set(script, await subscribe(`/answers/${script}/attempts`, ['lead.created']))
  // They stay until the last test.
  workspace.subscriptions.length = 0
  await workspace.database.sql`insert into leads (name) values ('Erika Beispiel')`
}, 30_000)

/** Runs a command that must succeed; returns what it wrote. */
async function hooks(...args: string[]): Promise<string> {
  const { code, out, said } = await command('hooks', ...args)
  expect([code, code === 0 ? '' : said]).toEqual([0, ''])
  return out
}

describe('the owner', () => {
  afterEach(workspace.unsubscribe)
  let number = 0

  /** A subscription whose receiver takes everything, on a path of its own. */
  const healthy = () => {
    number += 1
    return subscribe(`/ok/${number}`)
  }

  /** So many final failures, one recorded after the other or nearly. */
  async function failFinally(one: Subscriber, count = finalsMax): Promise<string[]> {
    await receiver.answer(one.path, 404)
    const before = (await received(one)).length
    const ids = await emit(count)
    await until(async () => (await received(one)).length >= before + count)
    return ids
  }

  const paused = (one: Subscriber) => until(async () => (await hook(one)).active === false)

  /** A paused subscription whose receiver is well again, and the events that it missed since. */
  async function pausedHook(missedCount: number) {
    const one = await healthy()
    const failed = await failFinally(one)
    await paused(one)
    await receiver.heal(one.path)
    const missed = await emit(missedCount)
    await until(async () => (await feedOf(missed)).length === missedCount)
    return { one, failed, missed, seen: (await received(one)).length }
  }

  /** Resolves when everything up to the event is delivered, and that is stored. */
  async function reaches(one: Subscriber, event: FeedEvent | undefined) {
    expect(await hook(one)).toHaveProperty('cursor')
    await until(async () => (await hook(one)).cursor >= (event?.cursor ?? 0))
  }

  type FeedEvent = { id: string; cursor: number; object_id: string; occurred_at: string }

  /** The events of these objects, as the feed has them. */
  async function feedOf(ids: readonly string[]): Promise<FeedEvent[]> {
    const found: FeedEvent[] = []
    for (let after = ''; ; ) {
      const { body } = await workspace.request(`/events?limit=200${after}`)
      found.push(...body.data.filter(({ object_id }: FeedEvent) => ids.includes(object_id)))
      if (body.data.length === 0) return found
      after = `&after=${body.meta.next_cursor}`
    }
  }

  test('sees it paused after exactly ten final failures in a row', async () => {
    const one = await healthy()
    await failFinally(one, finalsMax - 1)
    await until(async () => (await deliveries(one, 'failed')).length === finalsMax - 1)
    expect((await hook(one)).active).toBe(true)
    // A delivery in between starts the count again.
    await receiver.heal(one.path)
    await receives(one, await emit())
    await until(async () => (await deliveries(one, 'delivered')).length === 1)
    await failFinally(one, finalsMax - 1)
    await until(async () => (await deliveries(one, 'failed')).length === 2 * (finalsMax - 1))
    expect((await hook(one)).active).toBe(true)
    await failFinally(one, 1)
    await paused(one)
  }, 30_000)

  test('sees no more than what was in flight after the tenth failure', async () => {
    const one = await healthy()
    await receiver.answer(one.path, 404)
    await emit(100)
    await paused(one)
    const other = await healthy()
    // Whatever was under way has come before this.
    await receives(other, await emit())
    expect((await received(one)).length).toBeWithin(finalsMax, finalsMax + concurrency)
  })

  test('sees in GET /hooks why it is paused, and from where to catch up', async () => {
    const one = await healthy()
    expect(await hook(one)).toMatchObject({ paused_at: null, consecutive_failures: 0 })
    const first = await emit()
    await receives(one, first)
    await reaches(one, (await feedOf(first))[0])
    const failed = await failFinally(one)
    await paused(one)
    const { paused_at, ...found } = await hook(one)
    expect(Math.abs(Date.parse(paused_at) - Date.now())).toBeLessThan(30_000)
    expect(found).toMatchObject({ active: false, consecutive_failures: finalsMax })
    // What failed for good is not delivered.
    const { body } = await workspace.request(`/events?after=${found.cursor}&types=signal.opened`)
    expect(body.data.map(({ object_id }: FeedEvent) => object_id)).toEqual(failed)
  })

  test('reactivates it, and everything since comes', async () => {
    const { one, failed, missed, seen } = await pausedHook(20)
    await hooks('reactivate', one.id)
    const later = await emit()
    await receives(one, [...missed, ...later])
    const came = (await received(one)).slice(seen)
    expect(came.toSorted()).toEqual([...missed, ...later].toSorted())
    expect(came.filter(id => failed.includes(id))).toEqual([])
    expect(await hook(one)).toMatchObject({
      active: true,
      paused_at: null,
      consecutive_failures: 0,
    })
  })

  test('reactivates it from the head, and only what is new comes', async () => {
    const { one, missed, seen } = await pausedHook(3)
    const out = await hooks('reactivate', one.id, '--from-head')
    const later = await emit()
    await receives(one, later)
    expect((await received(one)).slice(seen)).toEqual(later)
    // It says from which cursor the gap is fetched.
    const [{ cursor } = { cursor: 0 }] = await feedOf(missed)
    const after = Math.max(...(out.match(/\d+/g) ?? []).map(Number).filter(found => found < cursor))
    const { body } = await workspace.request(`/events?after=${after}&types=signal.opened`)
    const gap = body.data.map(({ object_id }: FeedEvent) => object_id)
    expect(missed.filter(id => !gap.includes(id))).toEqual([])
  })

  test('replays from a moment: it comes again from there, and nothing before', async () => {
    const one = await healthy()
    const older = await emit(3)
    await receives(one, older)
    const newer = await emit(3)
    await receives(one, newer)
    const events = await feedOf([...older, ...newer])
    await reaches(one, events.at(-1))
    await hooks('replay', one.id, '--since', events[3]?.occurred_at ?? '')
    await until(async () => (await received(one)).length === 9)
    expect((await received(one)).slice(6).toSorted()).toEqual(newer.toSorted())
    const ids = (await receiver.requests(one.path)).map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(6)
  })

  test('sends again what failed, or one event', async () => {
    const one = await healthy()
    const failed = await failFinally(one, 3)
    await until(async () => (await deliveries(one, 'failed')).length === 3)
    await receiver.heal(one.path)
    const [first] = await feedOf(failed)
    await hooks('redeliver', one.id, '--cursor', String(first?.cursor))
    await until(async () => (await received(one)).length === 4)
    await until(async () => (await deliveries(one, 'failed')).length === 2)
    await hooks('redeliver', one.id, '--failed')
    await until(async () => (await received(one)).length === 6)
    expect((await received(one)).slice(3).toSorted()).toEqual(failed.toSorted())
  })
})

// Last, since the longest of them takes its time meanwhile.
test.each(answers)(
  'a receiver that answers %s: %j',
  async (script, { attempts, state, pauseMs = 0 }) => {
    const one = byAnswers.get(script) as Subscriber
    await until(async () => (await receiver.requests(one.path)).length >= attempts, 25_000)
    const ended = await until(async () => {
      const found = await deliveries(one, state)
      return found.length > 0 && found
    }, 25_000)
    expect(ended).toEqual([attempts])
    const requests = await receiver.requests(one.path)
    expect(requests).toHaveLength(attempts)
    const [first, second] = requests
    if (first && second) expect(second.at - first.at).toBeGreaterThanOrEqual(pauseMs)
  },
)
