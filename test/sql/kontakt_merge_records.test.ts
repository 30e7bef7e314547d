// Which household record a contact has after a merge, and what subscribers hear of it.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { moment } from '../support/database/factory.ts'
import { events, merge } from './identities.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const inside = (work: (sql: Sql) => Promise<void>) => () => rolledBack(database.sql, work)

const [a, b, c] = ['a', 'b', 'c'].map(name => `email:${name}@example.org`) as [
  string,
  string,
  string,
]

const found = async (sql: Sql, kontakt_key: string) =>
  (await rowsOf(sql, 'getHaushalt', { kontakt_key }))[0]

test(
  'merged into a key without a record, a contact takes its record along, and subscribers hear both',
  inside(async sql => {
    await factory.haushalt(sql, {
      kontakt_key: a,
      haushalt: { kunde: { name: 'Erika' }, vertraege: [{}] },
      provenance: { 'kunde.name': { quelle: 'chat' } },
      empfehlungen_aktuell: { stand: moment },
      quelle: 'chat',
    })
    await sql`delete from events`
    await merge(sql, a, b)
    const record = {
      kontakt_key: b,
      canonical_key: b,
      aliases: [a],
      haushalt: { kunde: { name: 'Erika' } },
    }
    for (const key of [a, b]) expect(await found(sql, key)).toMatchObject(record)
    expect(await found(sql, b)).toMatchObject({
      provenance: { 'kunde.name': { quelle: 'chat' } },
      empfehlungen_aktuell: { stand: moment },
    })
    expect(
      await rowsOf(sql, 'listKontakte', { updated_since: null, row_limit: 9, row_offset: 0 }),
    ).toMatchObject([{ kontakt_key: b }])
    expect(await events(sql)).toEqual([
      ['kontakt.merged', b, { canonical_key: b, alias_key: a }],
      [
        'haushalt.updated',
        b,
        {
          kontakt_key: b,
          quelle: 'chat',
          geaenderte_abschnitte: ['kunde', 'vertraege'],
          vertraege_anzahl: 1,
          luecken_anzahl: 0,
        },
      ],
    ])
  }),
)

test(
  'two records become the survivor’s: the other goes, updated_at moves, the change is emitted once',
  inside(async sql => {
    await factory.haushalt(sql, {
      kontakt_key: a,
      haushalt: { vertraege: [{ sparte: 'kfz' }] },
    })
    await factory.haushalt(sql, {
      kontakt_key: b,
      haushalt: { kunde: { name: 'Erika' }, ziele: [] },
    })
    await sql`delete from events`
    await merge(sql, a, b)
    const rows =
      await sql`select kontakt_key, haushalt::text, updated_at = now() as moved from haushalte`
    expect(rows.map(row => [row.kontakt_key, JSON.parse(row.haushalt), row.moved])).toEqual([
      [b, { kunde: { name: 'Erika' }, ziele: [], vertraege: [{ sparte: 'kfz' }] }, true],
    ])
    expect(
      (await events(sql)).map(([type, key, data]) => [type, key, data.geaenderte_abschnitte]),
    ).toEqual([
      ['kontakt.merged', b, undefined],
      ['haushalt.updated', b, ['vertraege']],
    ])
  }),
)

test(
  'where the survivor alone has a record, its updated_at moves and nothing else is emitted',
  inside(async sql => {
    await factory.haushalt(sql, { kontakt_key: b })
    await sql`delete from events`
    await merge(sql, a, b)
    expect((await events(sql)).map(([type]) => type)).toEqual(['kontakt.merged'])
    const [row] = await sql`select updated_at = now() as moved from haushalte`
    expect(row?.moved).toBe(true)
  }),
)

const older = '2026-01-01T00:00:00+00:00'
const newer = '2026-02-01T00:00:00+00:00'
type Record = {
  haushalt?: object
  provenance?: object
  din_check?: object
  empfehlungen_aktuell?: object
  quelle?: string
}
const checked = (erstellt_am: string, stufe: number) => ({
  din_check: { erstellt_am, stufe },
  empfehlungen_aktuell: { stufe },
})

