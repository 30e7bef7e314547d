// Whatever the order in which attempts end: no event is left out or started twice, the position passes none that has not
// ended, and never more is in flight than may be. The reader, the dispatch and a subscription over a feed in memory.
import { expect, test } from 'bun:test'
import type { Database } from '../../src/db/database.ts'
import { Dispatch } from '../../src/delivery/dispatch.ts'
import { LogReader } from '../../src/delivery/log_reader.ts'
import { type Delivery, Subscription } from '../../src/delivery/subscription.ts'
import type { LogEvent } from '../../src/feed/log_event.ts'
import type { DeliveryOutcome } from '../../src/sending/outcome.ts'
import { seeded } from '../support/fuzz/seeded.ts'
import { hookRow } from './hook_row.ts'

const types = ['a', 'b', 'c']

type Given = { after: number; event_types: string[]; row_limit: number }

/** The feed and what is recorded, as the database would have them. */
class World {
  readonly feed: LogEvent[] = []
  /** Cursors in hook_outstanding, with the attempts made; null: failed for good. */
  readonly outstanding = new Map<number, number | null>()
  readonly delivered = new Set<number>()
  readonly reads: (() => void)[] = []

  get head() {
    return this.feed.at(-1)?.cursor ?? 0
  }

  append(count: number, random: () => number): LogEvent[] {
    const events = Array.from({ length: count }, (_, place) => ({
      cursor: this.head + place + 1 + (place > 0 ? 0 : Math.floor(random() * 3)),
      type: types[Math.floor(random() * types.length)] ?? 'a',
      id: crypto.randomUUID(),
      occurredMs: 0,
      body: 'x'.repeat(1 + Math.floor(random() * 50)),
    }))
    events.forEach((event, place) => {
      event.cursor = (events[0]?.cursor ?? 0) + place
    })
    this.feed.push(...events)
    return events
  }

  /** Answers when `reads` is run, with what was so when it was asked. */
  readonly database = {
    rows: (name: string, args: Given) => {
      const rows = name === 'listDeliveryPage' ? this.#page(args) : this.#due(args)
      return new Promise(resolve => this.reads.push(() => resolve(rows)))
    },
  } as unknown as Database

  #page({ after, event_types }: Given) {
    const wanted = this.feed.filter(
      event => event.cursor > after && event_types.includes(event.type),
    )
    const page = wanted.slice(0, 5)
    const isAll = page.length === wanted.length
    const open = page.filter(
      ({ cursor }) => !this.outstanding.has(cursor) && !this.delivered.has(cursor),
    )
    return [
      ...open.map(rowOf),
      {
        cursor: isAll ? this.head : page.at(-1)?.cursor,
        event_type: null,
        is_last: true,
        at_head: isAll,
      },
    ]
  }

  #due({ row_limit }: Given) {
    const due = [...this.outstanding]
      .filter(([, attempts]) => attempts !== null)
      .slice(0, row_limit)
    return due.map(([cursor, attempts]) => ({
      ...rowOf(this.feed.find(event => event.cursor === cursor) as LogEvent),
      attempts,
    }))
  }
}

const rowOf = (event: LogEvent) => ({
  cursor: event.cursor,
  event_type: event.type,
  event_id: event.id,
  occurred_ms: 0,
  body: event.body,
  is_last: false,
})

const settled = () => new Promise(resolve => setImmediate(resolve))

