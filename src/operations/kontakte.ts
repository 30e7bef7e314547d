// Contacts and their household records.
import type { Database } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { type Answer, orNotFound, page } from './operation.ts'

type KontaktFilters = {
  updated_since: string | null
  /** A tool has none. */
  include?: 'haushalt' | null
  limit: number
  offset: number
}

/** Last changed first; merged-away keys are not listed. */
export async function listKontakte(database: Database, input: KontaktFilters): Promise<Answer> {
  const { updated_since, include, limit: row_limit, offset: row_offset } = input
  const query = include === 'haushalt' ? 'listKontakteWithHaushalt' : 'listKontakte'
  return page(await database.json(query, { updated_since, row_limit, row_offset }), input)
}

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

/** The surviving key of the contact and its aliases. Throws invalid_request for what is no identity. */
export async function kontaktKeysOf(database: Database, identity: string, name: string) {
  const [resolved] = await database.rows('resolveKontaktKeys', { identity })
  if (!resolved) throw noIdentity(name)
  return resolved.kontakt_keys
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
  return orNotFound(await database.json('getHaushalt', { kontakt_key }), otherwise)
}
