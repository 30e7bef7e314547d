// Looks for deliveries that are due by the clock: next attempts, redeliveries, test events.
import type { Database } from '../db/database.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import type { Retry, Subscription } from './subscription.ts'

export type RetriesOptions = {
  database: Database
  owned: Map<number, Subscription>
  /** How many more may be taken for a subscription. */
  capacity(subscription: Subscription): number
  onDue(subscription: Subscription, retry: Retry): void
  onRead(): void
  onFailure(error: unknown): void
}

// How late one may be noticed.
const pollMs = 250
const retriesPerLook = 256

/** Cursors that must not be taken a second time. */
const underWay = ({ retrying, stray }: Subscription) => [...retrying, ...stray]

export function startRetries({
  database,
  owned,
  capacity,
  onDue,
  onRead,
  onFailure,
}: RetriesOptions) {
  // Ask for all owned subscriptions, not only those with known retries.
  let all = false

  async function takeDue(): Promise<number> {
    const asked = [...owned.values()].filter(
      one => (all || one.retriesWaiting > 0) && capacity(one) > 0,
    )
    const forAll = all
    all = false
    if (asked.length === 0) return pollMs
    const wanted = {
      nos: asked.map(({ no }) => no),
      fences: asked.map(({ fence }) => fence),
      capacities: asked.map(capacity),
      row_limit: retriesPerLook,
      under_way_nos: asked.flatMap(one => underWay(one).map(() => one.no)),
      under_way_cursors: asked.flatMap(underWay),
    }
    const rows = await database.rows('claimRetries', wanted).catch(error => {
      all ||= forAll
      throw error
    })
    for (const { no, cursor, attempts, test, event_id, occurred_ms: occurredMs, body } of rows) {
      const retry = { cursor, attempts, test: test === true, id: event_id ?? '', occurredMs, body }
      const subscription = owned.get(no)
      if (subscription) onDue(subscription, retry)
    }
    if (rows.length > 0) onRead()
    return rows.length > 0 ? 0 : pollMs
  }

  const loop = startPollLoop({ step: takeDue, onFailure })
  return {
    /** Known retries may be due now. */
    wake: loop.wake,
    /** Any owned subscription may have retries. */
    wakeForAll() {
      all = true
      loop.wake()
    },
    stop: loop.stop,
  }
}
