// Merging in a test, and what came of it.
import type { Sql } from '../../../src/db/connect.ts'

export async function merge(sql: Sql, alias_key: string, canonical_key: string): Promise<boolean> {
  const [row] = await sql`select merge_kontakte(${alias_key}, ${canonical_key}) as changed`
  return row?.changed
}

export async function aliases(sql: Sql): Promise<string[]> {
  const rows =
    await sql`select alias_key || ' > ' || canonical_key as pair from kontakt_aliases order by alias_key`
  return rows.map(row => row.pair)
}

export async function events(sql: Sql): Promise<[string, string, Record<string, unknown>][]> {
  const rows = await sql`select event_type, object_id, data::text from events order by log_id`
  return rows.map(row => [row.event_type, row.object_id, JSON.parse(row.data)])
}
