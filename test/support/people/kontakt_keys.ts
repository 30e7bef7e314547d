// The keys of many texts in one statement.
import type { Sql } from '../../../src/db/connect.ts'

export async function keysOf(sql: Sql, texts: string[]): Promise<(string | null)[]> {
  const rows = await sql`
    select kontakt_key(texts.text) as key
    from jsonb_array_elements_text(${JSON.stringify(texts)}::text::jsonb) with ordinality as texts (text, place)
    order by texts.place`
  return rows.map(row => row.key)
}
