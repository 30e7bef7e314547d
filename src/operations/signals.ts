// Sales signals.
import type { Database } from '../db/database.ts'
import { kontaktKeysOf } from './kontakte.ts'
import { type Answer, page } from './operation.ts'

type SignalFilters = {
  status: string | null
  lead_id: string | null
  kontakt_key: string | null
  limit: number
  offset: number
}

/** Latest detected first. Throws invalid_request for a kontakt_key that is no identity. */
export async function listSignals(database: Database, input: SignalFilters): Promise<Answer> {
  const { status, lead_id, kontakt_key, limit: row_limit, offset: row_offset } = input
  const kontakt_keys =
    kontakt_key === null ? null : await kontaktKeysOf(database, kontakt_key, 'kontakt_key')
  const filters = { status, lead_id, kontakt_keys }
  return page(await database.json('listSignals', { ...filters, row_limit, row_offset }), input)
}
