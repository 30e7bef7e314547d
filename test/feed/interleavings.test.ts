// The commit-order problem: a number drawn at insert becomes visible at commit. Two fixed interleavings lose an event for a reader
// of `id > cursor`, the second one also for a reader that waits for the oldest running transaction; the feed loses none.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { oneConnection } from '../support/database/database.ts'
import { feedReader } from '../support/feed/feed_reader.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
useWorker(api)

const insert = (sql: Sql, name: string) => sql`insert into leads (name) values (${name})`
const drawXid = (sql: Sql) => sql`select pg_current_xact_id()`

test.each<[string, (first: Sql, second: Sql) => Promise<unknown>]>([
  [
    'draws first and commits last',
    async (first, second) => {
      await insert(first, 'first')
      await insert(second, 'second')
    },
  ],
  [
    'has the higher transaction id and the lower number',
    async (first, second) => {
      await drawXid(second)
      await drawXid(first)
      await insert(first, 'first')
      await insert(second, 'second')
    },
  ],
])('an event of a transaction that %s is read', async (_what, write) => {
  const reader = feedReader(api, { limit: 7 })
  const before = (await reader.readAll()).length
  const [first, second] = [oneConnection(api.url), oneConnection(api.url)] as const
  for (const sql of [first, second]) await sql`begin`
  await write(first, second)
  await second`commit`
  await until(() => isSequenced(api.sql))
  await reader.readAll()
  await first`commit`
  await until(() => isSequenced(api.sql))
  const names = (await reader.readAll()).slice(before).map(({ data }) => data.name)
  expect(names).toEqual(['second', 'first'])
  await Promise.all([first.end(), second.end()])
})
