// Which household record a contact has after a merge, and what subscribers hear of it.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { moment } from '../support/database/factory.ts'
import { rolledBack } from '../support/database/rolled_back.ts'
import { rowsOf } from '../support/database/rows.ts'
import { events, merge } from '../support/people/merges.ts'

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
      haushalt: { kunde: { alter: 34 }, vertraege: [{ sparte: 'kfz' }] },
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
      [b, { kunde: { name: 'Erika', alter: 34 }, ziele: [], vertraege: [{ sparte: 'kfz' }] }, true],
    ])
    expect(
      (await events(sql)).map(([type, key, data]) => [type, key, data.geaenderte_abschnitte]),
    ).toEqual([
      ['kontakt.merged', b, undefined],
      ['haushalt.updated', b, ['kunde', 'vertraege']],
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

test.each([
  ['theirs', '2026-01-01', '2026-02-01', ['kontakt.merged', 'din.check_completed']],
  ['mine', '2026-02-01', '2026-01-01', ['kontakt.merged']],
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
    await factory.haushalt(sql, { kontakt_key: a, haushalt: { vertraege: [{ sparte: 'kfz' }] } })
    await factory.haushalt(sql, {
      kontakt_key: b,
      haushalt: { vertraege: [{ sparte: 'hausrat' }] },
    })
    await factory.haushalt(sql, { kontakt_key: c, haushalt: { vertraege: [{ sparte: 'unfall' }] } })
    await merge(sql, c, b)
    const rows = await sql`select kontakt_key, vertraege_anzahl from haushalte`
    expect(rows.map(row => ({ ...row }))).toEqual([{ kontakt_key: b, vertraege_anzahl: 3 }])
  }),
)
