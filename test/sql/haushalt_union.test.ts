// Which field of two household records wins when their contacts are merged, and what provenance says about it.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import type { Columns } from '../support/database/factory.ts'
import { from, old, recent, united as unite } from '../support/people/merged_households.ts'

const database = useDatabase()
const united = (mine: Columns, theirs: Columns) => unite(database.sql, mine, theirs)

type Case = [what: string, mine: unknown, theirs: unknown, result: unknown]

const withoutProvenance: Case[] = [
  ['what is only mine stays', { kunde: { name: 'E' } }, {}, { kunde: { name: 'E' } }],
  ['what is only theirs is filled in', {}, { kunde: { name: 'E' } }, { kunde: { name: 'E' } }],
  ['mine wins', { kunde: { name: 'E' } }, { kunde: { name: 'M' } }, { kunde: { name: 'E' } }],
  [
    'null is filled in',
    { kunde: { name: null } },
    { kunde: { name: 'M' } },
    { kunde: { name: 'M' } },
  ],
  [
    'null does not overwrite',
    { kunde: { name: 'E' } },
    { kunde: { name: null } },
    { kunde: { name: 'E' } },
  ],
  ['null stays where both know nothing', { a: null }, { a: null, b: null }, { a: null, b: null }],
  [
    'false, zero and an empty text are known',
    { a: false, b: 0, c: '' },
    { a: true, b: 1, c: 'x' },
    { a: false, b: 0, c: '' },
  ],
  [
    'an empty list gives way to a filled one',
    { tiere: [] },
    { tiere: ['Hund'] },
    { tiere: ['Hund'] },
  ],
  ['lists are taken whole', { tiere: ['Hund'] }, { tiere: ['Katze'] }, { tiere: ['Hund'] }],
  ['an empty object gives way to a filled one', { a: {} }, { a: { b: 1 } }, { a: { b: 1 } }],
  ['of two shapes mine wins', { a: [1] }, { a: { b: 1 } }, { a: [1] }],
  ['two empty profiles are one', {}, {}, {}],
  [
    'objects are united at every depth',
    { a: { b: { c: 1, d: { e: 2 } } } },
    { a: { b: { c: 9, d: { f: 3 } }, g: 4 } },
    { a: { b: { c: 1, d: { e: 2, f: 3 } }, g: 4 } },
  ],
]

test.each(withoutProvenance)('without provenance %s', async (_, mine, theirs, result) => {
  expect((await united({ haushalt: mine }, { haushalt: theirs })).haushalt).toEqual(result)
})

type Moments = Record<string, string | null>
type DatedCase = [what: string, mine: unknown, Moments, theirs: unknown, Moments, result: unknown]

const name = (value: string | null) => ({ kunde: { name: value } })
const adresse = (value: Columns) => ({ kunde: { adresse: value } })

