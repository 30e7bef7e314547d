// Free-form documents: what no parser of a reader can take is refused on write, with the place of it.
import { expect, test } from 'bun:test'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const database = useDatabase()
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const noDouble = ' is a number that no double can hold'

/** Documents of one member `x`, as text: JavaScript has no such numbers. */
const documents: [what: string, x: string, fault: string | null][] = [
  ['a number of 5,001 digits', '1e5000', `.x${noDouble}`],
  ['a negative one', '-1e400', `.x${noDouble}`],
  ['one above the greatest double', '1.8e308', `.x${noDouble}`],
  ['one in a list', '{"y": [1, {"z": 2e308}]}', `.x.y[1].z${noDouble}`],
  ['a fraction of 5,000 digits', `0.${'0'.repeat(4_999)}1`, `.x${noDouble}`],
  ['the greatest double', '1.7976931348623157e308', null],
  ['the smallest double', '5e-324', null],
  ['300 digits in a text', `"${'7'.repeat(300)}"`, null],
  ['64 levels', nested(63), null],
  ['65 levels', nested(64), `.x${'[0]'.repeat(63)} is deeper than 64 levels`],
  ['5,500 levels', nested(5_500), ' is deeper than 64 levels'],
  ['300 KB', `"${'ab'.repeat(150_000)}"`, 'bytes of JSON, a row holds at most 262144'],
  ['250 KB', `"${'ab'.repeat(125_000)}"`, null],
]

const rows = {
  leads: factory.lead,
  lead_analyses: factory.analysis,
  haushalte: factory.haushalt,
  meeting_intelligence: factory.meeting,
}
/** Every column of free-form documents; the entries of results have their own form. */
const columns = [
  ...['leads.parsed_data', 'lead_analyses.analysis', 'lead_analyses.analysis_v2'],
  ...['lead_analyses.din_check', 'haushalte.haushalt', 'haushalte.provenance'],
  ...['haushalte.din_check', 'haushalte.empfehlungen_aktuell', 'meeting_intelligence.next_steps'],
]

test('the list above has every column of documents that a writer fills', async () => {
  const found = await database.sql`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and table_name in ${database.sql(Object.keys(rows))}
      and data_type = 'jsonb' and is_generated = 'NEVER'`
  const all = [...columns, 'meeting_intelligence.results']
  expect(found.map(row => row.name).toSorted()).toEqual(all.toSorted())
})

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => null,
    error => [error.code, error.message],
  )

test.each(columns)('%s holds what every parser can read', async column => {
  const [table, name = ''] = column.split('.') as [keyof typeof rows, string]
  await rolledBack(database.sql, async sql => {
    await rows[table](sql)
    for (const [what, x, fault] of documents) {
      await sql`savepoint one`
      const write = `update ${table} set ${name} = $1::text::jsonb`
      const written = await outcome(sql.unsafe(write, [`{"x": ${x}}`]))
      await sql`rollback to one`
      const expected = fault && ['23514', expect.stringContaining(fault)]
      expect([what, written]).toEqual([what, expected])
      if (fault && !what.endsWith('KB')) expect(written?.[1]).toStartWith(name)
    }
  })
})

const entry = JSON.stringify([factory.resultEntry({ value: 4711 })]).replace('4711', '1e400')
const event = (x: string) =>
  `select emit_event('analysis.completed', 'analysis', 'x', '{}',
    '{"channel": "call", "analysis_schema_version": null, "analysis": {"x": ${x}}}')`

test.each([
  ['results[0].value', `update meeting_intelligence set results = '${entry}'`],
  ['data.analysis.x', event('1e400')],
  ['data.analysis.x[0]', event(nested(5_000))],
  // Rows of replication are held to the same.
  [
    'parsed_data.x',
    `set local session_replication_role = replica; insert into leads (parsed_data) values ('{"x": 1e400}')`,
  ],
  ['bytes of JSON', 'update haushalte set haushalt = haushalt || provenance'],
])('a fault at %s is refused', (place, statement) =>
  rolledBack(database.sql, async sql => {
    await factory.meeting(sql)
    const [a, b] = ['a', 'b'].map(name => ({ [name]: 'ab'.repeat(60_000) }))
    await factory.haushalt(sql, { haushalt: a, provenance: b })
    expect(await outcome(sql.unsafe(statement))).toEqual(['23514', expect.stringContaining(place)])
  }),
)
