// A database that goes away and comes back, and one that falls silent.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type RunningService, startService } from '../../src/api/start.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { useDatabase } from '../support/database/database.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { bearer, quietLog, sendTo, type TestReply } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
let proxy: TcpProxy
let service: RunningService
let key: string

beforeAll(async () => {
  proxy = await openTcpProxy(database.url)
  const config = testConfig({ KEY_CACHE_TTL_MS: '1000', STATEMENT_TIMEOUT_MS: '2000' })
  service = await startService(config, proxy.url, quietLog())
  const input = { label: 'test', scopes: ['read:leads' as const, 'read:events' as const] }
  key = (await createApiKey(openDatabase(database.sql, queries), input)).key
})
afterAll(async () => {
  await service.stop()
  proxy.close()
})

const streaming = () => ({ ...bearer(key).headers, accept: 'text/event-stream' })
const ask = () => sendTo(`${service.url}/api/v1`, '/leads', bearer(key))
const readiness = () => sendTo(service.url, '/readyz')

async function timed(send: () => Promise<TestReply>) {
  const startedAt = performance.now()
  const reply = await send()
  return { reply, ms: performance.now() - startedAt }
}

test('while the database is away requests fail quickly and /readyz says so; then all recovers by itself', async () => {
  expect((await ask()).status).toBe(200)
  expect((await readiness()).status).toBe(200)
  proxy.away()
  for (let requests = 0; requests < 5; requests += 1) {
    const { reply, ms } = await timed(ask)
    expect([reply.status, reply.body.error.code]).toEqual([503, 'internal_error'])
    expect(reply.headers.get('retry-after')).toBe('1')
    expect(ms).toBeLessThan(1_000)
  }
  const { reply, ms } = await timed(readiness)
  expect(reply.status).toBe(503)
  expect(reply.body.error.message).toBe('Not ready: the database is away.')
  expect(ms).toBeLessThan(1_500)
  expect((await sendTo(service.url, '/healthz')).status).toBe(200)
  await proxy.back()
  await until(async () => (await ask()).status === 200)
  expect((await readiness()).status).toBe(200)
})

test('a database that has fallen silent fails requests in bounded time, and recovers', async () => {
  expect((await ask()).status).toBe(200)
  proxy.silent()
  const { reply, ms } = await timed(ask)
  expect([reply.status, reply.body.error.code]).toEqual([503, 'internal_error'])
  expect(ms).toBeLessThan(4_000)
  expect((await readiness()).status).toBe(503)
  await proxy.back()
  await until(async () => (await ask()).status === 200)
}, 30_000)

test('a stream ends when the database has fallen silent, and its client can come back', async () => {
  const open = () => fetch(`${service.url}/api/v1/events`, { headers: streaming() })
  const reader = (await open()).body?.getReader()
  await reader?.read()
  proxy.silent()
  let ended = false
  const read = async () => {
    while ((await reader?.read())?.done === false);
    ended = true
  }
  void read()
  await until(() => ended, 10_000)
  await proxy.back()
  await until(async () => (await ask()).status === 200)
  const again = await open()
  expect(again.status).toBe(200)
  await again.body?.cancel()
}, 30_000)

test('a key revoked while notifications cannot arrive lives on for the TTL at most', async () => {
  const input = { label: 'test', scopes: ['read:leads' as const] }
  const { key: doomed } = await createApiKey(openDatabase(database.sql, queries), input)
  const status = async () =>
    (await sendTo(`${service.url}/api/v1`, '/leads', bearer(doomed))).status
  await until(async () => (await status()) === 200)
  // The listener's connection alone is ended, and before it is back the key goes.
  await database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'workspace-data-api listen' and datname = current_database()`
  await database.sql`update api_keys set revoked_at = now() where prefix = ${doomed.slice(0, 12)}`
  await until(async () => (await status()) === 401, 1_500)
})
