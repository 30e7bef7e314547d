// Retention: expired events go, oldest first, the horizon follows, and the head stays.
import { beforeEach, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { prune, pruneEvents } from '../../src/worker/pruning.ts'
import { oneConnection } from '../support/database/database.ts'
import { sequenceAll } from '../support/feed/sequencing.ts'
import { quietLog, useService } from '../support/http/service.ts'

const api = useService()
const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day)

const pruning = () => ({ database: openDatabase(api.sql, queries), keepDays: 30 })

/** One run, so many days from now. */
const pruneAt = (days: number) => pruneEvents(pruning(), inDays(days))

async function sequence(...names: string[]) {
  for (const name of names) await api.sql`insert into leads (name) values (${name})`
  await sequenceAll(api.sql)
}

async function namesFrom(query = ''): Promise<string[]> {
  const { data } = (await api.send(`/events${query}`)).body
  return data.map((event: { data: { name: string } }) => event.data.name)
}

async function bounds() {
  const [row] = await api.sql`
    select head::float8 as head, horizon::float8 as horizon from feed_state`
  return row as unknown as { head: number; horizon: number }
}

/** As if an event, or all that is in the feed, had come so many days ago. */
const age = (days: number, name: string | null = null) => api.sql`
  update event_cursors set sequenced_at = ${inDays(-days).toISOString()}
  where ${name}::text is null
    or log_id in (select log_id from events where data ->> 'name' = ${name}::text)`

// Every test begins with an empty feed that goes on where the one before ended.
beforeEach(async () => {
  await sequenceAll(api.sql)
  await age(1_000)
  await pruneAt(0)
  expect(await namesFrom()).toEqual([])
})

test('events go once they are older than the retention time, and the horizon follows', async () => {
  await sequence('first', 'second', 'third')
  const { head } = await bounds()
  await age(10, 'first')
  await age(10, 'second')
  expect(await pruneAt(19.9)).toMatchObject({ events: 0 })
  expect(await namesFrom()).toEqual(['first', 'second', 'third'])
  expect(await pruneAt(20.1)).toEqual({ events: 2, horizon: head - 1 })
  expect(await namesFrom()).toEqual(['third'])
  expect((await api.send(`/events?after=${head - 2}`)).status).toBe(410)
  expect(await namesFrom(`?after=${head - 1}`)).toEqual(['third'])
  const [left] = await api.sql`
    select (select count(*)::integer from events) as events, (select count(*)::integer from event_cursors) as cursors`
  expect(left).toEqual({ events: 1, cursors: 1 })
})

test('a feed of which all has expired keeps its head, and goes on', async () => {
  await sequence('read by all')
  const { head } = await bounds()
  expect(await pruneAt(31)).toEqual({ events: 1, horizon: head })
  expect(await bounds()).toEqual({ head, horizon: head })
  expect((await api.send(`/events?after=${head - 1}`)).status).toBe(410)
  // A reader that had everything has missed nothing.
  const { body } = await api.send(`/events?after=${head}`)
  expect(body).toMatchObject({ data: [], meta: { next_cursor: head } })
  await sequence('after the pause')
  expect(await namesFrom(`?after=${head}`)).toEqual(['after the pause'])
  expect((await bounds()).head).toBe(head + 1)
})

// Ages in days of five events, in the order of their cursors; which of them are left after one run, and after a second one.
const courses: [what: string, ages: string, left: string, later?: string][] = [
  ['nothing has expired', '29 20 10 5 0', '0 1 2 3 4'],
  ['those of one day have', '31 31 31 29 0', '3 4'],
  [
    'a run deletes a day at most, in case the clock has jumped',
    '33.5 32.8 32 31.5 0',
    '2 3 4',
    '4',
  ],
  ['the first came while the clock was far behind', '20000 31 30.5 10 0', '1 2 3 4', '3 4'],
  ['one in between came while the clock was behind: it waits', '31 10 400 5 0', '1 2 3 4'],
  ['some came while the clock was ahead: they go with expired ones', '-300 -300 31 10 0', '3 4'],
  ['some came while the clock was ahead: younger ones keep them', '-300 -300 10 5 0', '0 1 2 3 4'],
]

test.each(courses)('which go: %s', async (_, given, left, later = left) => {
  const ages = given.split(' ').map(Number)
  await sequence(...ages.map((_, index) => String(index)))
  for (const [index, days] of ages.entries()) await age(days, String(index))
  await pruneAt(0)
  expect((await namesFrom()).join(' ')).toBe(left)
  await pruneAt(0)
  expect((await namesFrom()).join(' ')).toBe(later)
})

test('a run goes batch by batch, each with its horizon', async () => {
  await api.sql`insert into leads (name) select n::text from generate_series(1, 2300) as n`
  await sequence()
  await age(31)
  const horizons: number[] = []
  const { database } = pruning()
  const watched: typeof database = {
    ...database,
    async rows(name, args) {
      const rows = await database.rows(name, args)
      horizons.push((await bounds()).horizon)
      return rows
    },
  }
  const { head, horizon } = await bounds()
  expect(await pruneEvents({ database: watched, keepDays: 30 })).toEqual({
    events: 2_300,
    horizon: head,
  })
  expect(horizons).toEqual([horizon + 1_000, horizon + 2_000, head, head])
})

test('pruning waits for no reader, and a reader sees a page whole', async () => {
  await sequence('will expire')
  const reader = oneConnection(api.url)
  try {
    await reader`begin isolation level repeatable read`
    await reader`select count(*) from feed_events`
    expect(await pruneAt(31)).toMatchObject({ events: 1 })
    expect(await reader`select from feed_events`).toHaveLength(1)
    expect(await namesFrom()).toEqual([])
  } finally {
    await reader.end({ timeout: 1 })
  }
})

test('two that prune at once do it once', async () => {
  await sequence('one', 'two')
  const results = await Promise.all([pruneAt(31), pruneAt(31), pruneAt(31)])
  expect(results.map(({ events }) => events).sort()).toEqual([0, 0, 2])
})

test('deliveries are pruned after events, also where those fail', async () => {
  const asked: string[] = []
  const { database } = pruning()
  const failing: typeof database = {
    ...database,
    async rows(name, args) {
      asked.push(name)
      if (name === 'pruneEvents') throw new Error('statement timeout')
      return await database.rows(name, args)
    },
  }
  const run = prune({ database: failing, keepDays: 30 }, quietLog())
  await expect(run).rejects.toThrow('statement timeout')
  expect(asked).toEqual(['pruneOwnerNotices', 'pruneEvents', 'pruneDeliveries'])
})

test('without an end of retention nothing of the feed goes', async () => {
  await sequence('kept for ever')
  await age(40_000)
  await prune({ ...pruning(), keepDays: -1 }, quietLog())
  expect(await namesFrom()).toEqual(['kept for ever'])
})

test('events of a long transaction age from the moment they entered the feed', async () => {
  await api.sql.begin(async writer => {
    await writer`insert into leads (name) values ('long')`
    await writer`update events set occurred_at = ${inDays(-40).toISOString()}`
  })
  await sequence()
  await pruneAt(0)
  expect(await namesFrom()).toEqual(['long'])
})
