// What tests of erasures have in common: a database without people, and where the feed is.
import type { Sql } from '../../../src/db/connect.ts'

const tables = [
  'leads',
  'lead_analyses',
  'meeting_intelligence',
  'haushalte',
  'kontakt_aliases',
  'appointments',
  'signals',
  'advisory_docs',
  'events',
  'event_cursors',
  'hook_subscriptions',
  'hook_outstanding',
  'hook_attempts',
  'redaction_progress',
]

/**
 * Every table that an erasure touches or reads is empty, and cursors begin anew. Without triggers; truncating makes new
 * files of all tables and their indexes, which takes ten times as long.
 */
export async function emptyWorkspace(sql: Sql): Promise<void> {
  const deletes = tables.map(table => `delete from ${table}`).join(';')
  await sql.unsafe(`set local session_replication_role = replica; ${deletes}`)
}

export async function feedHead(sql: Sql): Promise<{ cursor: number }> {
  const [row] = await sql`select head from feed_state`
  return { cursor: Number(row?.head) }
}
