// Retention: whole partitions go with the horizon, readers and writers go on, a quiet feed is pruned too.
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { sequenceBatch } from '../../src/feed/sequencer.ts'
import { prune, pruneOnce } from '../../src/retention/prune.ts'
import { noDeliverer } from '../support/claiming.ts'
import { oneConnection } from '../support/database.ts'
import { quietLog, useService } from '../support/service.ts'
import { until } from '../support/until.ts'

const api = useService()
const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day)
const pruning = () => ({ sql: api.sql, queries, keepDays: 30 })

async function sequence(names: string[]) {
  for (const name of names) await api.sql`insert into leads (name) values (${name})`
  await sequenceBatch({
    database: openDatabase(api.sql, queries),
    log: quietLog(),
    deadline: work => work,
    deliverer: noDeliverer,
  })
}

const namesFrom = async (query = '') =>
  (await api.send(`/events${query}`)).body.data.map(
    (event: { data: { name: string } }) => event.data.name,
  )

test('events go once they are older than the retention time, and the horizon follows', async () => {
  await sequence(['first', 'second'])
  // A day later the partition is closed: cursors jump, nothing is lost.
  await pruneOnce(pruning(), inDays(1.1))
  await sequence(['third'])
  const { body } = await api.send('/events')
  const cursors = body.data.map((event: { cursor: number }) => event.cursor)
  expect(cursors.slice(0, 2)).toEqual([1, 2])
  expect(cursors[2]).toBeGreaterThan(1_000_000)

  await api.sql`update events set sequenced_at = now() - interval '10 days' where cursor <= 2`
  expect(await pruneOnce(pruning(), inDays(19))).toMatchObject({ partitions_dropped: 0 })
  expect(await namesFrom()).toEqual(['first', 'second', 'third'])
  expect(await pruneOnce(pruning(), inDays(20.1))).toMatchObject({ partitions_dropped: 1 })
  expect(await namesFrom()).toEqual(['third'])
  expect((await api.send('/events?after=1')).status).toBe(410)
  expect((await api.send('/events?after=2')).body.data).toHaveLength(1)
  expect(await namesFrom(`?after=${cursors[2] - 1}`)).toEqual(['third'])
})

test('a feed whose events have all expired goes on, and whoever reads regularly never falls behind', async () => {
  const { next_cursor: atHead } = (await api.send('/events')).body.meta
  await pruneOnce(pruning(), inDays(400))
  const [feed] = await api.sql`select head, horizon from feed`
  const { body } = await api.send('/events')
  expect(body).toMatchObject({ data: [], meta: { next_cursor: feed?.head } })
  expect((await api.send(`/events?after=${feed?.horizon - 1}`)).status).toBe(410)
  // Who had read everything before has missed nothing, and is not told so.
  expect((await api.send(`/events?after=${atHead}`)).body.data).toEqual([])
  await sequence(['after the pause'])
  expect(await namesFrom(`?after=${body.meta.next_cursor}`)).toEqual(['after the pause'])
})

test('partitions are made ahead of the head', async () => {
  const rows = await api.sql`
    select first_cursor, last_cursor from events_partitions, feed where last_cursor > feed.head order by first_cursor`
  expect(rows.length).toBeGreaterThanOrEqual(2)
})

test('pruning waits for a reader without blocking the others for long', async () => {
  await sequence(['will expire'])
  const reader = oneConnection(api.url)
  await reader`begin`
  await reader`select count(*) from events`
  try {
    const attempt = pruneOnce(pruning(), inDays(800)).then(
      () => 'pruned',
      error => (error as { code: string }).code,
    )
    const startedAt = performance.now()
    expect((await api.send('/events')).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect(await attempt).toBe('55P03')
  } finally {
    await reader`rollback`
    await reader.end()
  }
  await prune(pruning(), quietLog())
})

test('events of a long transaction age from the moment they entered the feed', async () => {
  await api.sql.begin(async writer => {
    await writer`insert into leads (name) values ('long')`
    await writer`update event_outbox set occurred_at = now() - interval '40 days'`
  })
  await sequenceBatch({
    database: openDatabase(api.sql, queries),
    log: quietLog(),
    deadline: work => work,
    deliverer: noDeliverer,
  })
  await pruneOnce(pruning(), new Date())
  await until(async () => (await namesFrom()).includes('long'))
})

test('pruned daily, events live no longer than the retention time and the day of their partition', async () => {
  const { sql } = api
  await sql`update feed set horizon = head`
  for (let days = 1; days <= 70; days += 1) {
    await sequence([`day ${days}`])
    // The event of today has the age it would have if the clock had moved.
    await sql`update events set sequenced_at = ${inDays(2_000 + days).toISOString()} where data ->> 'name' = ${`day ${days}`}`
    await pruneOnce(pruning(), inDays(2_000 + days + 0.5))
    const [oldest] = await sql`
      select extract(epoch from ${inDays(2_000 + days + 0.5).toISOString()}::timestamptz - min(sequenced_at)) / 86400 as days
      from events, feed where cursor > horizon and data ->> 'name' like 'day %'`
    expect(Number(oldest?.days)).toBeLessThan(32.5)
  }
  const [kept] =
    await sql`select count(*)::integer as count from events where data ->> 'name' like 'day %'`
  expect(kept?.count).toBeGreaterThanOrEqual(30)
  expect(kept?.count).toBeLessThanOrEqual(33)
}, 60_000)
