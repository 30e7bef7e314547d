// A key is the same in every database, whatever language the database speaks.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { migrateDatabase } from '../../src/api/start.ts'
import type { Sql } from '../../src/db/connect.ts'
import {
  databaseUrl,
  dropDatabase,
  oneConnection,
  useDatabase,
} from '../support/database/database.ts'
import { oddText, seeded } from '../support/fuzz/seeded.ts'
import { keysOf } from './identities.ts'

const database = useDatabase()
const random = seeded(90)
const mash = () => oddText(random)

// In Turkish the small letter of I is ı: a rule that asked the database's own language would split people.
const turkish = { name: '', sql: undefined as Sql | undefined }
beforeAll(async () => {
  turkish.name = `${database.name}_tr`
  await database.sql.unsafe(
    `create database ${turkish.name} template template0 encoding 'UTF8' locale_provider icu icu_locale 'tr-TR' locale 'C'`,
  )
  await migrateDatabase(databaseUrl(turkish.name))
  turkish.sql = oneConnection(databaseUrl(turkish.name))
})
afterAll(async () => {
  await turkish.sql?.end()
  await dropDatabase(turkish.name)
})

test('a key is the same in a database of another language', async () => {
  const texts = [
    ...[
      'INFO@ISIK.example',
      'EMAIL:I@İ.example',
      'MAILTO:I@x.example',
      'TEL: 0171 3920001',
      '0171 3920001 EXT 1',
    ],
    ...Array.from({ length: 3_000 }, mash),
    ...Array.from({ length: 2_000 }, () => `${mash()}@${mash()}.example`),
  ]
  const keys = await keysOf(database.sql, texts)
  expect(keys[0]).toBe('email:info@isik.example')
  expect(keys.slice(0, 5)).not.toContain(null)
  expect(await keysOf(turkish.sql as Sql, texts)).toEqual(keys)
})
