// What the owner is to be told is recorded with the attempt that reached the number, exactly once.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)

type Outcome = 'delivered' | 'failed'

let cursor = 0

/** Records outcomes of one subscription in one batch. */
async function record(subscription_id: string, outcomes: Outcome[]) {
  const attempts = outcomes.map(outcome => {
    cursor += 1
    return {
      ...{ subscription_id, cursor, version: 1, duration_ms: 5, attempt: 1, status: 500 },
      started_at: new Date(cursor * 1_000),
      outcome: outcome === 'failed' ? 'f' : 'd',
      error_class: outcome === 'failed' ? 'status' : null,
    }
  })
  const [{ identity } = {}] = await test_.sql`select database_identity() as identity`
  await database().rows('recordAttempts', { fence: 0, identity, attempts, positions: {} })
}

const noticed = async (subscription_id: string) => {
  const rows = await test_.sql`select failures from owner_notices
    where subscription_id = ${subscription_id} order by created_at, failures`
  return rows.map(row => row.failures)
}

const failed = (count: number) => Array<'failed'>(count).fill('failed')

test.each([
  ['four in a row', [failed(4)], []],
  ['five, one by one', [failed(1), failed(1), failed(1), failed(1), failed(1)], [5]],
  ['nine at once', [failed(9)], [5, 8]],
  ['from four to nine', [failed(4), failed(5)], [5, 8]],
  ['twelve at once', [failed(12)], [5, 8, 10]],
  ['ten, and more while paused', [failed(10), failed(3)], [5, 8, 10]],
  ['six, one delivered, six more', [failed(6), ['delivered'], failed(6)], [5, 5]],
] as [string, Outcome[][], number[]][])('%s', async (_, batches, expected) => {
  const { id } = await factory.hook(test_.sql)
  for (const batch of batches) await record(id, batch)
  expect(await noticed(id)).toEqual(expected)
})

const claimOn = (sql: Sql, retry_ms: number, is_set = true) =>
  openDatabase(sql, queries).rows('claimOwnerNotices', { is_set, retry_ms, row_limit: 20 })
const claim = (retry_ms: number) => claimOn(test_.sql, retry_ms)

test('a notice is claimed by one, is due again when it is not accepted, and is forgotten after a day', async () => {
  await test_.sql`delete from owner_notices`
  const { id } = await factory.hook(test_.sql, {
    consecutive_failures: 9,
    failing_since: new Date(),
  })
  await record(id, ['failed'])
  // The second one looks while the first one's claim is not committed.
  const [first, second] = await test_.sql.begin(async transaction => {
    const claimed = await claimOn(transaction as unknown as Sql, 60_000)
    return [claimed, await claim(60_000)]
  })
  expect([first?.map(notice => notice.failures), second]).toEqual([[10], []])
  expect(await claim(60_000)).toEqual([])
  await test_.sql`update owner_notices set due_at = now()`
  expect(await claim(0)).toHaveLength(1)
  await test_.sql`update owner_notices set created_at = now() - interval '25 hours', due_at = now()`
  expect(await claim(0)).toEqual([])
  expect(await database().rows('pruneOwnerNotices', {})).toEqual([])
  await test_.sql`update owner_notices set created_at = now() - interval '31 days'`
  expect(await database().rows('pruneOwnerNotices', {})).toHaveLength(1)
})

test('none is taken before an address is set up, and none again that was accepted', async () => {
  await test_.sql`delete from owner_notices`
  const { id } = await factory.hook(test_.sql)
  await record(id, failed(5))
  expect(await claimOn(test_.sql, 0, false)).toEqual([])
  await test_.sql`update notice_settings set mail_to = 'owner@example.com'`
  const [mail] = await claimOn(test_.sql, 60_000, false)
  expect(mail).toMatchObject({ subscription_id: id, mail_to: 'owner@example.com' })
  await database().rows('updateOwnerNotice', { id: mail?.id ?? '', status: 250, error_class: null })
  await test_.sql`update owner_notices set due_at = now()`
  expect(await claim(0)).toEqual([])
})

test('the pause doubles with each attempt, to 32 times the first', async () => {
  await test_.sql`delete from owner_notices`
  const { id } = await factory.hook(test_.sql)
  await record(id, failed(5))
  const pauses: number[] = []
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await claim(60_000)
    const [row] = await test_.sql`
      update owner_notices set due_at = now()
      returning (select round(extract(epoch from before.due_at - now()) / 60)::integer
        from owner_notices as before where before.id = owner_notices.id) as minutes`
    pauses.push(row?.minutes)
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 32, 32])
})

test('a test is tried once, and nothing is said of a subscription that is gone', async () => {
  await test_.sql`delete from owner_notices`
  await factory.ownerNotice(test_.sql, {
    subscription_id: null,
    failures: null,
    created_at: new Date(),
  })
  await factory.ownerNotice(test_.sql, { created_at: new Date() })
  expect(await claim(0)).toMatchObject([{ failures: null, target_url: null }])
  expect(await claim(0)).toEqual([])
})
