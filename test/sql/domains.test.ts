// What the tables refuse, because JSON or the API's promises could not carry it.
import { expect, test } from 'bun:test'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const database = useDatabase()

const cast = async (value: string, type: 'instant' | 'score') => {
  const [row] = await database.sql.unsafe(`select $1::${type}::text as value`, [value])
  return row?.value
}

const refusal = { code: '23514' }

test.each([
  ['infinity'],
  ['-infinity'],
  ['10000-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59.9999999Z'],
  ['0001-12-31T00:00:00Z BC'],
  ['0001-01-01T00:00:00+01:00'],
])('the moment %s is refused', async value => {
  await expect(cast(value, 'instant')).rejects.toMatchObject(refusal)
})

test.each([['0001-01-01T00:00:00Z'], ['9999-12-31T23:59:59.999999Z'], ['2024-02-29T12:00:00Z']])(
  'the moment %s is taken',
  async value => {
    expect(await cast(value, 'instant')).toBeString()
  },
)

test.each([['NaN'], ['Infinity'], ['-Infinity'], ['1000000.01'], ['-1e9'], ['1e300'], ['1e-401']])(
  'the score %s is refused',
  async value => {
    await expect(cast(value, 'score')).rejects.toMatchObject(refusal)
  },
)

test.each([['0'], ['-1000000'], ['1000000'], ['0.1']])('the score %s is taken', async value => {
  expect(await cast(value, 'score')).toBe(value)
})

test('every stored moment is an instant, every stored number that is not an integer a score or a share', async () => {
  const rows = await database.sql`
    select table_name || '.' || column_name as name from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and domain_name is null
      and data_type in ('timestamp with time zone', 'timestamp without time zone', 'date', 'numeric', 'real', 'double precision')
    order by name`
  // No answer has the lease's end, which may be -infinity.
  expect(rows.map(row => row.name)).toEqual([
    'leader.lease_until',
    'schema_functions.applied_at',
    'schema_migrations.applied_at',
  ])
})

const { lead, analysis, haushalt, appointment, signal, meeting, apiKey, alias } = factory
type Insert = (sql: typeof database.sql) => Promise<unknown>

const refused: [what: string, insert: Insert][] = [
  ['a lead without a status', sql => lead(sql, { status: '' })],
  ['a lead archived at the end of time', sql => lead(sql, { archived_at: 'infinity' })],
  ['parsed data that are a list', sql => lead(sql, { parsed_data: [] })],
  ['an analysis from a third channel', sql => analysis(sql, { channel: 'fax' })],
  ['an analysis that is text', sql => analysis(sql, { analysis: 'text' })],
  ['a DIN check that is a list', sql => analysis(sql, { din_check: [] })],
  ['a household that is a list', sql => haushalt(sql, { haushalt: [] })],
  ['a provenance that is a number', sql => haushalt(sql, { provenance: 1 })],
  ['an appointment without a status', sql => appointment(sql, { status: '' })],
  ['an empty link', sql => appointment(sql, { meeting_url: '' })],
  ['a link without a scheme', sql => appointment(sql, { meeting_url: 'zoom.example/j/1' })],
  ['a link with a space', sql => appointment(sql, { meeting_url: 'https://zoom.example/j 1' })],
  ['a signal of unknown status', sql => signal(sql, { status: 'closed' })],
  ['a signal whose score is no number', sql => signal(sql, { score: 'NaN' })],
  ['a meeting of unknown status', sql => meeting(sql, { status: 'pending' })],
  ['a key without a scope', sql => apiKey(sql, { scopes: [] })],
  ['a key with an unknown scope', sql => apiKey(sql, { scopes: ['read:leads', 'write:leads'] })],
  ['a key with null among its scopes', sql => apiKey(sql, { scopes: ['read:leads', null] })],
  ['a key without a label', sql => apiKey(sql, { label: '' })],
  ['a digest of another length', sql => apiKey(sql, { digest: '\\x00' })],
  ['a key that is its own alias', sql => alias(sql, 'lead:1', 'lead:1')],
]

test.each(refused)('%s is refused', async (_, insert) => {
  const inserted = rolledBack(database.sql, async sql => void (await insert(sql)))
  await expect(inserted).rejects.toMatchObject(refusal)
})

const isUri = fullFormats.uri as (text: string) => boolean

test.each([
  ...[
    'https://zoom.example/j/1?pwd=a%20b&c=d#e/f?g',
    'HTTPS://zoom.example:8443',
    'https://[::1]:1/',
  ],
  ...[
    'https://u:p@zoom.example/a:b@c//d',
    'tel:+4915228817386',
    'sip:raum@zoom.example;a=b',
    'a:b/c',
  ],
  ...['msteams:/l/1', 'webex://', "https://zoom.example/!$&'()*+,;=-._~"],
  ...['https://zoom.example/ü', 'https://zoom.example/a|b', 'https://zoom.example/100%', 'a:[b]'],
  ...['https://zoom.example/?q={id}', 'https://zoom.example/a\\b', 'https://zoom.example/a#b#c'],
  ...['https://[zoom]/', 'https://zoom.example/a^`b'],
  ...['https://zoom.example/a\n', 'zoom.example', '/j/1', '1a:b', 'a:', ':b', '', 'a:"b"', 'a:<b>'],
])('the link %j is taken where the published schema takes it', async url => {
  const [row] = await database.sql`select is_uri(${url}) as taken`
  expect(row?.taken).toBe(isUri(url))
})

test.each(['https://zoom.example:x/', 'https://a@b@c/'])(
  'the link %j is refused, whatever checkers say',
  async url => {
    const [row] = await database.sql`select is_uri(${url}) as taken`
    expect(row?.taken).toBe(false)
  },
)

test('a second analysis of one lead, channel and source is refused', async () => {
  const twice = rolledBack(database.sql, async sql => {
    const { id: lead_id } = await lead(sql)
    for (let times = 0; times < 2; times += 1) await analysis(sql, { lead_id, source_id: '17' })
  })
  await expect(twice).rejects.toMatchObject({ code: '23505' })
})
