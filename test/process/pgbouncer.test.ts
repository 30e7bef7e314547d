// Everything through PgBouncer in transaction mode, the logins being the roles of least privilege, which bring the
// settings along that the pooler drops. Only LISTEN goes past it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startService } from '../../src/api/start.ts'
import { migrate } from '../../src/db/migrate.ts'
import { oneConnection, useDatabase, useEmptyDatabases } from '../support/database/database.ts'
import { useRoles } from '../support/database/roles.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { bearer, quietLog, sendTo, useServiceOn } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { type PgBouncer, pgbouncerFile, startPgBouncer } from './pgbouncer.ts'
import { deliverOnce, makeAndRevokeKey, readEverything, writeWorkspace } from './smoke.ts'

const file = pgbouncerFile()
if (!file)
  process.stdout.write('pgbouncer.test.ts is skipped: there is no program pgbouncer here\n')

describe.skipIf(!file)('behind PgBouncer', () => {
  let worker: { stop(): Promise<void> }
  // Before the database goes, which is what useDatabase does first.
  afterAll(() => worker.stop())
  const database = useDatabase()
  const roles = useRoles(database)
  let pooler: PgBouncer
  beforeAll(async () => {
    const urls = [database.url, roles.url('api'), roles.url('worker'), roles.url('writer')]
    pooler = await startPgBouncer(file ?? '', urls)
  })
  const ttlMs = 60_000
  const api = useServiceOn(database, () => ({
    url: pooler.lead(roles.url('api')),
    settings: {
      DATABASE_LISTEN_URL: roles.url('api'),
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      KEY_CACHE_TTL_MS: String(ttlMs),
    },
  }))
  const hooks = useHooks(api)
  beforeAll(async () => {
    hooks.settings.DATABASE_LISTEN_URL = roles.url('worker')
    worker = await hooks.startWorker({}, pooler.lead(roles.url('worker')))
  })
  afterAll(() => pooler.stop())

  test('REST, tools, feed and deliveries work, twenty rounds over two shared connections', async () => {
    const writer = oneConnection(pooler.lead(roles.url('writer')))
    const workspace = await writeWorkspace(writer)
    await deliverOnce(api, hooks, writer, '/ok/pgbouncer')
    await Promise.all(Array.from({ length: 20 }, () => readEverything(api, workspace)))
    await writer.end({ timeout: 1 })
  })

  test('the sessions have the settings that the service asks for, and a statement ends in time', async () => {
    const sql = oneConnection(pooler.lead(roles.url('api')))
    const [row] = await sql`
      select current_setting('jit') as jit, current_setting('statement_timeout') as timeout`
    expect({ ...row }).toEqual({ jit: 'off', timeout: '5s' })
    await sql.end({ timeout: 1 })
  })

  test('a revoked key is refused long before its time is over: the notification came past the pooler', async () => {
    await makeAndRevokeKey(api, ttlMs / 10)
  })

  test('the limit is exact', async () => {
    const config = testConfig({
      RATE_LIMIT_PER_MINUTE: '20',
      DATABASE_LISTEN_URL: roles.url('api'),
    })
    const key = await api.makeKey('read:leads')
    const services = await Promise.all(
      [1, 2].map(() => startService(config, pooler.lead(roles.url('api')), quietLog())),
    )
    const sent = Array.from({ length: 30 }, (_, index) =>
      sendTo(`${services[index % 2]?.url}/api/v1`, '/leads', bearer(key)),
    )
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses.filter(status => status === 200)).toHaveLength(20)
    expect(statuses.filter(status => status === 429)).toHaveLength(10)
    await Promise.all(services.map(service => service.stop()))
  })

  const openEmpty = useEmptyDatabases()

  test('migrations need no connection of their own', async () => {
    const [direct] = await openEmpty()
    const [{ name } = { name: '' }] = await direct`select current_database() as name`
    const url = new URL(pooler.lead(database.url))
    url.pathname = `/${name}`
    const sql = oneConnection(url.href)
    expect((await migrate(sql)).length).toBeGreaterThan(10)
    expect(await migrate(sql)).toEqual([])
    await sql.end({ timeout: 1 })
  })
})
