// What the list of contacts derives from documents of any shape: gaps by level, contracts, the version of the parameters.
import { expect, test } from 'bun:test'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { haushalt } from '../support/database/factory.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()

/** What the list shows of a record whose documents were changed to these. */
async function listed(din_check: unknown, haushalt_: unknown = {}) {
  const shown: Record<string, unknown> = {}
  await rolledBack(database.sql, async sql => {
    await haushalt(sql)
    const [check, document] = [din_check, haushalt_].map(one => JSON.stringify(one ?? null))
    await sql`
      update haushalte set haushalt = ${document ?? ''}::text::jsonb, din_check = nullif(${check ?? ''}::text::jsonb, 'null')`
    const page = { updated_since: null, row_limit: 1, row_offset: 0 }
    const [{ luecken_nach_stufe = [], ...row } = {}] = await rowsOf(sql, 'listKontakte', page)
    const levels = luecken_nach_stufe.map(({ stufe, anzahl }) => `${stufe}:${anzahl}`).join(' ')
    Object.assign(shown, row, { levels })
  })
  return shown
}

const zero = '1:0 2:0 3:0'
const documents: [what: string, bewertung: unknown, levels: string][] = [
  ['no evaluation', undefined, ''],
  ['an evaluation that is a list', [{ luecken_nach_stufe: [] }], ''],
  ['an evaluation without levels', {}, zero],
]

const lists: [what: string, luecken_nach_stufe: unknown, levels: string][] = [
  ['levels that are no list', { stufe: 1, themen: ['a'] }, zero],
  [
    'levels in any order, one of them twice',
    [3, 1, 1].map((stufe, at) => ({ stufe, themen: ['a', 'b', 'c'].slice(at) })),
    '1:3 2:0 3:3',
  ],
  ['a fourth level', [{ stufe: 4, themen: ['a'] }], `${zero} 4:1`],
  ['topics that are no list', [{ stufe: 1, themen: 'a' }, { stufe: 2 }], zero],
  ...['1', 1e12].map(
    stufe => [`the level ${stufe}`, [{ stufe, themen: ['a'] }], zero] as [string, unknown, string],
  ),
  ['counts instead of topics', [{ stufe: 2, anzahl: 3 }], '1:0 2:3 3:0'],
  ['a count beyond every integer', [{ stufe: 2, anzahl: 1e30 }], '1:0 2:1000 3:0'],
  ['counts that are none', [-1, '3', null].map(anzahl => ({ stufe: 1, anzahl })), zero],
  [
    'odd entries among good ones',
    [{ themen: ['a'] }, null, 1, [[{ stufe: 1 }]], { stufe: 2, themen: ['b'] }],
    '1:0 2:1 3:0',
  ],
]

test.each([
  ...documents,
  ...lists.map(([what, list, levels]): (typeof documents)[number] => [
    what,
    { luecken_nach_stufe: list },
    levels,
  ]),
])('%s: counted', async (_, bewertung, levels) => {
  expect(await listed({ bewertung })).toMatchObject({ levels })
})

test.each([
  [null, {}, { params_version: null, vertraege_anzahl: 0, levels: '' }],
  [
    { bewertung: { params_version: '2026-01' } },
    { vertraege: [{}, null] },
    { params_version: '2026-01', vertraege_anzahl: 2 },
  ],
  [
    { bewertung: { params_version: 7 } },
    { vertraege: { a: 1 } },
    { params_version: '7', vertraege_anzahl: 0 },
  ],
])('of %j and %j the list shows %j', async (din_check, document, shown) => {
  expect(await listed(din_check, document)).toMatchObject(shown)
})
