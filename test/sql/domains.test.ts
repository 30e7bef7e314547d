// What the tables refuse, because JSON or the API's promises could not carry it.
import { expect, test } from 'bun:test'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const database = useDatabase()
const refusal = { code: '23514' }
const list = (text: string) => text.split(/\s+/)

/** Whether the domain takes the value as it is; one value a word. */
const domains: [type: string, taken: boolean, values: string[]][] = [
  [
    'instant',
    false,
    [
      ...list(
        `infinity -infinity 10000-01-01T00:00:00Z 9999-12-31T23:59:59.9999999Z 0001-01-01T00:00:00+01:00`,
      ),
      '0001-12-31T00:00:00Z BC',
    ],
  ],
  ['instant', true, list('0001-01-01T00:00:00Z 9999-12-31T23:59:59.999999Z 2024-02-29T12:00:00Z')],
  ['score', false, list('NaN Infinity -Infinity 1000000.01 -1e9 1e300 1e-401')],
  ['score', true, list('0 -1000000 1000000 0.1')],
]

test.each(domains)('whether an %s takes a value: %p: %j', async (type, taken, values) => {
  for (const value of values) {
    const cast = database.sql.unsafe(`select $1::${type} as value`, [value]).execute()
    if (taken) expect(await cast).toHaveLength(1)
    else await expect(Promise.resolve(cast)).rejects.toMatchObject(refusal)
  }
})

test('every stored moment is an instant, every stored number that is not an integer a score or a share', async () => {
  const rows = await database.sql`
    select table_name || '.' || column_name as name from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and domain_name is null
      and data_type in ('timestamp with time zone', 'timestamp without time zone', 'date', 'numeric', 'real', 'double precision')
    order by name`
  // No answer has the lease's end, which may be -infinity.
  const own = ['leader.lease_until', 'schema_functions.applied_at', 'schema_migrations.applied_at']
  expect(rows.map(row => row.name)).toEqual(own)
})

type Insert = (sql: typeof database.sql, columns: factory.Columns) => Promise<unknown>
const { lead, analysis, haushalt, appointment, signal, meeting, apiKey } = factory

const refused: [what: string, insert: Insert, columns: factory.Columns][] = [
  ['a lead without a status', lead, { status: '' }],
  ['a lead archived at the end of time', lead, { archived_at: 'infinity' }],
  ['parsed data that are a list', lead, { parsed_data: [] }],
  ['an analysis from a third channel', analysis, { channel: 'fax' }],
  ['an analysis that is text', analysis, { analysis: 'text' }],
  ['a DIN check that is a list', analysis, { din_check: [] }],
  ['a household that is a list', haushalt, { haushalt: [] }],
  ['a provenance that is a number', haushalt, { provenance: 1 }],
  ['an appointment without a status', appointment, { status: '' }],
  ['an empty link', appointment, { meeting_url: '' }],
  ['a link without a scheme', appointment, { meeting_url: 'zoom.example/j/1' }],
  ['a link with a space', appointment, { meeting_url: 'https://zoom.example/j 1' }],
  ['a signal of unknown status', signal, { status: 'closed' }],
  ['a signal whose score is no number', signal, { score: 'NaN' }],
  ['a meeting of unknown status', meeting, { status: 'pending' }],
  ['a key without a scope', apiKey, { scopes: [] }],
  ['a key with an unknown scope', apiKey, { scopes: ['read:leads', 'write:leads'] }],
  ['a key with null among its scopes', apiKey, { scopes: ['read:leads', null] }],
  ['a key without a label', apiKey, { label: '' }],
  ['a digest of another length', apiKey, { digest: '\\x00' }],
]

test.each(refused)('%s is refused', async (_, insert, columns) => {
  const inserted = rolledBack(database.sql, async sql => void (await insert(sql, columns)))
  await expect(inserted).rejects.toMatchObject(refusal)
})

test('a second analysis of one lead, channel and source is refused', async () => {
  const one = { lead_id: (await lead(database.sql)).id, source_id: '17' }
  await analysis(database.sql, one)
  await expect(analysis(database.sql, one)).rejects.toMatchObject({ code: '23505' })
})

const isUri = fullFormats.uri as (text: string) => boolean
const urls = [
  ...list(`https://zoom.example/j/1?pwd=a%20b&c=d#e/f?g HTTPS://zoom.example:8443 https://[::1]:1/ tel:+4915228817386
    https://u:p@zoom.example/a:b@c//d sip:raum@zoom.example;a=b a:b/c msteams:/l/1 webex:// https://zoom.example/ü
    https://zoom.example/!$&'()*+,;=-._~ https://zoom.example/a|b https://zoom.example/100% a:[b] https://[zoom]/
    https://zoom.example/?q={id} https://zoom.example/a\\b https://zoom.example/a#b#c zoom.example /j/1 1a:b a: :b a:"b" a:<b>`),
  ...['', 'https://zoom.example/a\n', 'https://zoom.example/a^`b'],
]

test('a link is taken where the published schema takes it, and not with two hosts or half a port', async () => {
  const taken = async (url: string) =>
    (await database.sql`select is_uri(${url}) as taken`)[0]?.taken
  for (const url of urls) expect([url, await taken(url)]).toEqual([url, isUri(url)])
  for (const url of ['https://zoom.example:x/', 'https://a@b@c/'])
    expect([url, await taken(url)]).toEqual([url, false])
})
