// A database that a start cannot use: what it holds, how it was made, how many connections it grants.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import {
  createDatabase,
  databaseUrl,
  dropDatabase,
  oneConnection,
  serverUrl,
} from '../support/database/database.ts'
import { administer, withDatabaseName } from '../support/database/server.ts'
import { secretsKey } from '../support/http/settings.ts'
import { launch, run } from '../support/process/program.ts'
import { until } from '../support/until.ts'

let server: Sql
let name: string
beforeAll(() => {
  server = administer(serverUrl())
})
afterAll(() => server.end())
beforeEach(async () => {
  name = await createDatabase('template0')
})
afterEach(() => dropDatabase(name))

const environment = (url = databaseUrl(name)) => ({
  DATABASE_URL: url,
  SECRETS_KEY: secretsKey,
})

test('a database that is not in UTF-8 is refused before anything is made in it', async () => {
  await server.unsafe(`drop database ${name}`)
  await server.unsafe(`create database ${name} encoding 'LATIN1' locale 'C' template template0`)
  for (const command of ['serve', 'migrate']) {
    const { code, said } = await run('Bun', [command], environment())
    expect([code, said]).toEqual([
      2,
      'DATABASE_URL: the database has the encoding LATIN1, and the service needs UTF8; make another one as docs/operations/postgresql.md shows.',
    ])
  }
  const sql = oneConnection(databaseUrl(name))
  const tables = await sql`select relname from pg_class where relnamespace = 'public'::regnamespace`
  await sql.end()
  expect([...tables]).toEqual([])
}, 20_000)

test('an empty search_path ends a start with the page that helps', async () => {
  await server.unsafe(`alter database ${name} set search_path = ''`)
  const { code, said } = await run('Bun', ['serve'], environment())
  expect([code, said]).toEqual([
    2,
    expect.stringMatching(
      /^DATABASE_URL: the search_path of this login does not lead to the tables \(.+\); see docs\/operations\/postgresql\.md\.$/,
    ),
  ])
}, 20_000)

test('a migration that fails is named, with the way out', async () => {
  const sql = oneConnection(databaseUrl(name))
  await sql.unsafe('create table leads (id integer)')
  await sql.end()
  const { code, said } = await run('Bun', ['serve'], environment())
  expect([code, said]).toEqual([
    1,
    'Migration 0001_leads failed and was rolled back (relation "leads" already exists): the database has to be empty, or one that this program made.',
  ])
}, 20_000)

test('a login that has no connection left partway through the start is waited for, and the sentence says so', async () => {
  const role = `${name}_limited`
  await server.unsafe(`create role ${role} login password 'limited' connection limit 1`)
  try {
    await server.unsafe(`alter database ${name} owner to ${role}`)
    const url = new URL(withDatabaseName(serverUrl(), name))
    url.username = role
    url.password = 'limited'
    const { code, said } = await run('Bun', ['serve'], {
      ...environment(url.href),
      PORT: '0',
      DATABASE_WAIT_MS: '0',
    })
    expect([code, said]).toEqual([
      1,
      expect.stringMatching(
        /^DATABASE_URL: the database has no connection left for this process \(127\.0\.0\.1:\d+\/wda_test_\w+: too many connections for role ".+"\)\.$/,
      ),
    ])
    const waiting = await launch('Bun', environment(url.href))
    await until(() => waiting.output().includes('"database_away"'), 20_000)
    await server.unsafe(`alter role ${role} connection limit -1`)
    expect((await fetch(`${await waiting.listens()}/readyz`)).status).toBe(200)
    expect(await waiting.stop()).toBe(0)
  } finally {
    await server.unsafe(`alter database ${name} owner to current_user`)
    const sql = oneConnection(databaseUrl(name))
    await sql.unsafe(`drop owned by ${role} cascade`)
    await sql.end()
    await server.unsafe(`drop role ${role}`)
  }
}, 60_000)
