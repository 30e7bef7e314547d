// Contacts and their household records.
import type { Database } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { type Answer, rowOf } from './operation.ts'

/** The key that any spelling of an identity stands for; null where it is none. */
export const resolveKontaktKey = async (
  database: Database,
  identity: string,
): Promise<string | null> =>
  (await database.rows('resolveKontaktKey', { identity }))[0]?.kontakt_key ?? null

const noIdentity = (name: string) =>
  new ApiError(
    'invalid_request',
    `${name} must be an identity: email:…, phone:… or lead:…, or a bare email address, phone number or lead id.`,
  )

/** Each key of the contact that a kontakt_key stands for; null: of all contacts. Throws invalid_request where it is no identity. */
export async function kontaktKeysOf(
  database: Database,
  identity: string | null,
): Promise<{ kontakt_keys: string[] | null }> {
  if (identity === null) return { kontakt_keys: null }
  const [resolved] = await database.rows('resolveKontaktKeys', { identity })
  if (!resolved) throw noIdentity('kontakt_key')
  return resolved
}

const exactKey = /^(email|phone|lead):\S/

const noRecord = 'There is no household record under this key.'
const notExact =
  'No key is spelled like this one, so no record has it. /kontakte/{key} takes every spelling.'
const noRecordOfLead = `${noRecord} Try the email of the lead, then its phone: most records are kept under these.`

/** By an exact identity key or alias; nothing is normalised. Throws invalid_request, not_found. */
export async function getHaushalt(database: Database, { key }: { key: string }): Promise<Answer> {
  const isExact = exactKey.test(key)
  const haushalt = isExact ? await database.json('getHaushalt', { kontakt_key: key }) : null
  if (haushalt && haushalt.count > 0) return { data: haushalt.json }
  // Only on a miss: text that is no identity in any spelling is malformed, an identity without a record is not found.
  const resolved = isExact ? await resolveKontaktKey(database, key) : null
  if (resolved === null)
    throw new ApiError(
      'invalid_request',
      'key must be an exact identity key: email:, phone: or lead: and the normalised value.',
    )
  throw new ApiError('not_found', resolved === key ? noRecord : notExact)
}

/** By any spelling of an identity. Throws invalid_request, not_found. */
export async function getKontakt(database: Database, { key }: { key: string }): Promise<Answer> {
  const kontakt_key = await resolveKontaktKey(database, key)
  if (kontakt_key === null) throw noIdentity('key')
  const otherwise = kontakt_key.startsWith('lead:') ? noRecordOfLead : noRecord
  return await rowOf('getHaushalt', otherwise)(database, { kontakt_key })
}
