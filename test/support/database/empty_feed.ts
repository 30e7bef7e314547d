// Empties the feed of a running service.
import type { Sql } from '../../../src/db/connect.ts'

const tables = [
  'events',
  'event_cursors',
  'hook_subscriptions',
  'hook_positions',
  'hook_retries',
  'hook_failures',
  'hook_skips',
  'hook_attempts',
  'hook_health',
  'hook_workers',
]

/**
 * Deletes all events, subscriptions and what came of them. `truncate` locks each table against reads, and a read that has
 * one table and waits for another is a deadlock.
 */
export const emptyFeed = (sql: Sql) =>
  sql.unsafe(tables.map(table => `delete from ${table}`).join(';'))
