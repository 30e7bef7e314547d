// Retention of the log: bodies go when nothing points to them any more, and no writer loses an event by it.
import { expect, test } from 'bun:test'
import { oneConnection } from '../support/database/database.ts'
import { codeOf, useRetention } from '../support/feed/retention.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
const { namesFrom, pruneAt, pruneLogAt, sequence, write } = useRetention(api)

test('an event that has no cursor yet keeps its partition, whatever else expired', async () => {
  await sequence('sequenced')
  await write('waiting')
  await pruneAt(2)
  await pruneLogAt(2)
  await pruneAt(40)
  expect(await pruneLogAt(40)).toBe(0)
  await sequence()
  expect(await namesFrom()).toEqual(['waiting'])
})

test('a writer that has drawn its id loses nothing, and dropping waits for it no longer than 200 ms', async () => {
  await sequence('old')
  const writer = oneConnection(api.url)
  try {
    await writer`begin`
    await writer`insert into leads (name) values ('in the middle')`
    await pruneAt(2)
    expect(await codeOf(pruneLogAt(2))).toBe('55P03')
    await pruneAt(40)
    const startedAt = performance.now()
    expect(await codeOf(pruneLogAt(40))).toBe('55P03')
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    const next = await api.sql`insert into leads (name) values ('next to it')`
    expect(next.count).toBe(1)
    await writer`commit`
  } finally {
    await writer.end({ timeout: 1 })
  }
  // It is committed and has no cursor yet.
  expect(await pruneLogAt(40)).toBe(0)
  await sequence()
  expect((await namesFrom()).sort()).toEqual(['in the middle', 'next to it'])
})

test('one that commits while dropping waits for it loses nothing either', async () => {
  await sequence('old')
  const writer = oneConnection(api.url)
  try {
    await writer`begin`
    await writer`insert into leads (name) values ('just in time')`
    await api.sql`select setval('events_log_id_seq', (select last from feed_partitions where parent = 'events' and last >= last_value order by last limit 1)) from events_log_id_seq`
    await pruneAt(2)
    await pruneAt(40)
    const dropped = pruneLogAt(40)
    await until(async () => {
      const rows = await api.sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%prune_log%'`
      return rows.length > 0
    })
    await writer`commit`
    expect(await dropped).toBe(0)
  } finally {
    await writer.end({ timeout: 1 })
  }
  await sequence()
  expect(await namesFrom()).toEqual(['just in time'])
})

test('ids jump to a partition that is there, however often closing is tried again', async () => {
  await sequence('one')
  const last = async () =>
    Number((await api.sql`select last_value from events_log_id_seq`)[0]?.last_value)
  const width = 10_000_000
  const before = await last()
  const reader = oneConnection(api.url)
  try {
    await reader`begin`
    await reader`select count(*) from events`
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(pruneLogAt(2)).rejects.toThrow()
      await write(`meanwhile ${attempt}`)
    }
    expect(await last()).toBe(before + 3)
  } finally {
    await reader`rollback`
    await reader.end()
  }
  await pruneLogAt(2)
  expect(await last()).toBe(Math.ceil(before / width) * width)
  await sequence('on the other side')
  expect(await isSequenced(api.sql)).toBe(true)
  expect(await last()).toBe(Math.ceil(before / width) * width + 1)
  // Its oldest event is young: nothing to close.
  await pruneLogAt(0)
  expect(await last()).toBe(Math.ceil(before / width) * width + 1)
})
