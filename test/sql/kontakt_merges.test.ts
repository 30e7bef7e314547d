// merge_kontakte(): who belongs together afterwards, which household record the contact has, what is emitted and what is
// left alone.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { aliases, events, merge } from './identities.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const inside = (work: (sql: Sql) => Promise<void>) => () => rolledBack(database.sql, work)

type Keys = [string, string, string, string]
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(name => `email:${name}@example.org`) as Keys
const phone = 'phone:+491713920001'

const spelled = {
  a,
  b,
  c,
  d,
  A: ' Mailto:A@Example.ORG',
  D: ' D@example.org ',
  p: '0171 / 392 00 01',
}
type Spelled = keyof typeof spelled
const keys = { ...spelled, A: a, D: d, p: phone }
const pairsOf = (text: string, names: typeof spelled) =>
  text
    .split(', ')
    .map(pair => [...pair].filter(one => one !== ' ').map(one => names[one as Spelled]))
// The merges in order; the aliases afterwards, and the two keys of the last event.
const merges: [merges: string, aliases: string, last: string][] = [
  ['a b', 'a b', 'a b'],
  ['p A', 'p a', 'p a'],
  ['a b, c d, a c', 'a d, b d, c d', 'b d'],
  ['a b, b c, c d', 'a d, b d, c d', 'c d'],
  ['a b, c a', 'a b, c b', 'c b'],
]

test.each(merges)('after %s the aliases are %s', (merged, left, event) =>
  rolledBack(database.sql, async sql => {
    const pairs = pairsOf(merged, spelled)
    for (const [one = '', other = ''] of pairs) expect(await merge(sql, one, other)).toBe(true)
    expect(await aliases(sql)).toEqual(pairsOf(left, keys).map(pair => pair.join(' > ')))
    const [[alias_key, canonical_key] = []] = pairsOf(event, keys)
    const last = ['kontakt.merged', canonical_key, { canonical_key, alias_key }]
    expect((await events(sql)).at(-1)).toEqual(last as never)
    const keyOf = async (identity: string) =>
      (await sql`select canonical_kontakt_key(${identity}) as key`)[0]?.key
    for (const [one = '', other = ''] of pairs) expect(await keyOf(one)).toBe(await keyOf(other))
  }),
)

test(
  'a merge with itself, again, or the other way round changes nothing and emits nothing',
  inside(async sql => {
    const state = async () =>
      JSON.stringify([
        await sql`select to_jsonb(haushalte)::text from haushalte order by kontakt_key`,
        await aliases(sql),
        await events(sql),
      ])
    for (const kontakt_key of [a, b]) await factory.haushalt(sql, { kontakt_key })
    await merge(sql, a, b)
    await merge(sql, c, b)
    const before = await state()
    for (const [one = '', other = ''] of pairsOf('a a, b b, d D, a b, b a, a c, c A', spelled))
      expect([one, other, await merge(sql, one, other)]).toEqual([one, other, false])
    expect(await state()).toBe(before)
  }),
)

const refusals: [statement: string, refused: RegExp][] = [
  ...[
    `'nobody', '${a}'`,
    `'${a}', '110'`,
    `'', '${a}'`,
    `'${a}', 'fax:+491713920001'`,
    `null, '${a}'`,
  ].map(
    pair =>
      [`select merge_kontakte(${pair})`, /^22023 merge_kontakte takes two identities/] as [
        string,
        RegExp,
      ],
  ),
  // A chain at its end and at its start, a cycle, one of its own, an alias of itself, a chain by an update.
  ...[
    `insert into kontakt_aliases values ('${b}', '${c}')`,
    `insert into kontakt_aliases values ('${c}', '${a}')`,
    `insert into kontakt_aliases values ('${b}', '${a}')`,
    `insert into kontakt_aliases values ('${c}', '${d}'), ('${d}', '${c}')`,
    `update kontakt_aliases set canonical_key = '${a}'`,
    `insert into kontakt_aliases values ('${c}', '${d}'); update kontakt_aliases set canonical_key = '${c}' where alias_key = '${a}'`,
  ].map(statement => [statement, /^(23000|23514) /] as [string, RegExp]),
]

test.each(refusals)('%s is refused', (statement, refused) =>
  rolledBack(database.sql, async sql => {
    await merge(sql, a, b)
    expect(await sql.unsafe(statement).catch(error => `${error.code} ${error.message}`)).toMatch(
      refused,
    )
  }),
)

test('merges and aliases are refused under a snapshot from before their lock', async () => {
  for (const statement of [
    `insert into kontakt_aliases values ('${a}', '${b}')`,
    `select merge_kontakte('${a}', '${b}')`,
  ])
    await expect(
      database.sql.begin('isolation level repeatable read', sql => sql.unsafe(statement)),
    ).rejects.toMatchObject({ code: '25000' })
})

const found = async (sql: Sql, kontakt_key: string) =>
  (await rowsOf(sql, 'getHaushalt', { kontakt_key }))[0]

test(
  'analyses and signals keep the key they were written with, and it leads to the contact',
  inside(async sql => {
    await factory.haushalt(sql, { kontakt_key: b })
    for (const insert of [factory.analysis, factory.signal]) await insert(sql, { kontakt_key: a })
    await merge(sql, a, b)
    const rows = await sql`
      select kontakt_key from lead_analyses
      union all select kontakt_key from signals where updated_at = ${factory.moment}`
    expect(rows.map(row => row.kontakt_key)).toEqual([a, a])
    expect(await found(sql, a)).toMatchObject({ canonical_key: b })
  }),
)

