// What the database knows of the whole workspace: one statement per scrape, on a connection of its own, so that no
// scrape waits for requests and no request for a scrape.
import { openDatabase } from '../../db/database.ts'
import { loadQueries } from '../../db/override.ts'
import { openPool } from '../../db/pool.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { MetricName } from './catalog.ts'
import { type Series, value } from './series.ts'

// A scrape costs the same however much waits. Beyond this the ages tell more.
const countMax = 10_000
const timeoutMs = 2_000
// Several scrapers, or one that is impatient, share an answer.
const keptMs = 1_000

export type Gauges = {
  /** Never fails: without an answer in time it is wda_database_up 0 alone. */
  read(): Promise<Series[]>
  close(): Promise<void>
}

/** A series, or none where there is no value. */
const known = (name: MetricName, of: number | null, labels?: Record<string, string>) =>
  of === null ? [] : [value(name, of, labels)]

/** One question at a time, and its answer for all that ask meanwhile or so many milliseconds after it began. */
export function shared<Answer>(
  ask: () => Promise<Answer>,
  milliseconds: number,
  now: () => number = () => performance.now(),
): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined
  let asking = false
  let askedAt = 0
  return () => {
    if (answer === undefined || (!asking && now() - askedAt > milliseconds)) {
      asking = true
      askedAt = now()
      answer = ask().finally(() => {
        asking = false
      })
    }
    return answer
  }
}

/** Throws QueryFileError when a file in `sqlDir` does not fit. */
export async function openGauges(url: string, sqlDir: string | undefined): Promise<Gauges> {
  const { sql, renew } = openPool({
    url,
    connectionsMax: 1,
    applicationName: 'workspace-data-api metrics',
    statementTimeoutMs: timeoutMs,
    // A plan made for few deliveries would read the whole table to count what is pending.
    byIndexOnly: true,
  })
  const database = openDatabase(sql, await loadQueries(sql, sqlDir))

  async function ask(): Promise<Series[]> {
    const [found] = await database.list('getGauges', { count_max: countMax })
    if (!found) throw new Error('the feed has no row')
    const { active, failing, paused } = found
    return [
      value('wda_database_up', 1),
      value('wda_unsequenced_events', found.unsequenced),
      value('wda_unsequenced_oldest_age_seconds', Math.max(0, found.unsequenced_age ?? 0)),
      value('wda_feed_head', found.head),
      ...known('wda_feed_head_age_seconds', found.head_age),
      value('wda_feed_horizon', found.horizon),
      value('wda_deliveries_pending', found.pending),
      value('wda_deliveries_failed', found.failed),
      value('wda_deliveries_oldest_due_age_seconds', Math.max(0, found.due_age ?? 0)),
      value('wda_leader', found.has_leader ? 1 : 0),
      ...Object.entries({ active, failing, paused }).map(([state, count]) =>
        value('wda_subscriptions', count, { state }),
      ),
    ]
  }

  const down = [value('wda_database_up', 0)]

  async function askInTime(): Promise<Series[]> {
    // The server's own timeout answers first; one that is silent needs a new connection.
    return await withTimeout(ask(), timeoutMs + 500).catch(() => {
      renew()
      return down
    })
  }

  return {
    read: shared(askInTime, keptMs),
    close: () => sql.end({ timeout: 1 }),
  }
}
