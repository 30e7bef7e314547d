// Contacts and their household records. Shared by REST and the tool server.
import type { Database, JsonPage, JsonText } from '../db/database.ts'
import { ApiError } from '../errors.ts'

const exactKey = /^(email|phone|lead):\S/

/** KontaktSummary[], last changed first; merged-away keys are not listed. */
export function listKontakte(
  database: Database,
  { limit, offset }: { limit: number; offset: number },
): Promise<JsonPage> {
  return database.listJson('listKontakte', { row_limit: limit, row_offset: offset })
}

/** The key that any spelling of an identity stands for; null where it is none. */
export const keyOf = async (database: Database, identity: string): Promise<string | null> =>
  (await database.list('resolveKontaktKey', { identity }))[0]?.kontakt_key ?? null

const found = (haushalt: JsonText | null): JsonText => {
  if (haushalt === null)
    throw new ApiError('not_found', 'There is no household record under this key.')
  return haushalt
}

/** Haushalt by an exact identity key or alias; nothing is normalised. Throws invalid_request, not_found. */
export async function getHaushalt(database: Database, kontakt_key: string): Promise<JsonText> {
  const haushalt = exactKey.test(kontakt_key)
    ? await database.getJson('getHaushalt', { kontakt_key })
    : null
  // Only on a miss: what is no identity in any spelling is malformed, what is one is nobody's.
  if (haushalt === null && !(exactKey.test(kontakt_key) && (await keyOf(database, kontakt_key))))
    throw new ApiError(
      'invalid_request',
      'key must be an exact identity key: email:, phone: or lead: and the normalised value.',
    )
  return found(haushalt)
}

/** Haushalt by any spelling of an identity. Throws invalid_request, not_found. */
export async function getKontakt(database: Database, identity: string): Promise<JsonText> {
  const kontakt_key = await keyOf(database, identity)
  if (kontakt_key === null)
    throw new ApiError(
      'invalid_request',
      'key must be an identity: email:…, phone:… or lead:…, or a bare email address, phone number or lead id.',
    )
  return found(await database.getJson('getHaushalt', { kontakt_key }))
}
