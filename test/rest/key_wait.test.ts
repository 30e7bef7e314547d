// What becomes of requests that wait for others of their key.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { whileLocked } from '../support/database/locks.ts'
import { bearer, sendTo, useServiceOn } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const api = useServiceOn(database, () => ({
  url: database.url,
  settings: { DATABASE_POOL_MAX: '1', STATEMENT_TIMEOUT_MS: '2000' },
}))

/** Of all keys. Who has its permit begins, or waits for its slot. */
const permits = async () =>
  (await api.sql`select coalesce(sum(total), 0)::integer as sum from rate_windows`)[0]?.sum

test('a request that waits too long for others of its key is 503, to be tried again', async () => {
  const key = await api.makeKey('read:leads')
  await whileLocked(api.url, 'leads', async () => {
    const ask = () => sendTo(api.base, '/leads?limit=1', bearer(key))
    const before = Array.from({ length: 9 }, ask)
    await until(async () => (await permits()) === before.length)
    const { status, body, headers } = await ask()
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([
      503,
      'internal_error',
      '1',
    ])
    expect(body.error.message).toStartWith('Too many requests of this key wait for each other')
    expect(headers.has('ratelimit')).toBe(true)
    await Promise.all(before)
  })
  expect((await sendTo(api.base, '/leads?limit=1', bearer(key))).status).toBe(200)
}, 15_000)

test('what waits when its key is revoked is not begun', async () => {
  const key = await api.makeKey('read:leads')
  // More than the failed tries that an address has.
  const waiting = 25
  const asked: Promise<{ status: number }>[] = []
  await whileLocked(api.url, 'leads', async () => {
    const before = await permits()
    for (let number = 0; number < waiting; number += 1)
      asked.push(sendTo(api.base, '/leads?limit=1', bearer(key)))
    await until(async () => (await permits()) === before + asked.length)
    await api.sql`
      update api_keys set revoked_at = now() where digest = sha256(${key}::text::bytea)`
    await until(
      async () => (await sendTo(api.base, '/schemas/analysis', bearer(key))).status === 401,
    )
  })
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, ...Array<number>(waiting - 1).fill(401)])
}, 15_000)
