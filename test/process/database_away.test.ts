// A database that is away, silent, locked or read-only: clients get 503 in time, /readyz says why, and all recovers by itself.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { clientError } from '../../src/api/http/client_error.ts'
import { type RunningService, startService } from '../../src/api/start.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { ApiError } from '../../src/errors.ts'
import { makeSigningSecret, sealSecret } from '../../src/model/signing_secret.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { startWorker } from '../../src/worker/start.ts'
import { countLockWaits, useDatabase, whileLocked } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { bearer, quietLog, sendTo } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const elsewhere = useDatabase()
let proxy: TcpProxy
let service: RunningService
let key: string

const makeKey = async () => {
  const input = { label: 'test', scopes: ['read:leads' as const, 'read:events' as const] }
  return (await createApiKey(openDatabase(database.sql, queries), input)).key
}

beforeAll(async () => {
  proxy = await openTcpProxy(database.url)
  service = await startService(testConfig({ STATEMENT_TIMEOUT_MS: '2000' }), proxy.url, quietLog())
  key = await makeKey()
})
afterAll(async () => {
  await service.stop()
  proxy.close()
})

const revoke = (doomed: string) =>
  database.sql`update api_keys set revoked_at = now() where prefix = ${doomed.slice(0, 12)}`
const send = (path: string, by = key) => sendTo(`${service.url}/api/v1`, path, bearer(by))
const isServing = async () => (await send('/leads')).status === 200
const readiness = () => sendTo(service.url, '/readyz')
const message = async () => (await readiness()).body.error?.message

test.each<[how: string, lose: () => void, limitMs: number]>([
  ['away', () => proxy.away(), 1_000],
  ['silent', () => proxy.silent(), 4_000],
])(
  'while it is %s requests fail in time, a stream ends, and then all works again, the listener too',
  async (_, lose, limitMs) => {
    await until(isServing)
    const headers = { ...bearer(key).headers, accept: 'text/event-stream' }
    const stream = (await fetch(`${service.url}/api/v1/events`, { headers })).body?.getReader()
    lose()
    for (let requests = 0; requests < 2; requests += 1) {
      const startedAt = performance.now()
      const reply = await send('/leads')
      expect([reply.status, reply.body.error.code]).toEqual([503, 'internal_error'])
      expect(reply.headers.get('retry-after')).toBe('1')
      expect(performance.now() - startedAt).toBeLessThan(limitMs)
    }
    expect(await message()).toBe('Not ready: the database is away.')
    expect((await sendTo(service.url, '/healthz')).status).toBe(200)
    let ended = false
    const read = async () => {
      while ((await stream?.read())?.done === false);
      ended = true
    }
    void read()
    if (limitMs > 1_000) await until(() => ended, 10_000)
    await proxy.back()
    await until(isServing)
    expect((await readiness()).status).toBe(200)
    await stream?.cancel()
    // It listens again: a revoked key does not live on for its five seconds.
    await until(async () => {
      const doomed = await makeKey()
      await until(async () => (await send('/leads', doomed)).status === 200)
      await revoke(doomed)
      await until(async () => (await send('/leads', doomed)).status === 401, 500)
      return true
    }, 8_000)
  },
  40_000,
)

