// What a session has, whatever the database sets for all.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/db/connect.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()
const odd = {
  standard_conforming_strings: ['off', 'on'],
  default_transaction_isolation: ['serializable', 'read committed'],
  TimeZone: ['Asia/Tokyo', 'UTC'],
} as const
let session: Sql

beforeAll(async () => {
  for (const [name, [value]] of Object.entries(odd))
    await database.sql.unsafe(`alter database ${database.name} set ${name} = '${value}'`)
  const options = { connectionsMax: 1, applicationName: 'test', statementTimeoutMs: 20_000 }
  session = connect({ url: database.url, ...options })
})
afterAll(() => session.end())

test.each(Object.entries(odd))(
  '%s is the one that statements are written for',
  async (name, [, own]) => {
    const [row] = await session.unsafe(`select current_setting('${name}') as value`)
    expect(row?.value).toBe(own)
  },
)

test('an identity is read alike', async () => {
  const [row] = await session`select kontakt_key('0171 / 392 00 01') as key`
  expect(row?.key).toBe('phone:+491713920001')
})
