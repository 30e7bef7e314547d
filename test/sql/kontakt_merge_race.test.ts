// Many merges at once, on several connections, while others write: afterwards the contacts are exactly those
// that union-find makes of the same pairs, whatever the order was, and no section is lost.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { countLockWaits, oneConnection, useDatabase } from '../support/database/database.ts'
import { seeded } from '../support/fuzz/seeded.ts'
import { until } from '../support/until.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const connections: Sql[] = []
beforeAll(() => {
  for (let number = 0; number < 6; number += 1) connections.push(oneConnection(database.url))
})
afterAll(() => Promise.all(connections.map(sql => sql.end())))

const random = seeded(12)

/** Spelled as keys and as people spell them. */
const identities = Array.from({ length: 40 }, (_, n) => {
  const two = String(n).padStart(2, '0')
  return n % 2
    ? { key: `phone:+491713920${two}0`, spelled: `0171 / 3920${two}0` }
    : { key: `email:race${two}@example.org`, spelled: ` Race${two}@Example.ORG` }
})
const keys = identities.map(({ key }) => key)

// Within groups of eight, so that several contacts come of it; some pairs come twice, inverted or with themselves.
const pairs = Array.from({ length: 80 }, () => {
  const group = 8 * random.below(identities.length / 8)
  const one = () => identities[group + random.below(8)] as (typeof identities)[number]
  return { alias: one(), canonical: one(), spelled: random.below(2) === 0 }
})

/** Which keys belong together, by the simplest way there is: each with a representative. */
function unite(edges: [string, string][]): string[] {
  const parents = new Map(keys.map(key => [key, key]))
  const rootOf = (key: string): string => {
    const parent = parents.get(key) ?? key
    return parent === key ? key : rootOf(parent)
  }
  for (const [one, other] of edges) parents.set(rootOf(one), rootOf(other))
  // Named after its first member, whichever is the root.
  return keys.map(key => keys.find(one => rootOf(one) === rootOf(key)) ?? key)
}

/** Inserts or changes a household under its own key, as a writer does who knows nothing of merges. */
const write = (sql: Sql, key: string, round: number) => sql`
  insert into haushalte (kontakt_key, haushalt)
  values (${key}, ${JSON.stringify({ [key]: { nummer: key }, runde: round })}::text::jsonb)
  on conflict (kontakt_key) do update set quelle = ${`runde ${round}`}`

test('concurrent merges make flat aliases, no cycle, and exactly the contacts of union-find', async () => {
  for (const key of keys) if (random.below(3)) await write(database.sql, key, 0)
  const work = pairs.map(pair => ({ ...pair, key: random.of(keys) }))
  let changed = 0
  await Promise.all(
    connections.map(async (sql, lane) => {
      for (const [number, { alias, canonical, spelled, key }] of work.entries()) {
        if (number % connections.length !== lane) continue
        const named = spelled ? 'spelled' : 'key'
        const [row] =
          await sql`select merge_kontakte(${alias[named]}, ${canonical[named]}) as changed`
        if (row?.changed) changed += 1
        await write(sql, key, number)
      }
    }),
  )
  const rows = await database.sql`select alias_key, canonical_key from kontakt_aliases`
  const aliases = rows.map(row => [row.alias_key, row.canonical_key] as [string, string])
  const losers = new Set(aliases.map(([alias]) => alias))
  expect(aliases.filter(([, canonical]) => losers.has(canonical))).toEqual([])
  const expected = unite(pairs.map(({ alias, canonical }) => [alias.key, canonical.key]))
  expect(unite(aliases)).toEqual(expected)
  const merges = keys.length - new Set(expected).size
  const [emitted] =
    await database.sql`select count(*)::integer as count from events where event_type = 'kontakt.merged'`
  expect([changed, losers.size, emitted?.count]).toEqual([merges, merges, merges])
}, 60_000)

test('every record written is found by every key of its contact, and its section is in it after the next merge', async () => {
  // A writer that lost the race wrote under an alias; the next merge of its contact unites that as well.
  const survivors =
    await database.sql`select distinct canonical_kontakt_key(kontakt_key) as key from haushalte`
  for (const [number, { key }] of survivors.entries())
    await database.sql`select merge_kontakte(${`lead:00000000-0000-4000-8000-${String(number).padStart(12, '0')}`}, ${key})`
  const written =
    await database.sql`select distinct section as key from haushalte, jsonb_object_keys(haushalt) as section where section <> 'runde'`
  expect(written.length).toBeGreaterThan(keys.length / 2)
  for (const { key } of written) {
    const [row] = await rowsOf(database.sql, 'getHaushalt', { kontakt_key: key })
    expect(row?.kontakt_key).toBe(row?.canonical_key as string)
    expect(row?.haushalt).toMatchObject({ [key]: { nummer: key } })
  }
  const page = { updated_since: null, row_limit: 200, row_offset: 0 }
  const listed = await rowsOf(database.sql, 'listKontakte', page)
  expect(listed.map(row => row.kontakt_key).toSorted()).toEqual(
    survivors.map(({ key }) => key).toSorted(),
  )
}, 60_000)

// What another session has open while the merge of "alt" into "neu" waits, and with it the record of the contact.
const record = (key: string, document: string) =>
  `insert into haushalte (kontakt_key, haushalt) values ('email:${key}@example.org', '${document}');`
const waits: [what: string, before: string, open: string, meanwhile: string, left: object][] = [
  [
    'a change of the other record',
    record('alt', '{}') + record('neu', '{}'),
    `update haushalte set haushalt = '{"spaet": true}' where kontakt_key = 'email:alt@example.org'`,
    '',
    { spaet: true },
  ],
  [
    'a record under an alias, while one of the contact changes',
    `${record('alt', '{}') + record('neu', '{}')} select merge_kontakte('email:frueher@example.org', 'email:alt@example.org')`,
    `update haushalte set quelle = 'x' where kontakt_key = 'email:alt@example.org'`,
    record('frueher', '{"neu": true}'),
    { neu: true },
  ],
  [
    'the record of the survivor',
    record('alt', '{"a": 1}'),
    record('neu', '{"b": 2}'),
    '',
    { a: 1, b: 2 },
  ],
]

test.each(waits)(
  'a merge waits for %s, and takes what was written',
  async (_, before, open, meanwhile, left) => {
    const { sql } = database
    const [writer, merger] = connections as [Sql, Sql]
    await sql`truncate haushalte, kontakt_aliases`
    await sql.unsafe(before)
    let merged: Promise<unknown> | undefined
    await writer.begin(async transaction => {
      await transaction.unsafe(open)
      merged =
        merger`select merge_kontakte('email:alt@example.org', 'email:neu@example.org')`.execute()
      await until(async () => (await countLockWaits(sql)) > 0)
      await sql.unsafe(meanwhile)
    })
    await merged
    // As with every merge, the next one unites what came late.
    await sql`select merge_kontakte('email:noch@example.org', 'email:neu@example.org')`
    const rows = await sql`select kontakt_key, haushalt::text from haushalte`
    expect(rows.map(row => [row.kontakt_key, JSON.parse(row.haushalt)])).toEqual([
      ['email:neu@example.org', left],
    ])
  },
)