/** What the contact has after a merge; whichever of the two survives, it is the same. */
const united: [what: string, older: Record, newer: Record, united: Record][] = [
  [
    'a section of the newer record wins as a whole',
    { haushalt: { kunde: { name: 'Erika', alter: 34 } } },
    { haushalt: { kunde: { name: 'Erika M.' } } },
    { haushalt: { kunde: { name: 'Erika M.' } } },
  ],
  [
    'a section that only the older record has is kept, also beside null',
    { haushalt: { ziele: [1], vertraege: [{ sparte: 'kfz' }], kunde: null } },
    { haushalt: { vertraege: [], ziele: null, haushalt: null } },
    { haushalt: { ziele: [1], vertraege: [], kunde: null, haushalt: null } },
  ],
  [
    'provenance goes with the sections',
    {
      haushalt: { kunde: { alter: 34 }, ziele: [1] },
      provenance: { 'kunde.alter': 'old', 'ziele[0]': 'old', fremd: 'old' },
    },
    { haushalt: { kunde: { name: 'E' } }, provenance: { 'kunde.name': 'new' } },
    {
      haushalt: { kunde: { name: 'E' }, ziele: [1] },
      provenance: { 'kunde.name': 'new', 'ziele[0]': 'old', fremd: 'old' },
    },
  ],
  [
    'the newer check stays with its recommendations, be it that of the older record',
    { haushalt: { a: 1 }, ...checked('2026-03-01T00:00:00Z', 1), quelle: 'call' },
    { haushalt: { a: 2 }, ...checked('2026-02-28T23:00:00Z', 2), quelle: 'chat' },
    { haushalt: { a: 2 }, ...checked('2026-03-01T00:00:00Z', 1), quelle: 'chat' },
  ],
  [
    'of checks of one moment, or without one, that of the newer record',
    checked('gestern', 1),
    checked('heute', 2),
    checked('heute', 2),
  ],
  [
    'a check alone stays, and recommendations without a check too',
    { ...checked('2026-01-01T00:00:00Z', 1), quelle: 'call' },
    { empfehlungen_aktuell: { stufe: 9 } },
    { ...checked('2026-01-01T00:00:00Z', 1), quelle: 'call' },
  ],
]

test.each(united)('%s', async (_, first, second, expected) => {
  const keys = [a, b] as const
  const nothing = {
    haushalt: {},
    provenance: null,
    din_check: null,
    empfehlungen_aktuell: null,
    quelle: null,
  }
  for (const [from, to] of [keys, keys.toReversed()] as [string, string][])
    await rolledBack(database.sql, async sql => {
      await factory.haushalt(sql, { kontakt_key: a, ...nothing, ...first, updated_at: older })
      await factory.haushalt(sql, { kontakt_key: b, ...nothing, ...second, updated_at: newer })
      await merge(sql, from, to)
      const rows = await sql`
        select kontakt_key, updated_at = now() as moved, haushalt::text, provenance::text, din_check::text,
          empfehlungen_aktuell::text, to_json(quelle)::text as quelle from haushalte`
      const [{ kontakt_key, moved, ...record } = {}] = rows.map(row => ({ ...row }))
      expect([rows.length, kontakt_key, moved]).toEqual([1, to, true])
      const given = Object.entries(record).map(([name, text]) => [name, JSON.parse(text ?? 'null')])
      expect(Object.fromEntries(given)).toEqual({ ...nothing, ...expected })
    })
})

test('of two records of one moment the survivor’s counts as the newer one', () =>
  rolledBack(database.sql, async sql => {
    await factory.haushalt(sql, { kontakt_key: a, haushalt: { x: 'a' } })
    await factory.haushalt(sql, { kontakt_key: b, haushalt: { x: 'b' } })
    await merge(sql, a, b)
    expect(await found(sql, b)).toMatchObject({ haushalt: { x: 'b' } })
  }))

test.each([
  [
    'theirs',
    '2026-01-01T00:00:00Z',
    '2026-02-01T00:00:00Z',
    ['kontakt.merged', 'din.check_completed'],
  ],
  ['mine', '2026-02-01T00:00:00Z', '2026-01-01T00:00:00Z', ['kontakt.merged']],
])('a check that becomes the survivor’s is emitted: %s is newer', (_, mine, theirs, types) =>
  rolledBack(database.sql, async sql => {
    await factory.haushalt(sql, { kontakt_key: b, din_check: { erstellt_am: mine } })
    await factory.haushalt(sql, { kontakt_key: a, din_check: { erstellt_am: theirs } })
    await sql`delete from events`
    await merge(sql, a, b)
    expect((await events(sql)).map(([type]) => type)).toEqual(types)
  }),
)

test(
  'a record that came to stand under an alias is united at the next merge',
  inside(async sql => {
    await merge(sql, a, b)
    await factory.haushalt(sql, { kontakt_key: a, haushalt: { x: 1 } })
    await factory.haushalt(sql, { kontakt_key: b, haushalt: { y: 2 } })
    await factory.haushalt(sql, { kontakt_key: c, haushalt: { z: 3 } })
    await merge(sql, c, b)
    const rows = await sql`select kontakt_key, haushalt::text from haushalte`
    expect(rows.map(row => ({ ...row }))).toEqual([
      { kontakt_key: b, haushalt: '{"x": 1, "y": 2, "z": 3}' },
    ])
  }),
)
