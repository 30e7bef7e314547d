// What tells an open page that its subscription changed.
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { getHookPulse } from '../../src/operations/overview.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const test_ = useDatabase()

test('what was changed and changed back between two looks is seen', async () => {
  const { sql } = test_
  const { id } = await factory.hook(sql)
  const pulse = () => getHookPulse(openDatabase(sql, queries), String(id), null)
  const before = await pulse()
  expect(await pulse()).toBe(before)
  await sql`update hook_subscriptions set active = false, paused_at = now()`
  await sql`update hook_subscriptions set active = true, paused_at = null`
  expect(await pulse()).not.toBe(before)
})

test('that its process ended, and that a delivery has waited for long since, is seen', async () => {
  const { sql } = test_
  const { id: worker } = await factory.worker(sql)
  const { id } = await factory.hook(sql)
  const pulse = () => getHookPulse(openDatabase(sql, queries), String(id), null)
  await sql`update hook_positions set worker = ${String(worker)} where subscription_id = ${String(id)}`
  const owned = await pulse()
  await sql`update hook_workers set lease_until = now() - interval '1 second'`
  const left = await pulse()
  const { cursor } = await factory.event(sql, { sequenced_at: new Date() })
  const waiting = await pulse()
  await sql`update event_cursors set sequenced_at = now() - interval '31 seconds' where cursor = ${Number(cursor)}`
  const late = await pulse()
  expect(new Set([owned, left, late]).size).toBe(3)
  expect(waiting).toBe(left)
})
