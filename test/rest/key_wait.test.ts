// What becomes of requests that wait for others of their key.
import { expect, test } from 'bun:test'
import { openLog } from '../../src/observability/log.ts'
import { useDatabase } from '../support/database/database.ts'
import { countLockWaits, whileLocked } from '../support/database/locks.ts'
import { bearer, sendTo, useServiceOn } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const faults: string[] = []
const fault = (_where: string, error: unknown) => faults.push((error as Error).message)
const database = useDatabase()
const api = useServiceOn(database, () => ({
  url: database.url,
  settings: { DATABASE_POOL_MAX: '1', STATEMENT_TIMEOUT_MS: '2000' },
  log: { ...openLog('silent'), fault },
}))

const isWaiting = async () => (await countLockWaits(api.sql)) > 0

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

test('a write whose client left while it waited is not begun', async () => {
  const body = JSON.stringify({
    target_url: 'https://hooks.example.com/',
    event_types: ['lead.created'],
  })
  const { id } = (await api.send('/hooks', { method: 'POST', body })).body.data
  await whileLocked(api.url, 'leads', async () => {
    const read = api.send('/leads?limit=1')
    await until(isWaiting)
    const before = await permits()
    const leaving = new AbortController()
    const removal = api.send(`/hooks/${id}`, { method: 'DELETE', signal: leaving.signal })
    await until(async () => (await permits()) > before)
    leaving.abort()
    await expect(removal).rejects.toThrow('aborted')
    expect((await read).status).toBe(503)
  })
  const { body: after } = await api.send('/hooks')
  expect(after.data.map((hook: { id: string }) => hook.id)).toEqual([id])
}, 15_000)

/** Makes a subscription that is there only after its request was answered with 503. */
async function subscribeLate(target_url: string) {
  const body = JSON.stringify({ target_url, event_types: ['lead.created'] })
  await api.sql.unsafe(`
    create or replace function insert_late() returns trigger language plpgsql as $$
      begin perform pg_sleep(1.6); return new; end $$;
    create trigger insert_late before insert on hook_subscriptions for each row execute function insert_late()`)
  const before = await permits()
  await whileLocked(api.url, 'leads', async () => {
    const reads = [api.send('/leads?limit=1'), api.send('/leads?limit=1')]
    await until(async () => (await permits()) === before + reads.length)
    const { status, body: answered, headers } = await api.send('/hooks', { method: 'POST', body })
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    expect(answered.error.message).toStartWith('The database is busy')
    await Promise.all(reads)
  })
}

const targets = async () =>
  (await api.send('/hooks')).body.data.map((hook: { target_url: string }) => hook.target_url)

test('a subscription that is made after its request was given up is taken back', async () => {
  const target_url = 'https://late.example.com/'
  await subscribeLate(target_url)
  const deleted = () =>
    api.sql`select from hook_positions where deleted_at > now() - interval '10 seconds'`
  await until(async () => (await deleted()).length > 0)
  await api.sql`drop function insert_late() cascade`
  expect(await targets()).not.toContain(target_url)
}, 15_000)

test('the log says so where that one cannot be taken back', async () => {
  const target_url = 'https://kept.example.com/'
  await api.sql.unsafe(`
    create function refuse_removal() returns trigger language plpgsql as $$
      begin raise exception 'removal is refused'; end $$;
    create trigger refuse_removal before delete on hook_subscriptions for each row execute function refuse_removal()`)
  await subscribeLate(target_url)
  await until(() => faults.includes('removal is refused'))
  await api.sql`drop function insert_late(), refuse_removal() cascade`
  expect(await targets()).toContain(target_url)
}, 15_000)

test('a read whose client left while it waited is not begun, so others of its key come sooner', async () => {
  const leaving = new AbortController()
  await whileLocked(api.url, 'leads', async () => {
    const before = await permits()
    const first = api.send('/leads?limit=1')
    await until(isWaiting)
    const left = Array.from({ length: 5 }, () =>
      api.send('/leads?limit=1', { signal: leaving.signal }).catch(() => undefined),
    )
    await until(async () => (await permits()) === before + 6)
    leaving.abort()
    await Promise.all(left)
    const { body } = await api.send('/leads?limit=1')
    // It began, as the first did; behind five that wait for the lock it would not.
    expect(body.error.message).toStartWith('The database is busy')
    await first
  })
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
