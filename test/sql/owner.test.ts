// What the owner is to be told is recorded with the attempt that reached the number, exactly once.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'
import { attemptRecord, recordAttempts } from '../support/recording.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)

/** Records outcomes of one subscription in one batch. */
async function record(subscription_id: string, outcomes: ('delivered' | 'failed')[]) {
  const attempts = await Promise.all(
    outcomes.map(async outcome => {
      const claim = randomUUID()
      const due_at = new Date(Date.now() + 60_000)
      const { id } = await factory.delivery(test_.sql, { subscription_id, claim, due_at })
      const error_class = outcome === 'failed' ? 'status' : null
      return attemptRecord({ id, claim }, { outcome, status: 500, error_class })
    }),
  )
  await recordAttempts(test_.sql, attempts)
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
  ['six, one delivered, six more in one batch', [failed(6), ['delivered', ...failed(6)]], [5, 5]],
  ['six, one delivered, four more', [failed(6), ['delivered', ...failed(4)]], [5]],
] as [string, ('delivered' | 'failed')[][], number[]][])('%s', async (_, batches, expected) => {
  const { id } = await factory.hook(test_.sql)
  for (const batch of batches) await record(id, batch)
  expect(await noticed(id)).toEqual(expected)
})

test('recorded side by side, each number is noticed once', async () => {
  const { id } = await factory.hook(test_.sql)
  await Promise.all(Array.from({ length: 12 }, () => record(id, ['failed'])))
  expect(await noticed(id)).toEqual([5, 8, 10])
})

test('a notice is claimed by one, is due again when nobody accepts it, and is forgotten after a day', async () => {
  await test_.sql`delete from owner_notices`
  const { id } = await factory.hook(test_.sql, {
    consecutive_failures: 9,
    failing_since: new Date(),
  })
  await record(id, ['failed'])
  const claimOn = (sql: Sql, retry_ms: number) =>
    openDatabase(sql, queries).rows('claimOwnerNotices', { retry_ms, row_limit: 20 })
  const claim = (retry_ms: number) => claimOn(test_.sql, retry_ms)
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
  expect(await database().rows('pruneOwnerNotices', {})).toHaveLength(1)
})
