// What a login of the database without any right may hold, what the service waits for all the same, and what the server logs.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { grantWorkspaceRoles } from '../../src/db/roles.ts'
import { startWorker } from '../../src/worker/start.ts'
import { oneConnection, serverUrl } from '../support/database/database.ts'
import { roleNames } from '../support/database/roles.ts'
import { administer } from '../support/database/server.ts'
import { allowedTargets, quietLog, subscribe, useService } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'

const api = useService(allowedTargets)
const prefix = `wda_${randomBytes(5).toString('hex')}`
const stranger = `${prefix}_stranger`

const connectAsStranger = () => {
  const url = Object.assign(new URL(api.url), { username: stranger, password: 'nothing' })
  return oneConnection(url.href)
}

beforeAll(async () => {
  await api.sql.unsafe(`create role ${stranger} login password 'nothing'`)
})
afterAll(async () => {
  const sql = administer(serverUrl())
  await sql.unsafe(`drop role ${stranger}`)
  await sql.end()
})

test('every advisory lock of the cluster, held by a login without rights, stops nothing: none is taken', async () => {
  const sql = connectAsStranger()
  await sql`select pg_advisory_lock(hashtext('merge_kontakte'))`
  await sql`select pg_advisory_lock('hook_subscriptions'::regclass::oid::bigint)`
  expect((await subscribe(api)).status).toBe(201)
  await api.sql`set lock_timeout = '2s'`
  await api.sql`select merge_kontakte('email:alt@example.org', 'email:neu@example.org')`
  await api.sql`select prune_events('30 days', now(), null, 1000)`
  await api.sql`select erase_kontakt('email:neu@example.org')`
  await sql.end({ timeout: 1 })
  const taking = await api.sql`
    select proname from pg_proc
    where pronamespace = 'public'::regnamespace and prosrc ~ 'pg_(try_)?advisory'`
  expect(taking.map(({ proname }) => proname)).toEqual([])
})

test.each([
  ['as it is installed', '', []],
  ['slow statements', 'log_min_duration_statement = 60000', ['log_min_duration_statement = 60000']],
  [
    'some transactions, too',
    'log_transaction_sample_rate = 0.0001',
    ['log_min_duration_statement = 60000', 'log_transaction_sample_rate = 0.0001'],
  ],
  ['without values', 'log_parameter_max_length = 0', []],
])(
  'a worker warns of the settings by which PostgreSQL logs values: %s',
  async (_, setting, named) => {
    if (setting !== '')
      await api.sql.unsafe(`alter database ${api.sql.options.database} set ${setting}`)
    const logged: string[] = []
    const log = quietLog()
    log.subscribe(({ name, fields }) => name === 'values_logged' && logged.push(...fields.settings))
    await (await startWorker(testConfig(), api.url, log)).stop()
    expect(logged).toEqual(named)
  },
)

test('once the roles are made, a login that belongs to none of them cannot connect', async () => {
  await grantWorkspaceRoles(api.sql, { prefix, statementTimeoutMs: 5_000 })
  const sql = connectAsStranger()
  await expect(sql`select 1`.then(() => 'connected')).rejects.toMatchObject({ code: '42501' })
  await sql.end({ timeout: 1 })
  await api.sql.unsafe(`grant ${prefix}_writer to ${stranger}`)
  const member = connectAsStranger()
  expect(await member`select from leads`).toHaveLength(0)
  await member.end({ timeout: 1 })
  const roles = roleNames.map(role => `${prefix}_${role}`).join(', ')
  await api.sql.unsafe(`drop owned by ${roles}; drop role ${roles}`)
})
