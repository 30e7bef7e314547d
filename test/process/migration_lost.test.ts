// A start whose connection is lost in the middle of a migration: it says so and tries again, or ends with a sentence.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { migrations, neededBy, readFunctions } from '../../src/db/schema_files.ts'
import {
  createDatabase,
  databaseUrl,
  dropDatabase,
  oneConnection,
} from '../support/database/database.ts'
import { secretsKey } from '../support/http/settings.ts'
import { type Environment, launch, run } from '../support/process/program.ts'
import { until } from '../support/until.ts'

let name: string
let environment: Environment
let blocker: Sql
let watcher: Sql

beforeEach(async () => {
  name = await createDatabase('template0')
  environment = { DATABASE_URL: databaseUrl(name), SECRETS_KEY: secretsKey }
  blocker = oneConnection(databaseUrl(name))
  watcher = oneConnection(databaseUrl(name))
  const first = migrations.slice(0, 1)
  const functions = neededBy(first[0]?.text ?? '', readFunctions())
  await migrate(blocker, { migrations: first, functions })
})
afterEach(async () => {
  await Promise.all([blocker.end(), watcher.end()])
  await dropDatabase(name)
})

/** Ends the connection of the process that begins the second migration, in the middle of its transaction. */
async function cutMigration(): Promise<void> {
  await blocker`begin`
  await blocker`insert into schema_migrations (number, name, sha256) values (2, 'held', 'x')`
  await until(async () => {
    const [cut] = await watcher`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return cut
  }, 20_000)
  await blocker`rollback`
}

test('the service begins again, and serves', async () => {
  const [starting] = await Promise.all([
    launch('the binary', { ...environment, ROLES: 'api' }),
    cutMigration(),
  ])
  await starting.listens()
  expect(await starting.stop()).toBe(0)
  expect(starting.output()).toMatch(/"database_away"/)
}, 40_000)

test('the command migrate ends with a sentence, and succeeds when it is given again', async () => {
  const [{ code, said }] = await Promise.all([
    run('the binary', ['migrate'], environment),
    cutMigration(),
  ])
  expect(code).toBe(1)
  expect(said).toMatch(/^DATABASE_URL: no database answers at .+ \(.+\)\.$/)
  expect((await run('the binary', ['migrate'], environment)).code).toBe(0)
}, 40_000)
