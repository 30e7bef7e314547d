// Which findings a meeting shows, and what they may look like. test/rest/resources has the form of the answer.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { type Columns, meeting, resultEntry } from '../support/database/factory.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()

async function resultsOf(sql: Sql, columns: Columns) {
  const { appointment_id } = await meeting(sql, columns)
  const rows = await rowsOf(sql, 'getMeetingIntelligence', { appointment_id: `${appointment_id}` })
  return rows[0]?.results ?? []
}

const own = resultEntry({ field_key: 'summary', value: 'from the findings' })
const both = { summary: 'from the column', next_steps: ['call'] }
const shown: [what: string, columns: Columns, keys: string[]][] = [
  ['a failed one none', { status: 'failed' }, []],
  [
    'them in their order',
    { results: ['c', 'a'].map(key => resultEntry({ field_key: key })) },
    ['c', 'a'],
  ],
  [
    'summary and next steps first',
    { ...both, results: [resultEntry()] },
    ['summary', 'next_steps', 'bedarf'],
  ],
  [
    'no second summary',
    { ...both, results: [resultEntry(), own] },
    ['next_steps', 'bedarf', 'summary'],
  ],
  [
    'the summary next to a finding that mentions one',
    { summary: 'x', results: [resultEntry({ value: { field_key: 'summary' }, label: 'summary' })] },
    ['summary', 'bedarf'],
  ],
]

test.each(shown)('of its findings a meeting shows %s', (_, columns, keys) =>
  rolledBack(database.sql, async sql => {
    expect((await resultsOf(sql, columns)).map(entry => entry.field_key)).toEqual(keys)
  }),
)

test.each([1.5, false, null, [[1], []], { a: { b: null } }])(
  'the value of a finding may be %j',
  value =>
    rolledBack(database.sql, async sql => {
      expect(await resultsOf(sql, { results: [resultEntry({ value })] })).toMatchObject([{ value }])
    }),
)

const { score: _, ...withoutScore } = resultEntry()
const refused: [what: string, results: unknown][] = [
  ['no array', resultEntry()],
  ['a missing member', [withoutScore]],
  ['a member too many', [resultEntry({ extra: 1 })]],
  ['an entry that is no object', ['text']],
  ['null among the entries', [resultEntry(), null]],
  ['a field_key that is no text', [resultEntry({ field_key: 7 })]],
  ['a status of null', [resultEntry({ status: null })]],
  ['a score that is text', [resultEntry({ score: '7' })]],
  ['a level that is a number', [resultEntry({ level: 3 })]],
  ['a generated_at without a zone', [resultEntry({ generated_at: '2026-03-01T12:00:00' })]],
  ['a generated_at that is a number', [resultEntry({ generated_at: 1772366400 })]],
]

test.each(refused)('results with %s are refused', async (_, results) => {
  await expect(
    rolledBack(database.sql, async sql => void (await meeting(sql, { results }))),
  ).rejects.toMatchObject({ constraint_name: 'meeting_intelligence_results_check' })
})
