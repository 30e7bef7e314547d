// What becomes of two records' contracts, DIN checks, recommendations and origins when their contacts are merged.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import type { Columns } from '../support/database/factory.ts'
import { from, old, recent, united as unite } from '../support/people/merged_households.ts'

const database = useDatabase()
const united = (mine: Columns, theirs: Columns) => unite(database.sql, mine, theirs)

type Case = [what: string, mine: unknown, theirs: unknown, result: unknown]

const hausrat = {
  sparte: 'hausrat',
  versicherer: 'Muster Versicherung AG',
  vertragsnummer: 'HA-123 456',
}

const contracts: Case[] = [
  ['the same contract is one', [hausrat], [hausrat], [hausrat]],
  [
    'case and punctuation make no difference',
    [hausrat],
    [{ sparte: 'Hausrat', versicherer: 'MUSTER Versicherung, AG', vertragsnummer: 'ha 123456' }],
    [hausrat],
  ],
  [
    'its gaps are filled',
    [{ ...hausrat, status: null }],
    [{ ...hausrat, status: 'aktiv', beginn: '2020' }],
    [{ ...hausrat, status: 'aktiv', beginn: '2020' }],
  ],
  [
    'another branch is another contract',
    [hausrat],
    [{ ...hausrat, sparte: 'unfall' }],
    [hausrat, { ...hausrat, sparte: 'unfall' }],
  ],
  [
    'another insurer is another contract',
    [hausrat],
    [{ ...hausrat, versicherer: 'Beispiel AG' }],
    [hausrat, { ...hausrat, versicherer: 'Beispiel AG' }],
  ],
  [
    'another number is another contract',
    [hausrat],
    [{ ...hausrat, vertragsnummer: '1' }],
    [hausrat, { ...hausrat, vertragsnummer: '1' }],
  ],
  [
    'a contract with a number is not one without',
    [hausrat],
    [{ ...hausrat, vertragsnummer: null }],
    [hausrat, { ...hausrat, vertragsnummer: null }],
  ],
  [
    'without numbers, branch and insurer are enough',
    [{ sparte: 'kfz', versicherer: 'M', status: 'aktiv' }],
    [{ sparte: 'kfz', versicherer: 'M', beginn: '2020' }],
    [{ sparte: 'kfz', versicherer: 'M', status: 'aktiv', beginn: '2020' }],
  ],
  [
    'two cars at one insurer stay two',
    [
      { sparte: 'kfz', versicherer: 'M', a: 1 },
      { sparte: 'kfz', versicherer: 'M', a: 2 },
    ],
    [
      { sparte: 'kfz', versicherer: 'M', b: 1 },
      { sparte: 'kfz', versicherer: 'M', b: 2 },
      { sparte: 'kfz', versicherer: 'M', b: 3 },
    ],
    [
      { sparte: 'kfz', versicherer: 'M', a: 1, b: 1 },
      { sparte: 'kfz', versicherer: 'M', a: 2, b: 2 },
      { sparte: 'kfz', versicherer: 'M', b: 3 },
    ],
  ],
  [
    'with a branch alone only equal contracts are the same',
    [{ sparte: 'kfz' }],
    [{ sparte: 'kfz' }, { sparte: 'kfz', a: 1 }],
    [{ sparte: 'kfz' }, { sparte: 'kfz', a: 1 }],
  ],
  ['what is no contract is kept', [null, 'x'], [7, 'x', {}], [null, 'x', 7, {}]],
  [
    'new ones come behind mine, in their order',
    [hausrat],
    [{ a: 1 }, hausrat, { a: 2 }],
    [hausrat, { a: 1 }, { a: 2 }],
  ],
  ['an empty list takes theirs', [], [hausrat], [hausrat]],
  ['no list takes theirs', undefined, [hausrat], [hausrat]],
  ['what is no list gives way like any field', null, [hausrat], [hausrat]],
  ['what is no list stays like any field', { a: 1 }, [hausrat], { a: 1 }],
]

test.each(contracts)('of contracts, %s', async (_, mine, theirs, result) => {
  const row = await united({ haushalt: { vertraege: mine } }, { haushalt: { vertraege: theirs } })
  expect((row.haushalt as Columns).vertraege).toEqual(result)
  expect(row.vertraege_anzahl).toBe(Array.isArray(result) ? result.length : 0)
})

