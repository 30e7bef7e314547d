// Contacts and their household records.
import { Type } from '@sinclair/typebox'
import type { Database, JsonText } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { Haushalt, KontaktSummary } from '../model/haushalt.ts'
import { type Answer, operation } from './operation.ts'
import { PageMeta, page, pageParameters } from './pages.ts'
import { ofText, type Parameter, required } from './parameters.ts'

// No identity is longer: 254 characters of email address, each at most 12 characters in percent-encoding.
const keyLengthMax = 3_072

const exactKey = /^(email|phone|lead):\S/

/** What it may be is for the database to say. */
const keyParameter = (description: string): Parameter<string> =>
  required({
    schema: { type: 'string', minLength: 1 },
    description,
    absent: null,
    expected: 'an identity',
    parse: ofText(text => (text.length <= keyLengthMax ? text : undefined)),
  })

/** Last changed first; merged-away keys are not listed. */
export const listKontakte = operation({
  name: 'listKontakte',
  scope: 'read:kontakte',
  input: pageParameters,
  data: Type.Array(KontaktSummary),
  meta: PageMeta,
  async run(database, input) {
    const { limit: row_limit, offset: row_offset } = input
    return page(await database.listJson('listKontakte', { row_limit, row_offset }), input)
  },
})

/** The key that any spelling of an identity stands for; null where it is none. */
export const resolveKontaktKey = async (
  database: Database,
  identity: string,
): Promise<string | null> =>
  (await database.list('resolveKontaktKey', { identity }))[0]?.kontakt_key ?? null

const noRecord = 'There is no household record under this key.'

const found = (data: JsonText | null, otherwise = noRecord): Answer => {
  if (data === null) throw new ApiError('not_found', otherwise)
  return { data }
}

const notExact =
  'No key is spelled like this one, so no record has it. /kontakte/{key} takes every spelling.'

const noRecordOfLead = `${noRecord} Try the email of the lead, then its phone: most records are kept under these.`

/** By an exact identity key or alias; nothing is normalised. Throws invalid_request, not_found. */
export const getHaushalt = operation({
  name: 'getHaushalt',
  scope: 'read:kontakte',
  input: { key: keyParameter('Exact identity key, URL-encoded.') },
  data: Haushalt,
  async run(database, { key: kontakt_key }) {
    const haushalt = exactKey.test(kontakt_key)
      ? await database.getJson('getHaushalt', { kontakt_key })
      : null
    if (haushalt !== null) return { data: haushalt }
    // Only on a miss: text that is no identity in any spelling is malformed, an identity without a record is not found.
    const key = exactKey.test(kontakt_key) ? await resolveKontaktKey(database, kontakt_key) : null
    if (key === null)
      throw new ApiError(
        'invalid_request',
        'key must be an exact identity key: email:, phone: or lead: and the normalised value.',
      )
    return found(null, key === kontakt_key ? noRecord : notExact)
  },
})

/** By any spelling of an identity. Throws invalid_request, not_found. */
export const getKontakt = operation({
  name: 'getKontakt',
  scope: 'read:kontakte',
  input: {
    key: keyParameter(
      'URL-encoded. `email:…`, `phone:…`, `lead:…`, or a bare email address, phone number or lead id, raw or normalised.',
    ),
  },
  data: Haushalt,
  async run(database, { key }) {
    const kontakt_key = await resolveKontaktKey(database, key)
    if (kontakt_key === null)
      throw new ApiError(
        'invalid_request',
        'key must be an identity: email:…, phone:… or lead:…, or a bare email address, phone number or lead id.',
      )
    const otherwise = kontakt_key.startsWith('lead:') ? noRecordOfLead : noRecord
    return found(await database.getJson('getHaushalt', { kontakt_key }), otherwise)
  },
})
