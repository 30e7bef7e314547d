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
