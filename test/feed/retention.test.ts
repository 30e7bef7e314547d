// Retention: whole partitions go with the horizon, readers and writers go on, a quiet feed is pruned too.
import { expect, test } from 'bun:test'
import { prune } from '../../src/worker/pruning.ts'
import { oneConnection } from '../support/database/database.ts'
import { codeOf, inDays, useRetention } from '../support/feed/retention.ts'
import { sequenceSettled } from '../support/feed/sequencing.ts'
import { quietLog, useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
const { age, bounds, namesFrom, pruneAt, pruneLogAt, pruning, sequence } = useRetention(api)

test('events go once they are older than the retention time, and the horizon follows', async () => {
  await sequence('first', 'second')
  const { head } = await bounds()
  // A day later the partition is closed: cursors jump, nothing is lost.
  await pruneAt(1.1)
  await sequence('third')
  const { body } = await api.send('/events')
  const cursors = body.data.map((event: { cursor: number }) => event.cursor)
  expect(cursors.slice(0, 2)).toEqual([head - 1, head])
  expect(cursors[2]).toBeGreaterThan(head + 1_000_000)

  await age(10, 'first')
  await age(10, 'second')
  expect(await pruneAt(19)).toMatchObject({ partitions_dropped: 0 })
  expect(await namesFrom()).toEqual(['first', 'second', 'third'])
  expect(await pruneAt(20.1)).toMatchObject({ partitions_dropped: 1 })
  expect(await namesFrom()).toEqual(['third'])
  expect((await api.send(`/events?after=${head - 1}`)).status).toBe(410)
  expect((await api.send(`/events?after=${head}`)).body.data).toHaveLength(1)
  expect(await namesFrom(`?after=${cursors[2] - 1}`)).toEqual(['third'])
})

test('an idle feed expires as a whole, its bodies too, and goes on', async () => {
  await sequence('read by all')
  const { head } = await bounds()
  // Of each the partition is closed after a day, and dropped when it has expired.
  await pruneAt(2)
  expect(await pruneLogAt(2)).toBe(0)
  expect(await pruneAt(31)).toMatchObject({ partitions_dropped: 1 })
  expect(await pruneLogAt(31)).toBe(1)
  expect([...(await api.sql`select from events`)]).toEqual([])
  const after = await bounds()
  expect(after.horizon).toBe(head)
  expect((await api.send(`/events?after=${head - 1}`)).status).toBe(410)
  // A reader that had everything has missed nothing, and is not told so.
  const { body } = await api.send(`/events?after=${head}`)
  expect(body).toMatchObject({ data: [], meta: { next_cursor: after.head } })
  await sequence('after the pause')
  expect(await namesFrom(`?after=${head}`)).toEqual(['after the pause'])
})

test('partitions are made ahead of the head and of the ids, and an idle feed makes no more', async () => {
  const ahead = async () => {
    const rows = await api.sql`
      select parent, count(*)::integer as count from feed_partitions
      where last > case parent when 'events' then (select last_value from events_log_id_seq) else (select head from feed_state) end
      group by parent order by parent`
    return rows.map(({ parent, count }) => [parent, count])
  }
  await sequence('one')
  for (const days of [0, 1.1, 2.2, 3.3]) {
    await pruneAt(days)
    await pruneLogAt(days)
    for (const [, count] of await ahead()) expect(count).toBeWithin(2, 4)
  }
  const before = await bounds()
  await pruneAt(4.4)
  expect(await bounds()).toEqual(before)
})

test('pruning waits for a reader without blocking the others for long', async () => {
  await sequence('will expire')
  await pruneAt(2)
  const reader = oneConnection(api.url)
  await reader`begin`
  await reader`select count(*) from event_cursors`
  try {
    const attempt = codeOf(pruneAt(40))
    const startedAt = performance.now()
    expect((await api.send('/events')).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect(await attempt).toBe('55P03')
    expect(await namesFrom()).toEqual(['will expire'])
    // The schedule tries again, and then does it.
    const patient = prune({ ...pruning(), keepDays: 0 }, quietLog())
    await until(async () => {
      const rows = await api.sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%prune_events%'`
      return rows.length > 0
    })
    await reader`rollback`
    await patient
    expect(await namesFrom()).toEqual([])
  } finally {
    await reader.end({ timeout: 1 })
  }
})

test('without an end of retention, what is kept for an hour or a day goes all the same', async () => {
  const { sql } = api
  await sequence('kept for ever')
  await age(400, 'kept for ever')
  const partitions = () =>
    sql`select count(*)::integer as count from pg_inherits where inhparent in ('events'::regclass, 'event_cursors'::regclass)`
  const before = await partitions()
  await sql`insert into erased_events (cursor, erased_at) values (9000000000, now() - interval '2 hours')`
  await sql`insert into hook_workers (id, lease_until) values (gen_random_uuid(), now() - interval '2 days')`
  await prune({ ...pruning(), keepDays: -1 }, quietLog())
  const [left] = await sql`
    select
      (select count(*) from erased_events where cursor = 9000000000)::integer as erased,
      (select count(*) from hook_workers where lease_until < now() - interval '1 day')::integer as workers`
  expect(left).toEqual({ erased: 0, workers: 0 })
  expect(await namesFrom()).toEqual(['kept for ever'])
  expect(await partitions()).toEqual(before)
})

test('two that prune at once do it once', async () => {
  await sequence('one')
  await pruneAt(2)
  const results = await Promise.all([pruneAt(40), pruneAt(40), pruneAt(40)])
  expect(results.map(pruned => pruned?.partitions_dropped).sort()).toEqual([0, 0, 1])
})

test('what a transaction that began before it holds stays, and is counted, until that has ended', async () => {
  await sequence('one')
  await pruneAt(2)
  await sequence('two')
  await pruneAt(2)
  await api.sql`
    update feed_floor
    set late = jsonb_build_array(jsonb_build_object('xid', 3, 'log_id', log_id - 1, 'cursor', (select min(cursor) from event_cursors)))`
  expect(await pruneAt(40)).toMatchObject({ partitions_dropped: 1, partitions_left: 1 })
  expect(await namesFrom()).toEqual(['two'])
  await api.sql`update feed_floor set late = '[]'`
  expect(await pruneAt(40)).toMatchObject({ partitions_dropped: 1, partitions_left: 0 })
})

test('events of a long transaction age from the moment they entered the feed', async () => {
  await api.sql.begin(async writer => {
    await writer`insert into leads (name) values ('long')`
    await writer`update events set occurred_at = now() - interval '40 days'`
  })
  await sequenceSettled(api.sql)
  await pruneAt(0)
  await pruneLogAt(0)
  expect(await namesFrom()).toEqual(['long'])
})

test('pruned daily, events live no longer than the retention time and the day of their partition', async () => {
  const { sql } = api
  for (let days = 1; days <= 45; days += 1) {
    await sequence(`day ${days}`)
    // The event of today has the age it would have if the clock had moved.
    await age(-(2_000 + days), `day ${days}`)
    await pruneAt(2_000 + days + 0.5)
    await pruneLogAt(2_000 + days + 0.5)
    const [oldest] = await sql`
      select extract(epoch from ${inDays(2_000 + days + 0.5).toISOString()}::timestamptz - min(sequenced_at)) / 86400 as days
      from feed_events, feed where cursor > horizon and data ->> 'name' like 'day %'`
    expect(Number(oldest?.days)).toBeLessThan(32.5)
  }
  const [kept] = await sql`
    select count(*)::integer as bodies, (select count(*)::integer from event_cursors) as cursors from events`
  for (const count of [kept?.bodies, kept?.cursors]) expect(count).toBeWithin(30, 34)
  await age(1_000)
}, 60_000)