test.each(Array.from({ length: 30 }, (_, seed) => seed))('course %d', async seed => {
  const chance = seeded(seed)
  const random = () => chance.below(1_000_000) / 1_000_000
  const world = new World()
  const wanted = types.slice(0, 1 + (seed % types.length))
  const concurrency = 1 + Math.floor(random() * 8)
  world.append(Math.floor(random() * 40), random)
  const subscription = new Subscription(hookRow('s', { event_types: wanted }))

  const inFlight: Delivery[] = []
  const ended: { delivery: Delivery; outcome: DeliveryOutcome }[] = []
  const started: number[] = []
  const reader = new LogReader({
    database: world.database,
    onRead: one => {
      dispatch.add(one)
      dispatch.run()
    },
    onFailure: error => {
      throw error
    },
  })
  const dispatch = new Dispatch({
    reader,
    concurrency,
    head: () => world.head,
    isBlocked: () => false,
    send: (_, delivery) => {
      expect(inFlight.some(({ cursor }) => cursor === delivery.cursor)).toBe(false)
      expect(world.delivered.has(delivery.cursor)).toBe(false)
      inFlight.push(delivery)
      if (!delivery.isRetry) started.push(delivery.cursor)
      expect(inFlight.length).toBeLessThanOrEqual(concurrency)
    },
  })

  const outcomeOf = (delivery: Delivery, mayFail: boolean): DeliveryOutcome => {
    const kind = mayFail ? random() : 1
    if (kind < 0.2 && delivery.attempts < 4) return { kind: 'retry', delayMs: 0 }
    return { kind: kind < 0.25 ? 'failed' : 'delivered' }
  }

  /** An attempt ends, in any order. */
  function end(mayFail = true) {
    const [delivery] = inFlight.splice(Math.floor(random() * inFlight.length), 1)
    if (delivery === undefined) return
    const outcome = outcomeOf(delivery, mayFail)
    dispatch.end(subscription, delivery)
    subscription.count(outcome)
    ended.push({ delivery, outcome })
  }

  /** Some of what ended is recorded, with the position that goes with it. */
  function record(count: number) {
    const batch = ended.splice(0, count)
    const position = subscription.positionAfter(
      new Set(batch.map(({ delivery }) => delivery.cursor)),
    )
    for (const { delivery, outcome } of batch) {
      world.outstanding.delete(delivery.cursor)
      if (outcome.kind === 'delivered') world.delivered.add(delivery.cursor)
      else
        world.outstanding.set(
          delivery.cursor,
          outcome.kind === 'retry' ? delivery.attempts + 1 : null,
        )
      subscription.settle(delivery, outcome)
    }
    for (const { cursor, type } of world.feed)
      if (cursor <= position && wanted.includes(type))
        expect([cursor, world.delivered.has(cursor) || world.outstanding.has(cursor)]).toEqual([
          cursor,
          true,
        ])
    subscription.hasDue = world.outstanding.size > 0
    dispatch.add(subscription)
  }

  async function step(kind: number) {
    if (kind < 0.25) {
      const after = world.head
      const events = world.append(1 + Math.floor(random() * 6), random)
      // Now and then the answer of a batch is lost.
      if (random() < 0.9) reader.cache.add({ after, to: world.head, types, events })
      dispatch.add(subscription)
    } else if (kind < 0.55) end()
    else if (kind < 0.75) record(1 + Math.floor(random() * 4))
    else if (kind < 0.8) reader.forget()
    else for (const read of world.reads.splice(0)) read()
    dispatch.run()
    await settled()
  }

  dispatch.add(subscription)
  for (let steps = 0; steps < 150; steps += 1) await step(random())
  for (let rounds = 0; rounds < 400; rounds += 1) {
    for (const read of world.reads.splice(0)) read()
    await settled()
    end(false)
    record(10)
    dispatch.run()
  }
  const due = world.feed.filter(({ type }) => wanted.includes(type)).map(({ cursor }) => cursor)
  const failed = [...world.outstanding].map(([cursor, attempts]) => [cursor, attempts])
  expect(failed.filter(([, attempts]) => attempts !== null)).toEqual([])
  expect([...world.delivered, ...world.outstanding.keys()].toSorted((a, b) => a - b)).toEqual(due)
  expect(started).toEqual(due)
  expect(subscription.positionAfter(new Set())).toBe(world.head)
  expect(subscription.waiting).toBe(0)
  expect(reader.heldBytes).toBe(0)
})
