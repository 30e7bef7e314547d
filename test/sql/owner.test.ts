// Notices to the owner, once written: claimed by one process, tried again with longer pauses, forgotten in time.
import { beforeEach, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)
let id = ''

beforeEach(async () => {
  await test_.sql`delete from owner_notices`
  id = (await factory.hook(test_.sql, { consecutive_failures: 5, failing_since: new Date() })).id
  await factory.ownerNotice(test_.sql, { subscription_id: id, failures: 5, created_at: new Date() })
})

const claim = (retry_ms: number, { sql = test_.sql, is_set = true } = {}) =>
  openDatabase(sql, queries).rows('claimOwnerNotices', { is_set, retry_ms, row_limit: 20 })
const age = (interval: string) =>
  test_.sql`update owner_notices set created_at = now() - ${interval}::interval, due_at = now()`

test('a notice is claimed by one, is due again when it is not accepted, and is forgotten after a day', async () => {
  // The second one looks while the first one's claim is not committed.
  const [first, second] = await test_.sql.begin(async transaction => {
    const claimed = await claim(60_000, { sql: transaction as unknown as Sql })
    return [claimed, await claim(60_000)]
  })
  expect([first?.map(notice => notice.failures), second]).toEqual([[5], []])
  expect(await claim(60_000)).toEqual([])
  await age('1 hour')
  expect(await claim(0)).toHaveLength(1)
  await age('25 hours')
  expect(await claim(0)).toEqual([])
  expect(await database().rows('pruneOwnerNotices', {})).toEqual([])
  await age('31 days')
  expect(await database().rows('pruneOwnerNotices', {})).toHaveLength(1)
})

test('none is taken before an address is set up, and none again that was accepted', async () => {
  expect(await claim(0, { is_set: false })).toEqual([])
  await test_.sql`update notice_settings set mail_to = 'owner@example.com'`
  const [mail] = await claim(60_000, { is_set: false })
  expect(mail).toMatchObject({ subscription_id: id, mail_to: 'owner@example.com' })
  await database().rows('updateOwnerNotice', { id: mail?.id ?? '', error_class: null })
  await age('1 minute')
  expect(await claim(0)).toEqual([])
})

test('the pause doubles with each attempt, to 32 times the first', async () => {
  const pauses: number[] = []
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await claim(60_000)
    const [row] = await test_.sql`
      select round(extract(epoch from due_at - now()) / 60)::integer as minutes from owner_notices`
    pauses.push(row?.minutes)
    await age('0')
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 32, 32])
})

test('a test is tried once, and nothing is sent of a subscription that is gone', async () => {
  await test_.sql`delete from owner_notices`
  const test = { subscription_id: null, failures: null }
  for (const columns of [test, {}])
    await factory.ownerNotice(test_.sql, { ...columns, created_at: new Date() })
  expect(await claim(0)).toMatchObject([{ failures: null, target_url: null }])
  expect(await claim(0)).toEqual([])
})
