// What tests of erasures have in common: a database without people, and where the feed is.
import type { Sql } from '../../../src/db/connect.ts'

/** Every table that an erasure touches or reads is empty, and cursors begin anew. */
export async function truncateWorkspace(sql: Sql): Promise<void> {
  await sql`
    truncate leads, haushalte, kontakt_aliases, appointments, signals, advisory_docs, events, event_cursors,
      hook_subscriptions, hook_positions, hook_retries, hook_failures, hook_skips, hook_attempts, erased_events,
      redaction_progress cascade`
}

export async function headOf(sql: Sql): Promise<{ cursor: number }> {
  const [row] = await sql`select head from feed_state`
  return { cursor: Number(row?.head) }
}
