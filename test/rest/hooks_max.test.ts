// HOOKS_MAX is exact however many ask at the same moment, and a write waits for its permit.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type RunningService, startService } from '../../src/api/start.ts'
import { hook } from '../support/database/factory.ts'
import {
  allowedTargets,
  bearer,
  quietLog,
  sendTo,
  subscriptionBody,
  type TestReply,
  useService,
} from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'

const settings = { ...allowedTargets, RATE_LIMIT_PER_MINUTE: '100' }
const api = useService(settings)
let second: RunningService

beforeAll(async () => {
  second = await startService(testConfig(settings), api.url, quietLog())
})
afterAll(() => second.stop())

beforeEach(async () => {
  await api.sql`delete from hook_subscriptions`
})

async function fill(count: number) {
  for (let index = 0; index < count; index += 1)
    await hook(api.sql, { created_at: `2026-01-01T00:00:${String(index % 60).padStart(2, '0')}Z` })
}

const countOf = async () =>
  (await api.sql`select count(*)::int as count from hook_subscriptions where deleted_at is null`)[0]
    ?.count

/** POST /hooks so many times at once, by turns to each of two services. */
function subscribeAtOnce(times: number, key: string): Promise<TestReply[]> {
  const bases = [api.base, `${second.url}/api/v1`]
  const init = { method: 'POST', body: JSON.stringify(subscriptionBody()), ...bearer(key) }
  return Promise.all(
    Array.from({ length: times }, (_, index) => sendTo(bases[index % 2] ?? '', '/hooks', init)),
  )
}

const statusesOf = (replies: TestReply[]) => replies.map(({ status }) => status).toSorted()

test('twenty at once for the last of 100 places: one gets it, nineteen are refused', async () => {
  await fill(99)
  const replies = await subscribeAtOnce(20, await api.makeKey('write:hooks'))
  expect(statusesOf(replies)).toEqual([201, ...Array(19).fill(400)])
  for (const { status, body } of replies)
    if (status === 400)
      expect(body.error).toEqual({
        code: 'invalid_subscription',
        message: 'There are 100 subscriptions already, which is the most; delete one first.',
      })
  expect(await countOf()).toBe(100)
})

test('what the limit refuses leaves no trace: a write begins when it is permitted', async () => {
  const key = await api.makeKey('write:hooks')
  const own = Array.from({ length: 90 }, () => sendTo(api.base, '/hooks', bearer(key)))
  expect(statusesOf(await Promise.all(own))).toEqual(Array(90).fill(200))
  const replies = await subscribeAtOnce(30, key)
  expect(statusesOf(replies)).toEqual([...Array(10).fill(201), ...Array(20).fill(429)])
  expect(await countOf()).toBe(10)
})