test(
  'merged into a key without a record, a contact takes its record along, and subscribers hear both',
  inside(async sql => {
    const record = {
      haushalt: { kunde: { name: 'Erika' }, vertraege: [{}] },
      provenance: { 'kunde.name': { quelle: 'chat' } },
      empfehlungen_aktuell: { stand: factory.moment },
    }
    await factory.haushalt(sql, { kontakt_key: a, quelle: 'chat', ...record })
    await sql`delete from events`
    await merge(sql, a, b)
    for (const key of [a, b])
      expect(await found(sql, key)).toMatchObject({ ...record, kontakt_key: b, aliases: [a] })
    const counts = { vertraege_anzahl: 1, luecken_anzahl: 0 }
    expect(await events(sql)).toEqual([
      ['kontakt.merged', b, { canonical_key: b, alias_key: a }],
      [
        'haushalt.updated',
        b,
        {
          kontakt_key: b,
          quelle: 'chat',
          geaenderte_abschnitte: ['kunde', 'vertraege'],
          ...counts,
        },
      ],
    ])
  }),
)

const checkOf = (day: string) => ({ din_check: { erstellt_am: `${day}T00:00:00Z` } })

// What is emitted in addition to the merge; mine is the survivor's record.
const emitted: [what: string, mine: object | null, theirs: object | null, types: string[]][] = [
  ['nothing, where it alone has a record', {}, null, []],
  ['a new section', { haushalt: { a: 1 } }, { haushalt: { b: 1 } }, ['haushalt.updated']],
  ['a newer check', checkOf('2026-01-01'), checkOf('2026-02-01'), ['din.check_completed']],
  ['no older check', checkOf('2026-02-01'), checkOf('2026-01-01'), []],
]

test.each(emitted)('of the survivor’s record is emitted: %s', (_, mine, theirs, types) =>
  rolledBack(database.sql, async sql => {
    if (mine) await factory.haushalt(sql, { kontakt_key: b, ...mine })
    if (theirs) await factory.haushalt(sql, { kontakt_key: a, ...theirs })
    await sql`delete from events`
    await merge(sql, a, b)
    expect((await events(sql)).map(([type]) => type)).toEqual(['kontakt.merged', ...types])
    const rows = await sql`select kontakt_key, updated_at = now() as moved from haushalte`
    expect(rows.map(row => ({ ...row }))).toEqual([{ kontakt_key: b, moved: true }])
  }),
)

const nothing = {
  ...{ haushalt: {}, provenance: null, din_check: null, empfehlungen_aktuell: null, quelle: null },
}
const checked = (erstellt_am: string, stufe: number) => ({
  din_check: { erstellt_am, stufe },
  empfehlungen_aktuell: { stufe },
})
const [march, february] = ['2026-03-01T00:00:00Z', '2026-02-28T23:00:00Z'] as const

/** What the contact has after a merge; whichever of the two survives, it is the same. */
const united: [what: string, older: object, newer: object, united: object][] = [
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
    { haushalt: { a: 1 }, ...checked(march, 1), quelle: 'call' },
    { haushalt: { a: 2 }, ...checked(february, 2), quelle: 'chat' },
    { haushalt: { a: 2 }, ...checked(march, 1), quelle: 'chat' },
  ],
  [
    'of checks of one moment, or without one, that of the newer record',
    ...([checked('gestern', 1), checked('heute', 2), checked('heute', 2)] as const),
  ],
  [
    'a check alone stays, and recommendations without a check too',
    { ...checked(march, 1), quelle: 'call' },
    { empfehlungen_aktuell: { stufe: 9 } },
    { ...checked(march, 1), quelle: 'call' },
  ],
]

test.each(united)('%s', async (_, older, newer, expected) => {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const)
    await rolledBack(database.sql, async sql => {
      const record = (kontakt_key: string, month: number, columns: object) =>
        factory.haushalt(sql, {
          kontakt_key,
          ...nothing,
          ...columns,
          updated_at: `2026-0${month}-01`,
        })
      await record(a, 1, older)
      await record(b, 2, newer)
      await merge(sql, from, to)
      const rows = await sql`select to_jsonb(haushalte)::text as row from haushalte`
      expect(rows.map(({ row }) => JSON.parse(row))).toMatchObject([
        { ...nothing, ...expected, kontakt_key: to },
      ])
    })
})

test(
  'of two records of one moment the survivor’s counts as the newer one, and one under an alias is united later',
  inside(async sql => {
    const record = (kontakt_key: string, haushalt: object) =>
      factory.haushalt(sql, { kontakt_key, haushalt })
    await record(a, { x: 'a' })
    await record(b, { x: 'b' })
    await merge(sql, a, b)
    await record(a, { y: 1 })
    await record(c, { z: 1 })
    await merge(sql, c, b)
    expect(await found(sql, b)).toMatchObject({ haushalt: { x: 'b', y: 1, z: 1 } })
    expect(await sql`select from haushalte`).toHaveLength(1)
  }),
)
