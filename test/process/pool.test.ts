// What we patch the driver for (docs/development/upstream.md): lost connections, several hosts, rows at their places.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { inTransaction, openPool, type Pool } from '../../src/db/connect.ts'
import { isDatabaseAway, isLostConnection } from '../../src/lib/error_code.ts'
import { hostUrls } from '../../src/lib/host_urls.ts'
import { withTimeout } from '../../src/lib/timeout.ts'
import { useDatabase } from '../support/database/database.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
let proxy: TcpProxy
let pool: Pool

const open = (url: string, connectionsMax = 4, statementTimeoutMs = 5_000) =>
  openPool({ url, connectionsMax, applicationName: 'pool', statementTimeoutMs })

beforeAll(async () => {
  proxy = await openTcpProxy(database.url)
  pool = open(proxy.url)
})
afterAll(async () => {
  await pool.end()
  proxy.close()
})

const outcome = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    error => error.code as string,
  )
const ask = () => outcome(pool.sql`select 1`.execute())
const askTogether = (times: number) => Promise.all(Array.from({ length: times }, ask))
const endBackend = (row: Record<string, unknown> | undefined) =>
  database.sql`select pg_terminate_backend(${row?.pid as number})`

test('after connections were lost while queries were being written, all of the pool answers again', async () => {
  for (let round = 0; round < 5; round += 1) {
    expect(await askTogether(8)).toEqual(Array(8).fill('answered'))
    proxy.away()
    // One after the other: the first ones are written to connections whose loss has not been noticed yet.
    for (let asked = 0; asked < 6; asked += 1) await ask()
    await proxy.back()
    for (let asked = 0; asked < 6; asked += 1) await ask()
    const startedAt = performance.now()
    expect(await askTogether(12)).toEqual(Array(12).fill('answered'))
    expect(performance.now() - startedAt).toBeLessThan(1_500)
  }
}, 30_000)

test('a lost connection ends its own statements alone, and a transaction over it fails', async () => {
  const slow = outcome(pool.sql`select pg_sleep(0.5)`.execute())
  await endBackend((await pool.sql`select pg_backend_pid() as pid`)[0])
  expect(await slow).toBe('answered')
  const lost = await inTransaction(pool.sql, async inside => {
    await endBackend((await inside`select pg_backend_pid() as pid`)[0])
    await inside`select 1`
  }).catch((thrown: unknown) => thrown)
  expect(isLostConnection(lost)).toBe(true)
  expect(await askTogether(8)).toEqual(Array(8).fill('answered'))
})

test('an address of several hosts is one for each; where none answers, all that waits fails, and works once one does', async () => {
  expect(hostUrls('postgres://u:p,w@a:1,b/name?x=1')).toEqual([
    'postgres://u:p,w@a:1/name?x=1',
    'postgres://u:p,w@b/name?x=1',
  ])
  const [first, second] = [await openTcpProxy(database.url), await openTcpProxy(database.url)]
  const hosts = open(first.url.replace('@', `@127.0.0.1:${new URL(second.url).port},`), 2)
  for (const one of [first, second]) one.leadTo('postgres://127.0.0.1:1/nowhere')
  const codeOf = () => outcome(inTransaction(hosts.sql, inside => inside`select 1`))
  const codes = await withTimeout(Promise.all(Array.from({ length: 8 }, codeOf)), 10_000)
  expect(codes.filter(code => !isDatabaseAway({ code }))).toEqual([])
  first.leadTo(database.url)
  await until(async () => (await codeOf()) === 'answered', 5_000)
  await hosts.end()
  for (const one of [first, second]) one.close()
}, 30_000)

test('a server that fell silent is left behind when the pool is renewed, and after its end nothing is asked', async () => {
  const other = await openTcpProxy(database.url)
  const patient = open(other.url, 1, 500)
  await patient.sql`select 1`
  other.stall()
  const lost = outcome(patient.sql`select 1`.execute())
  patient.renew()
  expect(await outcome(patient.sql`select 2`.execute())).toBe('answered')
  other.close()
  expect(await lost).not.toBe('answered')
  await patient.end()
  expect(await outcome(patient.sql`select 1`.execute())).toBe('CONNECTION_ENDED')
})

test('after a statement that failed behind its first row the next one has its rows at their places', async () => {
  const one = open(database.url, 1)
  const failed = one.sql`select 1 / n as whole from (values (1), (0)) as of_one (n)`
  await expect(failed.execute()).rejects.toThrow('division by zero')
  expect((await one.sql`select 2 as whole`)[0]).toEqual({ whole: 2 })
  await one.end()
})
