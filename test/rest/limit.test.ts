// Spec part 8: 240 requests per minute and key over all processes; failed authentications per client.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type RunningService, startService } from '../../src/api/start.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import { bearer, quietLog, sendTo, useService } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const api = useService({ RATE_LIMIT_PER_MINUTE: '240' })
let second: RunningService

beforeAll(async () => {
  second = await startService(testConfig(), api.url, quietLog())
})
afterAll(async () => {
  await second.stop()
})

const bases = () => [api.base, `${second.url}/api/v1`]

test('of 300 requests with one key on two processes exactly 240 succeed', async () => {
  const key = await api.makeKey('read:leads')
  const replies = await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      sendTo(bases()[index % 2] ?? '', '/leads?limit=1', bearer(key)),
    ),
  )
  const granted = replies.filter(({ status }) => status === 200)
  const refused = replies.filter(({ status }) => status === 429)
  expect([granted.length, refused.length]).toEqual([240, 60])
  for (const { headers, body } of refused) {
    expect(body.error.code).toBe('rate_limited')
    expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|6[01])$/)
    expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
    expect(headers.get('ratelimit-policy')).toBe('"default";q=240;w=60')
  }
})

test('the headers count down, and another key has its own count', async () => {
  const key = await api.makeKey('read:leads')
  for (const left of [239, 238])
    expect((await sendTo(api.base, '/leads', bearer(key))).headers.get('ratelimit')).toBe(
      `"default";r=${left};t=60`,
    )
  const other = await api.makeKey('read:leads')
  expect((await sendTo(api.base, '/leads', bearer(other))).headers.get('ratelimit')).toContain(
    'r=239',
  )
})

test('a revoked key fails within 100 ms on both processes', async () => {
  const key = await api.makeKey('read:leads')
  const statuses = () =>
    Promise.all(bases().map(async base => (await sendTo(base, '/leads', bearer(key))).status))
  expect(await statuses()).toEqual([200, 200])
  await api.sql`update api_keys set revoked_at = now() where prefix = ${key.slice(0, 12)}`
  await until(async () => (await statuses()).every(status => status === 401), 100)
})

test('20 failed authentications in a minute lock a client out, but never a valid key', async () => {
  const third = await startService(testConfig(), api.url, quietLog())
  try {
    const base = `${third.url}/api/v1`
    const attempt = () => sendTo(base, '/leads', bearer(makeApiKey()))
    for (let failures = 0; failures < 20; failures += 1) expect((await attempt()).status).toBe(401)
    const refused = await attempt()
    expect(refused.body.error.code).toBe('rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect((await sendTo(base, '/leads')).body.error.code).toBe('missing_token')
    expect((await sendTo(base, '/leads', bearer(api.key))).status).toBe(200)
  } finally {
    await third.stop()
  }
})

test('a request that names no token does not count as a failed authentication', async () => {
  for (let attempts = 0; attempts < 25; attempts += 1)
    expect((await sendTo(api.base, '/leads')).status).toBe(401)
  expect((await sendTo(api.base, '/leads', bearer(makeApiKey()))).status).toBe(401)
})

test('the last use of a key is noted when the service stops', async () => {
  const own = await startService(testConfig(), api.url, quietLog())
  const key = await api.makeKey('read:leads')
  await sendTo(`${own.url}/api/v1`, '/leads', bearer(key))
  await own.stop()
  const [row] = await api.sql<{ recent: boolean }[]>`
    select last_used_at > now() - interval '1 minute' as recent from api_keys where prefix = ${key.slice(0, 12)}`
  expect(row?.recent).toBe(true)
})
