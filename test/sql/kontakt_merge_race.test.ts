// Many merges at once, on several connections, while others write: afterwards the contacts are exactly those
// that union-find makes of the same pairs, whatever the order was, and no section is lost.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import { seeded } from '../support/fuzz/seeded.ts'
import { until } from '../support/until.ts'
import { rowsOf } from './rows.ts'
import { components } from './union_find.ts'

const database = useDatabase()
const connections: Sql[] = []
beforeAll(() => {
  for (let number = 0; number < 6; number += 1) connections.push(oneConnection(database.url))
})
afterAll(() => Promise.all(connections.map(sql => sql.end())))

/** Whether a session of this database waits for another one; others have waits of their own. */
async function oneWaits(): Promise<boolean> {
  const rows = await database.sql`
    select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`
  return rows.length > 0
}

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

const contractOf = (key: string) => ({ sparte: 'kfz', versicherer: 'Muster', vertragsnummer: key })

async function merge(
  sql: Sql,
  { alias, canonical, spelled }: (typeof pairs)[number],
): Promise<boolean> {
  const named = spelled ? 'spelled' : 'key'
  const [row] = await sql`select merge_kontakte(${alias[named]}, ${canonical[named]}) as changed`
  return row?.changed
}

/** Inserts or changes a household under its own key, as a writer does who knows nothing of merges. */
const write = (sql: Sql, key: string, round: number) => sql`
  insert into haushalte (kontakt_key, haushalt)
  values (${key}, ${JSON.stringify({ [key]: contractOf(key), runde: round })}::text::jsonb)
  on conflict (kontakt_key) do update set quelle = ${`runde ${round}`}`

test('concurrent merges make flat aliases, no cycle, and exactly the contacts of union-find', async () => {
  const reference = components(keys)
  for (const { alias, canonical } of pairs) reference.unite(alias.key, canonical.key)
  expect(reference.all().length).toBeGreaterThan(1)

  for (const key of keys) if (random.below(3)) await write(database.sql, key, 0)
  const work = pairs.map(pair => ({ pair, key: random.of(keys) }))
  let changed = 0
  await Promise.all(
    connections.map(async (sql, lane) => {
      for (const [number, { pair, key }] of work.entries()) {
        if (number % connections.length !== lane) continue
        if (await merge(sql, pair)) changed += 1
        await write(sql, key, number)
      }
    }),
  )

  const aliases =
    await database.sql`select alias_key, canonical_key from kontakt_aliases order by alias_key`
  const losers = new Set(aliases.map(row => row.alias_key))
  expect(aliases.filter(row => losers.has(row.canonical_key))).toEqual([])

  const canonical = new Map(keys.map(key => [key, key]))
  for (const row of aliases) canonical.set(row.alias_key, row.canonical_key)
  const made = components(keys)
  for (const [alias, survivor] of canonical) made.unite(alias, survivor)
  expect(made.all()).toEqual(reference.all())

  const merges = keys.length - reference.all().length
  expect([changed, aliases.length]).toEqual([merges, merges])
  const [emitted] =
    await database.sql`select count(*)::integer as count from events where event_type = 'kontakt.merged'`
  expect(emitted?.count).toBe(merges)
}, 60_000)

