// Which record a contact answers with and is listed by, whatever records stand under its keys.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { alias, haushalt } from '../support/database/factory.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()

const listed = (sql: Sql, row_limit = 200, row_offset = 0) =>
  rowsOf(sql, 'listKontakte', { updated_since: null, row_limit, row_offset })
const keysListed = async (sql: Sql, ...page: number[]) =>
  (await listed(sql, ...page)).map(row => row.kontakt_key)
const found = (sql: Sql, kontakt_key: string) => rowsOf(sql, 'getHaushalt', { kontakt_key })

test('contacts come last changed first, and of two at one moment by key, page by page', () =>
  rolledBack(database.sql, async sql => {
    for (const kontakt_key of [
      'phone:+493023125000',
      'email:b@example.org',
      'email:+z@example.org',
    ])
      await haushalt(sql, { kontakt_key })
    await haushalt(sql, { kontakt_key: 'email:new@example.org', updated_at: '2026-05-01' })
    const keys = await keysListed(sql)
    expect(keys).toEqual([
      ...['email:new@example.org', 'email:+z@example.org', 'email:b@example.org'],
      'phone:+493023125000',
    ])
    for (const at of [0, 2, 4]) expect(await keysListed(sql, 2, at)).toEqual(keys.slice(at, at + 2))
  }))

const survivor = 'email:survivor@example.org'
const merged = 'phone:+491713920001'
const other = 'email:other@example.org'

/** The keys of records, the one that changed last in front of a ">"; the key that answers. */
const records: [keys: string[], changedLast: string | null, answers: string][] = [
  [[survivor, merged], merged, survivor],
  [[survivor, merged, other], null, survivor],
  [[merged], null, merged],
  [[merged, other], merged, merged],
  [[merged, other], null, other],
]

test.each(records)(
  'of records under %j, %p changed last, every key finds %s',
  (keys, last, answers) =>
    rolledBack(database.sql, async sql => {
      for (const key of [merged, other]) await alias(sql, key, survivor)
      for (const kontakt_key of keys) await haushalt(sql, { kontakt_key })
      await sql`update haushalte set updated_at = '2026-06-01' where kontakt_key = ${last}`
      const record = { kontakt_key: answers, canonical_key: survivor, aliases: [other, merged] }
      for (const asked of [survivor, merged, other])
        expect(await found(sql, asked)).toMatchObject([record])
      const [{ updated_at } = {}] = await found(sql, survivor)
      expect(await listed(sql)).toMatchObject([{ kontakt_key: survivor, updated_at }])
    }),
)

test('aliases are sorted by their bytes and leave out other contacts’', () =>
  rolledBack(database.sql, async sql => {
    await haushalt(sql, { kontakt_key: survivor })
    const keys = ['email:+z@x.example', 'email:b@x.example', 'email:ä@x.example', merged]
    for (const key of keys.toReversed()) await alias(sql, key, survivor)
    await alias(sql, 'email:c@x.example', other)
    expect(await found(sql, survivor)).toMatchObject([{ aliases: keys }])
  }))
