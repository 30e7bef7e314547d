// merge_kontakte(): who belongs together afterwards, what it emits, and what it leaves alone.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { moment } from '../support/database/factory.ts'
import { aliases, events, merge } from './identities.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const inside = (work: (sql: Sql) => Promise<void>) => () => rolledBack(database.sql, work)

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(name => `email:${name}@example.org`) as [
  string,
  string,
  string,
  string,
]

const found = async (sql: Sql, kontakt_key: string) =>
  (await rowsOf(sql, 'getHaushalt', { kontakt_key }))[0]

/** Everything a merge may touch. */
const state = async (sql: Sql) =>
  JSON.stringify([
    await sql`select to_jsonb(haushalte)::text from haushalte order by kontakt_key`,
    await sql`select to_jsonb(kontakt_aliases)::text from kontakt_aliases order by alias_key`,
    await sql`select event_type, object_id, data::text from events order by log_id`,
  ])

test(
  'a merge of two keys makes one an alias and emits the two',
  inside(async sql => {
    expect(await merge(sql, a, b)).toBe(true)
    expect(await aliases(sql)).toEqual([`${a} > ${b}`])
    expect(await events(sql)).toEqual([['kontakt.merged', b, { canonical_key: b, alias_key: a }]])
  }),
)

test(
  'any spelling of an identity will do',
  inside(async sql => {
    expect(await merge(sql, '0171 / 392 00 01', ' Mailto:A@Example.ORG')).toBe(true)
    expect(await aliases(sql)).toEqual([`phone:+491713920001 > ${a}`])
  }),
)

test(
  'a merge with itself, again, or the other way round changes nothing and emits nothing',
  inside(async sql => {
    for (const kontakt_key of [a, b]) await factory.haushalt(sql, { kontakt_key })
    await merge(sql, a, b)
    await merge(sql, c, b)
    const before = await state(sql)
    for (const [one, other] of [
      [a, a],
      [b, b],
      [d, ' D@example.org '],
      [a, b],
      [b, a],
      [a, c],
      [c, a],
      ['A@EXAMPLE.ORG', b],
    ] as const)
      expect([one, other, await merge(sql, one, other)]).toEqual([one, other, false])
    expect(await state(sql)).toBe(before)
  }),
)

test(
  'an alias stands for its contact, on either side',
  inside(async sql => {
    await merge(sql, a, b)
    await merge(sql, c, d)
    expect(await merge(sql, a, c)).toBe(true)
    expect(await aliases(sql)).toEqual([`${a} > ${d}`, `${b} > ${d}`, `${c} > ${d}`])
    expect((await events(sql)).at(-1)).toEqual([
      'kontakt.merged',
      d,
      { canonical_key: d, alias_key: b },
    ])
  }),
)

test(
  'aliases stay one hop, however the merges are ordered',
  inside(async sql => {
    await merge(sql, a, b)
    await merge(sql, b, c)
    await merge(sql, c, d)
    expect(await aliases(sql)).toEqual([`${a} > ${d}`, `${b} > ${d}`, `${c} > ${d}`])
    await merge(sql, 'email:e@example.org', a)
    expect(await aliases(sql)).toContain(`email:e@example.org > ${d}`)
  }),
)

test.each([
  ['nobody', a],
  [a, '110'],
  ['', a],
  [a, 'fax:+491713920001'],
])('what is no key never becomes an alias: %p and %p', async (one, other) => {
  const merged = merge(database.sql, one, other).then(
    () => 'done',
    error => `${error.code} ${error.message}`,
  )
  expect(await merged).toMatch(/^22023 merge_kontakte takes two identities/)
  expect(await aliases(database.sql)).toEqual([])
})

test(
  'null is no key',
  inside(async sql => {
    expect(String(await sql`select merge_kontakte(null, ${a})`.catch(error => error))).toMatch(
      /takes two identities/,
    )
  }),
)

test.each([
  [`insert into kontakt_aliases values ('${b}', '${c}')`, 'a chain at its end'],
  [`insert into kontakt_aliases values ('${c}', '${a}')`, 'a chain at its start'],
  [`insert into kontakt_aliases values ('${b}', '${a}')`, 'a cycle'],
  [`insert into kontakt_aliases values ('${c}', '${d}'), ('${d}', '${c}')`, 'a cycle of its own'],
  [`update kontakt_aliases set canonical_key = '${a}'`, 'an alias of itself'],
  [
    `insert into kontakt_aliases values ('${c}', '${d}'); update kontakt_aliases set canonical_key = '${c}' where alias_key = '${a}'`,
    'a chain by an update',
  ],
])('%s is refused: %s', statement =>
  rolledBack(database.sql, async sql => {
    await merge(sql, a, b)
    expect(String(await sql.unsafe(statement).catch(error => error.code))).toMatch(
      /^(23000|23514)$/,
    )
  }),
)

test('an alias is refused under a snapshot from before it could be checked', async () => {
  const aliasing = database.sql.begin('isolation level repeatable read', async transaction => {
    await transaction`insert into kontakt_aliases values (${a}, ${b})`
  })
  await expect(aliasing).rejects.toThrow('at the isolation level read committed')
})

test(
  'analyses and signals keep the key they were written with, and it leads to the contact',
  inside(async sql => {
    await factory.haushalt(sql, { kontakt_key: b })
    const analysis = await factory.analysis(sql, { kontakt_key: a })
    const signal = await factory.signal(sql, { kontakt_key: a })
    await merge(sql, a, b)
    const [row] = await sql`
      select lead_analyses.kontakt_key as analysis, signals.kontakt_key as signal, signals.updated_at = ${moment}::timestamptz as still
      from lead_analyses, signals where lead_analyses.id = ${analysis.id} and signals.id = ${signal.id}`
    expect({ ...row }).toEqual({ analysis: a, signal: a, still: true })
    expect(await found(sql, a)).toMatchObject({ canonical_key: b })
  }),
)

test(
  'canonical_kontakt_key leads any spelling to the surviving key',
  inside(async sql => {
    await merge(sql, '+491713920001', b)
    const keyOf = async (identity: string | null) =>
      (await sql`select canonical_kontakt_key(${identity}) as key`)[0]?.key
    expect(await keyOf('0171 3920001')).toBe(b)
    expect(await keyOf('B@example.org')).toBe(b)
    expect(await keyOf('C@example.org')).toBe(c)
    expect(await keyOf('nobody')).toBeNull()
    expect(await keyOf(null)).toBeNull()
  }),
)

test.each(['phone:01713920001', 'email:Up@example.org', 'lead:17', 'erika', ''])(
  'an analysis or a signal is not stored under %p, for it would lead nowhere',
  kontakt_key =>
    rolledBack(database.sql, async sql => {
      const code = async (work: Promise<unknown>) =>
        await work.then(
          () => 'stored',
          error => error.code,
        )
      const { id: lead_id } = await factory.lead(sql)
      await sql`savepoint before`
      expect(await code(factory.analysis(sql, { lead_id, kontakt_key }))).toBe('23514')
      await sql`rollback to savepoint before`
      expect(await code(factory.signal(sql, { kontakt_key }))).toBe('23514')
    }),
)