test('every record written is found by every key of its contact, and its section is in it after the next merge', async () => {
  // A writer that lost the race wrote under an alias; the next merge of its contact unites that as well.
  const survivors = await database.sql`
    select kontakt_key from haushalte
    union select canonical_key from kontakt_aliases where alias_key in (select kontakt_key from haushalte)`
  const written =
    await database.sql`select distinct section as key from haushalte, jsonb_object_keys(haushalt) as section where section <> 'runde'`
  const owners = new Set(survivors.map(row => row.kontakt_key as string))
  for (const [number, owner] of [...owners].entries())
    await database.sql`select merge_kontakte(${`lead:00000000-0000-4000-8000-${String(number).padStart(12, '0')}`}, ${owner})`
  expect(written.length).toBeGreaterThan(keys.length / 2)
  for (const { key } of written) {
    const [row] = await rowsOf(database.sql, 'getHaushalt', { kontakt_key: key })
    expect(row?.kontakt_key).toBe(row?.canonical_key as string)
    expect(row?.haushalt).toMatchObject({ [key]: contractOf(key) })
  }
  const listed = await rowsOf(database.sql, 'listKontakte', {
    updated_since: null,
    row_limit: 200,
    row_offset: 0,
  })
  expect(listed.map(row => row.kontakt_key).toSorted()).toEqual(
    [
      ...new Set(
        (await database.sql`select canonical_kontakt_key(kontakt_key) as key from haushalte`).map(
          row => row.key,
        ),
      ),
    ].toSorted(),
  )
}, 60_000)

test('a merge waits for a writer of the other record, and takes what was written', async () => {
  const [writer, merger] = connections as [Sql, Sql]
  await database.sql`insert into haushalte (kontakt_key, haushalt) values ('email:slow@example.org', '{}'), ('email:target@example.org', '{}')`
  let merged: Promise<unknown> | undefined
  await writer.begin(async transaction => {
    await transaction`update haushalte set haushalt = '{"spaet": true}' where kontakt_key = 'email:slow@example.org'`
    merged =
      merger`select merge_kontakte('email:slow@example.org', 'email:target@example.org')`.execute()
    await until(oneWaits)
  })
  await merged
  const rows =
    await database.sql`select haushalt::text from haushalte where kontakt_key in ('email:slow@example.org', 'email:target@example.org')`
  expect(rows.map(row => row.haushalt)).toEqual(['{"spaet": true}'])
})

test('a record that is stored under an alias while a merge waits is not lost', async () => {
  const { sql } = database
  const [writer, merger] = connections as [Sql, Sql]
  await sql`insert into haushalte (kontakt_key, haushalt) values ('email:mitte@example.org', '{}'), ('email:ziel@example.org', '{}')`
  await sql`select merge_kontakte('email:frueher@example.org', 'email:mitte@example.org')`
  let merged: Promise<unknown> | undefined
  await writer.begin(async transaction => {
    await transaction`update haushalte set quelle = 'x' where kontakt_key = 'email:mitte@example.org'`
    merged =
      merger`select merge_kontakte('email:mitte@example.org', 'email:ziel@example.org')`.execute()
    await until(oneWaits)
    await sql`insert into haushalte (kontakt_key, haushalt) values ('email:frueher@example.org', '{"neu": true}')`
  })
  await merged
  // As with every merge, the next one unites what came late.
  await sql`select merge_kontakte('email:noch@example.org', 'email:ziel@example.org')`
  const [row] =
    await sql`select haushalt ->> 'neu' as neu from haushalte where kontakt_key = 'email:ziel@example.org'`
  expect(row?.neu).toBe('true')
})

test('a record of the survivor that is being inserted is united as well', async () => {
  const [writer, merger] = connections as [Sql, Sql]
  await database.sql`insert into haushalte (kontakt_key, haushalt) values ('email:loser@example.org', '{"a": 1}')`
  let merged: Promise<unknown> | undefined
  await writer.begin(async transaction => {
    await transaction`insert into haushalte (kontakt_key, haushalt) values ('email:new@example.org', '{"b": 2}')`
    merged =
      merger`select merge_kontakte('email:loser@example.org', 'email:new@example.org')`.execute()
    await until(oneWaits)
  })
  await merged
  const rows =
    await database.sql`select kontakt_key, haushalt::text from haushalte where kontakt_key in ('email:loser@example.org', 'email:new@example.org')`
  expect(rows.map(row => ({ ...row }))).toEqual([
    { kontakt_key: 'email:new@example.org', haushalt: '{"a": 1, "b": 2}' },
  ])
})