test('of the same contract the newer members win, and pointers at contracts follow them', async () => {
  const check = {
    erstellt_am: recent,
    bewertung: {
      zeilen: [
        { istwert: { quellen: ['vertraege[0]', 'vertraege[1].status', { pfad: 'vertraege[2]' }] } },
      ],
    },
  }
  const row = await united(
    {
      haushalt: { vertraege: [{ sparte: 'unfall' }, { ...hausrat, status: 'aktiv', a: 1 }] },
      provenance: from('mine', { 'vertraege[0]': old, 'vertraege[1]': old }),
    },
    {
      haushalt: { vertraege: [{ ...hausrat, status: 'gekuendigt' }, { sparte: 'kfz' }] },
      provenance: from('theirs', {
        'vertraege[0]': recent,
        'vertraege[1]': recent,
        'vertraege[1].sparte': recent,
      }),
      din_check: check,
      empfehlungen_aktuell: { fuer: 'vertraege[1]' },
    },
  )
  expect(row.haushalt).toEqual({
    vertraege: [
      { sparte: 'unfall' },
      { ...hausrat, status: 'gekuendigt', a: 1 },
      { sparte: 'kfz' },
    ],
  })
  expect(row.provenance).toEqual({
    ...from('mine', { 'vertraege[0]': old }),
    ...from('theirs', {
      'vertraege[1]': recent,
      'vertraege[2]': recent,
      'vertraege[2].sparte': recent,
    }),
  })
  // What points at no contract there is stays as it is.
  expect(row.din_check).toEqual({
    erstellt_am: recent,
    bewertung: {
      zeilen: [
        { istwert: { quellen: ['vertraege[1]', 'vertraege[2].status', { pfad: 'vertraege[2]' }] } },
      ],
    },
  })
  expect(row.empfehlungen_aktuell).toEqual({ fuer: 'vertraege[2]' })
})

const checked = (side: string, erstellt_am?: string) => ({
  side,
  ...(erstellt_am && { erstellt_am }),
})

test.each([
  ['the newer', checked('mine', old), checked('theirs', recent), 'theirs'],
  ['mine if it is the newer', checked('mine', recent), checked('theirs', old), 'mine'],
  ['mine of two at one moment', checked('mine', old), checked('theirs', old), 'mine'],
  ['the one with a moment', checked('mine'), checked('theirs', old), 'theirs'],
  ['mine of two without', checked('mine'), checked('theirs'), 'mine'],
  ['the only one', null, checked('theirs'), 'theirs'],
  ['my only one', checked('mine'), null, 'mine'],
])('of two DIN checks %s stands, with its recommendations', async (_, mine, theirs, side) => {
  const row = await united(
    { din_check: mine, empfehlungen_aktuell: checked('mine') },
    { din_check: theirs, empfehlungen_aktuell: checked('theirs') },
  )
  expect([(row.din_check as Columns).side, (row.empfehlungen_aktuell as Columns).side]).toEqual([
    side,
    side,
  ])
})

test('recommendations are filled in where the check that stands has none', async () => {
  const theirs = await united(
    { din_check: checked('mine', recent) },
    { din_check: checked('theirs', old), empfehlungen_aktuell: checked('theirs') },
  )
  expect(theirs.empfehlungen_aktuell).toEqual(checked('theirs'))
  const mine = await united(
    { din_check: checked('mine', old), empfehlungen_aktuell: checked('mine') },
    { din_check: checked('theirs', recent) },
  )
  expect(mine.empfehlungen_aktuell).toEqual(checked('mine'))
})

test.each([
  ['chat', old, 'call', recent, 'call'],
  ['chat', recent, 'call', old, 'chat'],
  ['chat', old, 'call', old, 'chat'],
  ['chat', old, null, recent, 'chat'],
  [null, recent, 'call', old, 'call'],
  [null, old, null, recent, null],
])(
  'quelle %p of %s and %p of %s is %p',
  async (mine, mineUpdated, theirs, theirsUpdated, quelle) => {
    const row = await united(
      { quelle: mine, updated_at: mineUpdated },
      { quelle: theirs, updated_at: theirsUpdated },
    )
    expect(row.quelle).toBe(quelle)
  },
)

const nested = (levels: number, leaf: Columns): unknown =>
  JSON.parse('{"a":'.repeat(levels) + JSON.stringify(leaf) + '}'.repeat(levels))

test('a profile of any depth is united: deeper than 64 levels it is one field', async () => {
  const shallow = await united(
    { haushalt: nested(60, { x: 1 }) },
    { haushalt: nested(60, { y: 2 }) },
  )
  expect(shallow.haushalt).toEqual(nested(60, { x: 1, y: 2 }))
  const deep = await united(
    { haushalt: nested(1_000, { x: 1 }) },
    { haushalt: nested(1_000, { y: 2 }) },
  )
  expect(deep.haushalt).toEqual(nested(1_000, { x: 1 }))
})
