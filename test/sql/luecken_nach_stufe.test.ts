// luecken_nach_stufe(), vertraege_anzahl() and params_version: what is derived from a document of any shape.
import { expect, test } from 'bun:test'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { haushalt } from '../support/database/factory.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()

/** The counts by level, from a household stored with this check and shown by the list. */
async function countsOf(din_check: unknown) {
  let counts: [number, number][] = []
  await rolledBack(database.sql, async sql => {
    await haushalt(sql, { din_check })
    const [row] = await rowsOf(sql, 'listKontakte', {
      updated_since: null,
      row_limit: 1,
      row_offset: 0,
    })
    counts = (row?.luecken_nach_stufe ?? []).map(({ stufe, anzahl }) => [stufe, anzahl])
  })
  return counts
}

const check = (luecken_nach_stufe: unknown) => ({ bewertung: { luecken_nach_stufe } })

const zero: [number, number][] = [
  [1, 0],
  [2, 0],
  [3, 0],
]

const documents: [what: string, din_check: unknown, counts: [number, number][]][] = [
  ['no check', null, []],
  ['a check without an evaluation', {}, []],
  ['an evaluation that is null', { bewertung: null }, []],
  ['an evaluation that is a list', { bewertung: [{ luecken_nach_stufe: [] }] }, []],
  ['an evaluation without levels', { bewertung: {} }, zero],
  ['levels that are no list', check({ stufe: 1, themen: ['a'] }), zero],
  ['levels that are null', check(null), zero],
  ['an empty list of levels', check([]), zero],
  [
    'every level',
    check([
      { stufe: 3, themen: ['a'] },
      { stufe: 1, themen: ['b', 'c'] },
      { stufe: 2, themen: [] },
    ]),
    [
      [1, 2],
      [2, 0],
      [3, 1],
    ],
  ],
  [
    'a level that comes twice',
    check([
      { stufe: 1, themen: ['a'] },
      { stufe: 1, themen: ['b'] },
    ]),
    [
      [1, 2],
      [2, 0],
      [3, 0],
    ],
  ],
  ['a fourth level', check([{ stufe: 4, themen: ['a'] }]), [...zero, [4, 1]]],
  ['topics that are no list', check([{ stufe: 1, themen: 'a' }, { stufe: 2 }]), zero],
  ['a level that is text', check([{ stufe: '1', themen: ['a'] }]), zero],
  ['a level that is null', check([{ stufe: null, themen: ['a'] }]), zero],
  ['a level below one', check([{ stufe: 0, themen: ['a'] }]), zero],
  ['a level beyond every integer', check([{ stufe: 1e12, themen: ['a'] }]), zero],
  [
    'counts instead of topics',
    check([{ stufe: 2, anzahl: 3 }]),
    [
      [1, 0],
      [2, 3],
      [3, 0],
    ],
  ],
  [
    'topics next to a count',
    check([{ stufe: 2, themen: ['a'], anzahl: 3 }]),
    [
      [1, 0],
      [2, 1],
      [3, 0],
    ],
  ],
  ['a count below zero', check([{ stufe: 2, anzahl: -1 }]), zero],
  [
    'a count beyond every integer',
    check([{ stufe: 2, anzahl: 1e30 }]),
    [
      [1, 0],
      [2, 1000],
      [3, 0],
    ],
  ],
  [
    'counts that are no numbers',
    check([
      { stufe: 1, anzahl: '3' },
      { stufe: 2, anzahl: null },
    ]),
    zero,
  ],
  ['entries that are no objects', check([1, 'a', null, [], [[{ stufe: 1 }]]]), zero],
  [
    'odd entries among good ones',
    check([{ themen: ['a'] }, null, { stufe: 2, themen: ['b'] }]),
    [
      [1, 0],
      [2, 1],
      [3, 0],
    ],
  ],
]

test.each(documents)('%s is stored and counted', async (_, din_check, counts) => {
  expect(await countsOf(din_check)).toEqual(counts)
})

const contracts: [what: string, haushalt: unknown, count: number][] = [
  ['no contracts', {}, 0],
  ['an empty list', { vertraege: [] }, 0],
  ['two contracts', { vertraege: [{}, null] }, 2],
  ['contracts that are no list', { vertraege: { a: 1 } }, 0],
  ['contracts that are null', { vertraege: null }, 0],
]

test.each(contracts)('of %s there are as many as the list has', (_, document, count) =>
  rolledBack(database.sql, async sql => {
    expect(await haushalt(sql, { haushalt: document })).toMatchObject({ vertraege_anzahl: count })
  }),
)

const versions: [version: unknown, shown: string | null][] = [
  ['2026-01', '2026-01'],
  [7, '7'],
  [null, null],
  [undefined, null],
]

test.each(versions)('the parameter version %p is shown as %p', (params_version, shown) =>
  rolledBack(database.sql, async sql => {
    await haushalt(sql, { din_check: { bewertung: { params_version } } })
    const [row] = await rowsOf(sql, 'listKontakte', {
      updated_since: null,
      row_limit: 1,
      row_offset: 0,
    })
    expect(row?.params_version).toBe(shown)
  }),
)

test('the counts follow the document', () =>
  rolledBack(database.sql, async sql => {
    const { kontakt_key } = await haushalt(sql)
    const din_check = JSON.stringify(check([{ stufe: 1, themen: ['a'] }]))
    await sql`update haushalte set din_check = ${din_check}::jsonb where kontakt_key = ${kontakt_key as string}`
    const [row] = await rowsOf(sql, 'listKontakte', {
      updated_since: null,
      row_limit: 1,
      row_offset: 0,
    })
    expect(row?.luecken_nach_stufe[0]).toEqual({ stufe: 1, anzahl: 1 })
  }))