test('a key that is revoked while no notification arrives lives on for five seconds at most', async () => {
  const doomed = await makeKey()
  const status = async () => (await send('/leads', doomed)).status
  await until(async () => (await status()) === 200)
  // The listener's connection alone is ended, and before it is back the key goes.
  await database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'workspace-data-api listen' and datname = current_database()`
  await revoke(doomed)
  await until(async () => (await status()) === 401, 5_500)
}, 15_000)

test('a table that another session has locked is 503; while every request waits, /readyz is too', async () => {
  const waiting = await whileLocked(database.url, 'leads', async () => {
    const asked = Array.from({ length: 16 }, () => send('/leads'))
    await until(async () => (await countLockWaits(database.sql)) === 4)
    expect(await message()).toBe('Not ready: the database is away.')
    const { status, body } = await (asked[0] as (typeof asked)[number])
    expect(status).toBe(503)
    expect(body.error.message).toStartWith('The database is busy; try again in a second.')
    return { asked }
  })
  await Promise.all(waiting.asked)
  expect((await readiness()).status).toBe(200)
}, 20_000)

test('/readyz reports that a read-only database takes no writes', async () => {
  const set = async (change: string) => {
    await database.sql.unsafe(`alter database ${database.name} ${change}`)
    await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
  }
  await set('set default_transaction_read_only = on')
  await until(async () => (await message()) === 'Not ready: the database takes no writes.')
  await database.sql.unsafe('set default_transaction_read_only = off')
  await set('reset default_transaction_read_only')
  await until(async () => (await readiness()).status === 200)
})

test('what passes is 503, what is broken is 500', () => {
  const statusOf = (code: string) =>
    clientError(Object.assign(new Error('x'), { code }), quietLog(), 'id').status
  const passing = ['53300', '55P03', '25006', '53100', '08006', '08P01', '57P01', '57P03', '28P01']
  for (const code of [
    ...passing,
    'ECONNREFUSED',
    'ECONNRESET',
    'CONNECT_TIMEOUT',
    'CONNECTION_CLOSED',
  ])
    expect([code, statusOf(code)]).toEqual([code, 503])
  for (const code of ['42P01', '57014']) expect([code, statusOf(code)]).toEqual([code, 500])
  expect(clientError(new ApiError('not_found', 'x'), quietLog(), 'id').status).toBe(404)
})

const sessions = async (): Promise<Record<string, number>> => {
  const rows = await database.sql`
    select application_name, count(*)::integer as count from pg_stat_activity
    where datname = current_database() and application_name like 'workspace-data-api%'
    group by application_name`
  return Object.fromEntries(rows.map(row => [row.application_name, row.count]))
}

test('a process opens four connections and one that listens, its worker at most seven; one that fails leaves none', async () => {
  const worker = await startWorker(testConfig(), database.url, quietLog())
  const found = await until(async () => {
    await Promise.all(Array.from({ length: 20 }, () => send('/leads')))
    const open = await sessions()
    const isOpen = ['', ' listen', ' worker'].every(part => open[`workspace-data-api${part}`])
    return isOpen && open['workspace-data-api'] === 4 ? open : undefined
  })
  expect(found['workspace-data-api listen']).toBe(1)
  expect(found['workspace-data-api worker']).toBeLessThanOrEqual(7)
  await worker.stop()
  const id = crypto.randomUUID()
  const secret = sealSecret(makeSigningSecret(), [Buffer.alloc(32, 1)], id)
  await factory.hook(database.sql, { id, secret })
  const failing = startWorker(testConfig(), database.url, quietLog())
  await expect(failing).rejects.toThrow('SECRETS_KEY must hold the key')
  await database.sql`delete from hook_subscriptions`
  await until(async () => (await sessions())['workspace-data-api worker'] === undefined)
})

test.each([
  ['api', startService],
  ['worker', startWorker],
] as const)(
  'where DATABASE_LISTEN_URL leads elsewhere the %s logs it and does not listen there',
  async (part, start) => {
    const log = quietLog()
    const events: unknown[] = []
    log.subscribe(({ name, fields }) => {
      if (name.startsWith('listener_')) events.push([name, fields])
    })
    const config = testConfig({ DATABASE_LISTEN_URL: elsewhere.url })
    const running = await start(config, database.url, log)
    await until(() => events.length > 0)
    const reason = 'DATABASE_LISTEN_URL leads to another database than DATABASE_URL'
    expect(events[0]).toEqual(['listener_lost', { part, reason }])
    expect(events).toHaveLength(1)
    await running.stop()
  },
)
