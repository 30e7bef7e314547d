// The commit-order problem: a number drawn at insert becomes visible at commit. Two fixed interleavings tell
// a correct feed from the readers that look right: `id > cursor`, and the same with a snapshot's xmin.
import { beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { oneConnection } from '../support/database/database.ts'
import { feedReader } from '../support/feed/feed_reader.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
useWorker(api)

beforeAll(async () => {
  // What the naive readers read: the same writes with a number drawn at insert.
  await api.sql`
    create table numbered (id bigserial primary key, name text, xid xid8 not null default pg_current_xact_id())`
})

type Reader = { name: string; loses: ('A' | 'B')[]; open(): () => Promise<string[]> }

const naive = (condition: string) => () => {
  let cursor = '0'
  const seen: string[] = []
  return async () => {
    const rows = await api.sql.unsafe(
      `select id, name from numbered where id > ${cursor} and ${condition} order by id`,
    )
    for (const row of rows) {
      cursor = String(row.id)
      seen.push(row.name)
    }
    return seen
  }
}

const readers: Reader[] = [
  { name: 'id > cursor', loses: ['A', 'B'], open: naive('true') },
  {
    name: 'id > cursor below xmin',
    loses: ['B'],
    // The xmin of this database alone: tests next to this one hold transactions open too.
    open: naive(
      `xid::text::bigint < coalesce((select min(backend_xid::text::bigint) from pg_stat_activity where datname = current_database()), 9223372036854775807)`,
    ),
  },
  {
    name: 'the feed',
    loses: [],
    open: () => {
      const reader = feedReader(api, { limit: 7 })
      return async () => (await reader.readAll()).map(event => event.data.name)
    },
  },
]

const write = (transaction: Sql, name: string) =>
  transaction.unsafe(
    `insert into numbered (name) values ('${name}'); insert into leads (name) values ('${name}')`,
  )

/** Until the feed shows what is committed; the naive readers need no waiting. */
const sequenced = () => until(() => isSequenced(api.sql))

async function inTwoTransactions(work: (first: Sql, second: Sql) => Promise<void>) {
  const [first, second] = [oneConnection(api.url), oneConnection(api.url)]
  try {
    await work(first, second)
  } finally {
    await Promise.all([first.end(), second.end()])
  }
}

const scenarios = {
  // The first transaction draws first and commits last.
  A: (look: () => Promise<unknown>, names: [string, string]) =>
    inTwoTransactions(async (first, second) => {
      await first`begin`
      await write(first, names[0])
      await second`begin`
      await write(second, names[1])
      await second`commit`
      await sequenced()
      await look()
      await first`commit`
    }),
  // The second transaction has the lower transaction id and the higher number.
  B: (look: () => Promise<unknown>, names: [string, string]) =>
    inTwoTransactions(async (first, second) => {
      await second`begin`
      await second`select pg_current_xact_id()`
      await first`begin`
      await first`select pg_current_xact_id()`
      await write(first, names[0])
      await write(second, names[1])
      await second`commit`
      await sequenced()
      await look()
      await first`commit`
    }),
}

for (const reader of readers)
  for (const scenario of ['A', 'B'] as const) {
    const loses = reader.loses.includes(scenario)
    test(`in interleaving ${scenario} ${reader.name} ${loses ? 'loses an event' : 'loses nothing'}`, async () => {
      const mark = `${reader.name} ${scenario}`
      const names: [string, string] = [`${mark} first`, `${mark} second`]
      const look = reader.open()
      await scenarios[scenario](look, names)
      await sequenced()
      const seen = (await look()).filter(name => name.startsWith(mark)).sort()
      expect(seen).toEqual(loses ? [names[1]] : names)
    })
  }
