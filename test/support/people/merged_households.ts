// Two household records, merged: what becomes of the survivor's.
import { expect } from 'bun:test'
import type { Sql } from '../../../src/db/connect.ts'
import { type Columns, haushalt } from '../database/factory.ts'
import { rolledBack } from '../database/rolled_back.ts'

/** The survivor's record after the merge: `mine` was the survivor's, `theirs` the other. */
export async function united(database: Sql, mine: Columns, theirs: Columns): Promise<Columns> {
  let result: Columns = {}
  await rolledBack(database, async sql => {
    await haushalt(sql, { kontakt_key: 'email:mine@example.org', ...mine })
    await haushalt(sql, { kontakt_key: 'email:theirs@example.org', ...theirs })
    await sql`select merge_kontakte('email:theirs@example.org', 'email:mine@example.org')`
    const rows = await sql`select to_jsonb(haushalte)::text as row from haushalte`
    expect(rows).toHaveLength(1)
    result = JSON.parse(rows[0]?.row)
  })
  return result
}

export const old = '2025-01-01T00:00:00Z'
export const recent = '2026-01-01T00:00:00Z'

/** Provenance from paths and moments; the side shows where an entry came from. */
export const from = (side: string, moments: Record<string, string | null>) =>
  Object.fromEntries(
    Object.entries(moments).map(([path, stand]) => [
      path,
      { quelle: side, ...(stand && { stand }) },
    ]),
  )
