// Free-form documents: what no parser of a reader can take is refused on write, with the place of it.
import { expect, test } from 'bun:test'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const database = useDatabase()

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const fraction = (digits: number) => `0.${'0'.repeat(digits - 1)}1`

/** Documents of one member `x`, as text: JavaScript has no such numbers. */
const documents: [what: string, x: string, fault: string | null][] = [
  ['a number of 5,001 digits', '1e5000', '.x is a number that no double can hold'],
  ['a negative one', '-1e400', '.x is a number that no double can hold'],
  ['one above the greatest double', '1.8e308', '.x is a number that no double can hold'],
  ['one in a list', '{"y": [1, {"z": 2e308}]}', '.x.y[1].z is a number that no double can hold'],
  ['a fraction of 5,000 digits', fraction(5_000), '.x is a number that no double can hold'],
  ['the greatest double', '1.7976931348623157e308', null],
  ['the smallest double', '5e-324', null],
  ['300 digits in a text', `"${'7'.repeat(300)}"`, null],
  ['64 levels', nested(63), null],
  ['65 levels', nested(64), `.x${'[0]'.repeat(63)} is deeper than 64 levels`],
  ['5,500 levels', nested(5_500), ' is deeper than 64 levels'],
  ['300 KB', `"${'ab'.repeat(150_000)}"`, 'bytes of JSON, a row holds at most 262144'],
  ['250 KB', `"${'ab'.repeat(125_000)}"`, null],
]

/** Every column of free-form documents; what a document looks like there, and how a row of it is written. */
const columns: [column: string, document: (x: string) => string][] = [
  ['leads.parsed_data', x => `{"x": ${x}}`],
  ['lead_analyses.analysis', x => `{"x": ${x}}`],
  ['lead_analyses.analysis_v2', x => `{"x": ${x}}`],
  ['lead_analyses.din_check', x => `{"x": ${x}}`],
  ['haushalte.haushalt', x => `{"x": ${x}}`],
  ['haushalte.provenance', x => `{"x": ${x}}`],
  ['haushalte.din_check', x => `{"x": ${x}}`],
  ['haushalte.empfehlungen_aktuell', x => `{"x": ${x}}`],
  ['meeting_intelligence.next_steps', x => `{"x": ${x}}`],
]
const rows = {
  leads: factory.lead,
  lead_analyses: factory.analysis,
  haushalte: factory.haushalt,
  meeting_intelligence: factory.meeting,
}

test('the list above has every column of documents that a writer fills', async () => {
  const found = await database.sql`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and table_name in ${database.sql(Object.keys(rows))}
      and data_type = 'jsonb' and is_generated = 'NEVER'`
  expect(found.map(row => row.name).toSorted()).toEqual(
    [...columns.map(([name]) => name), 'meeting_intelligence.results'].toSorted(),
  )
})

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => null,
    error => [error.code, error.message],
  )

test.each(columns)('%s holds what every parser can read', async (column, document) => {
  const [table, name] = column.split('.') as [keyof typeof rows, string]
  await rolledBack(database.sql, async sql => {
    await rows[table](sql)
    for (const [what, x, fault] of documents) {
      await sql`savepoint one`
      const written = await outcome(
        sql.unsafe(`update ${table} set ${name} = $1::text::jsonb`, [document(x)]),
      )
      await sql`rollback to one`
      const expected = fault && ['23514', expect.stringContaining(fault)]
      expect([what, written]).toEqual([what, expected])
      if (fault && !what.endsWith('KB')) expect(written?.[1]).toStartWith(name)
    }
  })
})

test('result entries and the data of emit_event are held to the same', async () => {
  const entry = (value: string) =>
    `[${JSON.stringify(factory.resultEntry({ value: 4711 })).replace('4711', value)}]`
  const event = (x: string) =>
    `{"channel": "call", "analysis_schema_version": null, "analysis": {"x": ${x}}}`
  await rolledBack(database.sql, async sql => {
    await factory.meeting(sql)
    for (const [write, place] of [
      [
        sql`update meeting_intelligence set results = ${entry('1e400')}::text::jsonb`,
        'results[0].value',
      ],
      [
        sql`select emit_event('analysis.completed', 'analysis', 'x', '{}', ${event('1e400')}::text::jsonb)`,
        'data.analysis.x',
      ],
      [
        sql`select emit_event('analysis.completed', 'analysis', 'x', '{}', ${event(nested(5_000))}::text::jsonb)`,
        'data.analysis.x[0]',
      ],
    ] as const) {
      await sql`savepoint one`
      expect(await outcome(write)).toEqual(['23514', expect.stringContaining(place)])
      await sql`rollback to one`
    }
  })
})

test('a row is bounded as a whole, and rows of replication are too', async () => {
  const half = { x: 'ab'.repeat(70_000) }
  const wrong = [
    (sql: typeof database.sql) => factory.haushalt(sql, { haushalt: half, provenance: half }),
    async (sql: typeof database.sql) => {
      await sql`set local session_replication_role = replica`
      await sql`insert into leads (parsed_data) values ('{"x": 1e400}')`
    },
  ]
  for (const insert of wrong)
    await expect(
      rolledBack(database.sql, async sql => void (await insert(sql))),
    ).rejects.toMatchObject({ code: '23514' })
})
