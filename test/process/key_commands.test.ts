// The commands for keys, and what they have in common with the others that answer at once.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { secretsKey } from '../support/http/settings.ts'
import { until } from '../support/until.ts'
import { runHere } from './commands.ts'

const database = useDatabase()
const empty = useDatabase(async () => 'template0')

const run = (...args: string[]) =>
  runHere(args, { DATABASE_URL: database.url, SECRETS_KEY: secretsKey })

test('where there are none, the list says so on stderr', async () => {
  const { code, out, said } = await run('keys', 'list')
  expect([code, out, said]).toEqual([0, '', 'There are no keys.'])
})

test('a database that is not at the schema is left as it is', async () => {
  for (const args of [
    ['keys', 'list'],
    ['hooks', 'list'],
  ])
    expect(await runHere(args, { DATABASE_URL: empty.url })).toEqual({
      code: 1,
      out: '',
      said: "The database is not at this program's schema: run the command migrate, or start the service, first.",
    })
  expect(await empty.sql`select from pg_tables where schemaname = 'public'`).toHaveLength(0)
})

test('a key is not made in a database that takes no writes, and the sentence says so', async () => {
  const DATABASE_URL = `${database.url}?default_transaction_read_only=on`
  const made = await runHere(['keys', 'create', '--label', 'CRM'], { DATABASE_URL })
  expect(made).toEqual({
    code: 1,
    out: '',
    said: expect.stringMatching(
      /^DATABASE_URL: the database takes no writes \(.+: cannot execute INSERT in a read-only transaction\)\.$/,
    ),
  })
})

test('the label of a key cannot turn a terminal’s text around', async () => {
  const prefix = 'wda_BBBBBBBB'
  await factory.apiKey(database.sql, { prefix, label: 'CRM\u202egro.elpmaxe\u2028' })
  const listed = await run('keys', 'list')
  const line = listed.out.split('\n').find(one => one.startsWith(prefix))
  expect(line).toEndWith('  CRM\ufffdgro.elpmaxe\ufffd')
  const revoked = await run('keys', 'revoke', prefix)
  expect(revoked.out).toBe(`revoked ${prefix} (CRM\ufffdgro.elpmaxe\ufffd)`)
})

test('a command that loses the database partway says that its change may or may not have been made', async () => {
  const { code, out, said } = await database.sql.begin(async transaction => {
    await transaction`lock table api_keys in access exclusive mode`
    const revoking = run('keys', 'revoke', 'wda_CCCCCCCC')
    await until(async () => {
      const ended = await database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'workspace-data-api command' and wait_event_type = 'Lock'`
      return ended.length > 0
    })
    return await revoking
  })
  expect([code, out, said]).toEqual([
    1,
    '',
    // What is in brackets depends on who notices first.
    expect.stringMatching(
      /^The connection to the database was lost \(.+\)\. If the command changes something, its last change may or may not have been made: check before you run it again\.$/,
    ),
  ])
}, 20_000)

test('while a session does not let go of the tables, commands that answer at once end and say so', async () => {
  const lines = ['keys list', 'hooks list']
  const ended = await database.sql.begin(async transaction => {
    await transaction`lock table api_keys, hook_subscriptions in access exclusive mode`
    const all = []
    for (const line of lines) all.push(await run(...line.split(' ')))
    return all
  })
  const said =
    'Another session holds what this command needs in a transaction that does not end; try again.'
  expect(ended).toEqual(lines.map(() => ({ code: 1, out: '', said })))
}, 30_000)