const withProvenance: DatedCase[] = [
  [
    'the newer wins',
    name('E'),
    { 'kunde.name': old },
    name('M'),
    { 'kunde.name': recent },
    name('M'),
  ],
  [
    'the older loses',
    name('E'),
    { 'kunde.name': recent },
    name('M'),
    { 'kunde.name': old },
    name('E'),
  ],
  [
    'of equal moments mine wins',
    name('E'),
    { 'kunde.name': old },
    name('M'),
    { 'kunde.name': old },
    name('E'),
  ],
  [
    'moments are compared as moments, not as text',
    name('E'),
    { 'kunde.name': '2026-01-01T01:00:00+02:00' },
    name('M'),
    { 'kunde.name': '2026-01-01T00:00:00Z' },
    name('M'),
  ],
  [
    'a date is its first moment',
    name('E'),
    { 'kunde.name': '2026-01-01' },
    name('M'),
    { 'kunde.name': '2026-01-01T00:00:01Z' },
    name('M'),
  ],
  ['a moment beats none', name('E'), {}, name('M'), { 'kunde.name': old }, name('M')],
  [
    'an entry without a moment is none',
    name('E'),
    { 'kunde.name': null },
    name('M'),
    { 'kunde.name': old },
    name('M'),
  ],
  [
    'what is no moment is none',
    name('E'),
    { 'kunde.name': 'gestern' },
    name('M'),
    { 'kunde.name': old },
    name('M'),
  ],
  [
    'what no calendar has is none',
    name('E'),
    { 'kunde.name': '2026-02-30' },
    name('M'),
    { 'kunde.name': old },
    name('M'),
  ],
  [
    'infinity is none',
    name('E'),
    { 'kunde.name': 'infinity' },
    name('M'),
    { 'kunde.name': old },
    name('M'),
  ],
  [
    'a newer null does not erase',
    name('E'),
    { 'kunde.name': old },
    name(null),
    { 'kunde.name': recent },
    name('E'),
  ],
  [
    'an entry speaks for what it contains',
    name('E'),
    { kunde: old },
    name('M'),
    { 'kunde.name': recent },
    name('M'),
  ],
  [
    'the nearest entry speaks',
    name('E'),
    { kunde: recent, 'kunde.name': old },
    name('M'),
    { 'kunde.name': '2025-06-01' },
    name('M'),
  ],
  [
    'a named object is one field: no address of two halves',
    adresse({ strasse: 'Alt 1', ort: 'Leipzig' }),
    { 'kunde.adresse': old },
    adresse({ ort: 'Bremen' }),
    { 'kunde.adresse': recent },
    adresse({ ort: 'Bremen' }),
  ],
  [
    'an object with an entry inside is united member by member',
    adresse({ strasse: 'Alt 1', ort: 'Leipzig' }),
    { 'kunde.adresse': old },
    adresse({ ort: 'Bremen' }),
    { 'kunde.adresse': recent, 'kunde.adresse.ort': recent },
    adresse({ strasse: 'Alt 1', ort: 'Bremen' }),
  ],
  [
    'a list is as new as its newest entry',
    { personen: [{ alter: 1 }] },
    { personen: '2025-06-01' },
    { personen: [{ alter: 2 }] },
    { personen: old, 'personen[0].alter': recent },
    { personen: [{ alter: 2 }] },
  ],
  [
    'a newer empty list empties',
    { tiere: ['Hund'] },
    { tiere: old },
    { tiere: [] },
    { tiere: recent },
    { tiere: [] },
  ],
  [
    'a name that begins alike is another field',
    { a: { b: 1, bc: 1 } },
    { 'a.b': old },
    { a: { b: 2, bc: 2 } },
    { 'a.b': recent },
    { a: { b: 2, bc: 1 } },
  ],
]

test.each(withProvenance)(
  'with provenance %s',
  async (_, mine, mineMoments, theirs, theirsMoments, result) => {
    const row = await united(
      { haushalt: mine, provenance: from('mine', mineMoments) },
      { haushalt: theirs, provenance: from('theirs', theirsMoments) },
    )
    expect(row.haushalt).toEqual(result)
  },
)

test('a provenance entry goes with the value it describes', async () => {
  const row = await united(
    {
      haushalt: { a: 1, b: 1, c: null, d: 1, list: [{ x: 1 }] },
      provenance: {
        ...from('mine', { a: recent, b: old, c: old, 'list[0].x': old, nirgends: old }),
        frei: 7,
      },
    },
    {
      haushalt: { a: 2, b: 2, c: 2, d: 2, e: 2, list: [{ x: 2 }] },
      provenance: from('theirs', {
        a: old,
        b: recent,
        e: null,
        'list[0]': recent,
        sonst: old,
        nirgends: recent,
      }),
    },
  )
  expect(row.haushalt).toEqual({ a: 1, b: 2, c: 2, d: 1, e: 2, list: [{ x: 2 }] })
  expect(row.provenance).toEqual({
    ...from('mine', { a: recent, nirgends: old }),
    ...from('theirs', { b: recent, e: null, 'list[0]': recent, sonst: old }),
    frei: 7,
  })
})

test('without any provenance there is none afterwards', async () => {
  expect((await united({ haushalt: { a: 1 } }, { haushalt: { a: 2 } })).provenance).toBeNull()
})
