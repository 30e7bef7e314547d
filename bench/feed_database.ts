// Databases with events, made in one pass: what the feed's rows read and prune.
import { progress } from '../src/cli/output.ts'
import type { Sql } from '../src/db/connect.ts'
import type { Bench } from './bench.ts'
import type { BenchDatabase } from './databases.ts'
import { withSql } from './session.ts'

// Shares as in a workspace of the demo kind; the rare type comes once in 100,000 events.
const typeOf = `case
    when n % 100000 = 7 then 'kontakt.merged'
    when n % 100 < 8 then 'analysis.completed'
    when n % 100 < 30 then 'haushalt.updated'
    when n % 100 < 60 then 'lead.created'
    else 'signal.opened' end`

// About the size of the live ones, but for analyses, which are 24 KB and would only measure the disk. The id of an event in
// the log is its cursor.
const fillEvents = (first: number, last: number) => `
  with logged as (
    insert into events (log_id, id, event_type, schema_version, object_type, object_id, links, data)
    select n, gen_random_uuid(), ${typeOf}, '1', 'lead', n::text, '{"lead_id": null, "session_id": null}',
      jsonb_build_object('lead_id', gen_random_uuid(), 'name', 'Person ' || n, 'email', 'person' || n || '@example.org',
        'phone', '+49 30 23125000', 'source_type', 'chat', 'status', 'new', 'product_domain', null)
    from generate_series(${first}, ${last}) as n
    returning log_id, event_type
  )
  insert into event_cursors (cursor, log_id, event_type) select log_id, log_id, event_type from logged`

/** Cursors first to last, in slices; the log is settled up to there. */
export async function addFeedEvents(sql: Sql, first: number, last: number): Promise<void> {
  const slice = 500_000
  for (let start = first; start <= last; start += slice) {
    const end = Math.min(start + slice - 1, last)
    await sql.unsafe(fillEvents(start, end))
  }
  await sql`select setval('events_log_id_seq', ${last})`
  await sql`update feed set log_floor = ${last} where log_floor < ${last}`
}

/** The small bench database with so many events in its feed; kept for later runs. */
export async function withEvents(bench: Bench, events: number): Promise<BenchDatabase> {
  const database = await bench.database(bench.options.sizes.small, `events_${events}`)
  await withSql(database.url, async sql => {
    const [feed] = await sql`select head::float8 as head from feed_state`
    if (feed?.head >= events) return
    progress(`Making ${events.toLocaleString('en')} events; they are kept for later runs.`)
    await sql`truncate events, event_cursors`
    await addFeedEvents(sql, 1, events)
    await sql.unsafe('vacuum (analyze) events, event_cursors')
    await sql.unsafe('checkpoint')
  })
  return database
}
