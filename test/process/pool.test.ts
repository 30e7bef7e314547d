// What we patch the driver for (docs/development/upstream.md): lost connections, several hosts, rows at their places.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { inTransaction, openPool, type Pool } from '../../src/db/connect.ts'
import { isDatabaseAway, isLostConnection } from '../../src/lib/error_code.ts'
import { withTimeout } from '../../src/lib/timeout.ts'
import { useDatabase } from '../support/database/database.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
let proxy: TcpProxy
let pool: Pool

beforeAll(async () => {
  proxy = await openTcpProxy(database.url)
  pool = openPool({
    url: proxy.url,
    connectionsMax: 4,
    applicationName: 'pool',
    statementTimeoutMs: 5_000,
  })
})
afterAll(async () => {
  await pool.end()
  proxy.close()
})

const ask = () =>
  pool.sql`select 1`.then(
    () => 'answered',
    error => error.code as string,
  )

const askTogether = (times: number) => Promise.all(Array.from({ length: times }, ask))

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

test('statements in flight on other connections end in peace', async () => {
  const slow = pool.sql`select pg_sleep(0.5)`.then(() => 'ended')
  const [backend] = await pool.sql`select pg_backend_pid() as pid`
  await database.sql`select pg_terminate_backend(${backend?.pid})`
  expect(await slow).toBe('ended')
  expect(await askTogether(8)).toEqual(Array(8).fill('answered'))
})

test('where no host answers, what waits for a connection fails as well, and all works once one does', async () => {
  const [first, second] = [await openTcpProxy(database.url), await openTcpProxy(database.url)]
  const url = first.url.replace('@', `@127.0.0.1:${new URL(second.url).port},`)
  const nowhere = 'postgres://127.0.0.1:1/nowhere'
  const { sql } = openPool({
    url,
    connectionsMax: 2,
    applicationName: 'hosts',
    statementTimeoutMs: 5_000,
  })
  try {
    for (const proxy of [first, second]) proxy.leadTo(nowhere)
    const codeOf = () =>
      inTransaction(sql, transaction => transaction`select 1`).then(
        () => 'answered',
        error => error.code as string,
      )
    const asked = Promise.all(Array.from({ length: 8 }, codeOf))
    const codes = await withTimeout(asked, 10_000)
    expect(codes.filter(code => !isDatabaseAway({ code }))).toEqual([])
    first.leadTo(database.url)
    await until(async () => (await codeOf()) === 'answered', 5_000)
  } finally {
    await sql.end({ timeout: 1 })
    for (const proxy of [first, second]) proxy.close()
  }
}, 30_000)

test('after its end a statement fails, and opens no connection', async () => {
  const options = { url: database.url, connectionsMax: 1, applicationName: 'ended' }
  const { sql } = openPool({ ...options, statementTimeoutMs: 5_000 })
  await sql.end()
  expect(await sql`select 1`.catch(error => error.code)).toBe('CONNECTION_ENDED')
  const [open] =
    await database.sql`select count(*)::integer as sessions from pg_stat_activity where application_name = 'ended'`
  expect(open?.sessions).toBe(0)
})

test('a server that fell silent is left behind when the pool is renewed', async () => {
  expect(await askTogether(4)).toEqual(Array(4).fill('answered'))
  const other = await openTcpProxy(database.url)
  const patient = openPool({
    url: other.url,
    connectionsMax: 1,
    applicationName: 'pool',
    statementTimeoutMs: 500,
  })
  await patient.sql`select 1`
  other.stall()
  const lost = patient.sql`select 1`.then(
    () => 'answered',
    error => error.code,
  )
  patient.renew()
  expect(await patient.sql`select 2 as two`.then(rows => rows[0]?.two)).toBe(2)
  other.close()
  expect(await lost).not.toBe('answered')
  await patient.end()
})

test('after a statement that failed behind its first row the next one has its rows at their places', async () => {
  const one = openPool({
    url: database.url,
    connectionsMax: 1,
    applicationName: 'pool',
    statementTimeoutMs: 5_000,
  })
  const failed = one.sql`select 1 / n as whole from (values (1), (0)) as of_one (n)`
  await expect(failed.execute()).rejects.toThrow('division by zero')
  const [row] = await one.sql`select 2 as whole`
  expect(row).toEqual({ whole: 2 })
  await one.sql.end({ timeout: 1 })
})

test('a transaction whose connection is lost fails, and the pool goes on', async () => {
  const lost = inTransaction(pool.sql, async inside => {
    const [backend] = await inside`select pg_backend_pid() as pid`
    await database.sql`select pg_terminate_backend(${backend?.pid})`
    await inside`select 1`
  })
  const error = await lost.catch((thrown: unknown) => thrown)
  expect(isLostConnection(error)).toBe(true)
  expect(await askTogether(8)).toEqual(Array(8).fill('answered'))
})
