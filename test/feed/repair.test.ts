// A feed that was changed by hand or restored in part: the log says what to run, and after that events get their cursors.
import { beforeEach, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { reportWaitingEvents } from '../../src/feed/inconsistent_feed.ts'
import { errorCodeOf } from '../../src/lib/error_code.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { rolledBack } from '../support/database/rolled_back.ts'
import { sequenceAll, startTestSequencer } from '../support/feed/sequencing.ts'
import { quietLog } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const database = useDatabase()

const write = (name: string) => database.sql`insert into leads (name) values (${name})`

const cursorOf = async (name: string) =>
  (
    await database.sql`
      select cursor::float8 as cursor from feed_events where data ->> 'name' = ${name}`
  ).map(row => row.cursor)

async function repair() {
  const [row] = await openDatabase(database.sql, queries).rows('updateFeedState', {})
  return { mended: JSON.parse(row?.mended ?? '[]') as string[], head: row?.head }
}

/** A sequencer at work, and the reasons its log gave for a feed that is not right. */
function start() {
  const reasons: string[] = []
  const failed: string[] = []
  const log = {
    ...quietLog(),
    feedInconsistent: (reason: string) => void reasons.push(reason),
    fault: (_where: string, error: unknown) => void failed.push(String(errorCodeOf(error))),
  }
  const sequencer = startTestSequencer(openDatabase(database.sql, queries), log)
  return { reasons, failed, stop: () => sequencer.stop() }
}

let number = 0
const newName = () => {
  number += 1
  return `Lead ${number}`
}

beforeEach(async () => {
  await write(newName())
  await sequenceAll(database.sql)
})

const damages: [name: string, damage: () => Promise<unknown>, reason: RegExp, mended: RegExp][] = [
  [
    'the row of feed is gone',
    () => database.sql`delete from feed`,
    /^the table feed has no row$/,
    /row of feed was missing/,
  ],
  [
    'the row of feed_floor is gone',
    () => database.sql`delete from feed_floor`,
    /^the table feed_floor has no row$/,
    /row of feed_floor was missing/,
  ],
  [
    'the floor hides cursors that were given out',
    () =>
      database.sql`
        update feed_floor set log_id = 0, cursor = (select max(cursor) from event_cursors)`,
    /second time/,
    /looked in the wrong place/,
  ],
  [
    'the cursor of the floor is beyond all numbers',
    () => database.sql`update feed_floor set cursor = 9223372036854775807`,
    /too large|no partition/,
    /looked in the wrong place/,
  ],
  [
    'the floor is beyond all ids',
    () => database.sql`update feed_floor set log_id = 9223372036854775807`,
    /./,
    /looked in the wrong place/,
  ],
]

test.each(damages)(
  'when %s, the log says so, and a repair lets the feed go on',
  async (...given) => {
    const [, damage, reason, mended] = given
    const [name, later] = [newName(), newName()]
    await damage()
    await write(name)
    const { reasons, failed, stop } = start()
    try {
      await until(() => reasons.length > 1)
      expect(reasons[0]).toMatch(reason)
      // No name for a partition can be made of nothing.
      expect(failed).not.toContain('22004')
      expect(await cursorOf(name)).toEqual([])
      const repaired = await repair()
      expect(repaired.mended).toEqual([expect.stringMatching(mended)])
      await write(later)
      await until(async () => (await cursorOf(later)).length === 1, 10_000)
      expect(await cursorOf(name)).toHaveLength(1)
      const cursors = await database.sql`
      select count(*)::int as all, count(distinct log_id)::int as events from event_cursors`
      expect(cursors[0]?.all).toBe(cursors[0]?.events)
    } finally {
      await stop()
    }
  },
)

test('partitions that are missing are made without a command', async () => {
  await database.sql`update feed set head_floor = (select head from feed_state) + 50000000`
  const name = newName()
  await write(name)
  const { reasons, stop } = start()
  try {
    await until(async () => (await cursorOf(name)).length === 1, 10_000)
    expect(reasons).toContain('no partition takes the next numbers')
  } finally {
    await stop()
  }
})

test('a floor above events without a cursor is lowered: none of them is lost', async () => {
  const name = newName()
  await write(name)
  await database.sql`
    update feed_floor set log_id = (select max(log_id) from events), cursor = (select head from feed_state)`
  expect((await repair()).mended).toEqual(['the sequencer would have looked in the wrong place'])
  await sequenceAll(database.sql)
  expect(await cursorOf(name)).toHaveLength(1)
})

/** What the log says once a minute. */
async function waitingReasons() {
  const reasons: string[] = []
  const log = { ...quietLog(), feedInconsistent: (reason: string) => void reasons.push(reason) }
  await reportWaitingEvents({ database: openDatabase(database.sql, queries), log })
  return reasons
}

test('a sequence that was set back is said, until a repair', async () => {
  expect(await waitingReasons()).toEqual([])
  await database.sql`select setval('events_log_id_seq', (select max(log_id) - 1 from events))`
  expect(await waitingReasons()).toEqual(['ids of events come a second time'])
  await repair()
  expect(await waitingReasons()).toEqual([])
})

test('an event that waits below the floor is said, until a repair; one of a late transaction is not', async () => {
  await write(newName())
  await database.sql`
    update feed_floor set log_id = (select max(log_id) from events), cursor = (select head from feed_state),
      late = '[{"xid": 3, "log_id": 1, "cursor": 1}]'`
  expect(await waitingReasons()).toEqual([])
  await database.sql`update feed_floor set late = '[]'`
  expect(await waitingReasons()).toEqual(['events are waiting where the sequencer does not look'])
  await repair()
  await sequenceAll(database.sql)
  expect(await waitingReasons()).toEqual([])
})

test('on a young feed, too, where it is older than the first cursor', async () => {
  const name = newName()
  await write(name)
  await database.sql`update events set occurred_at = '2020-01-01' where data ->> 'name' = ${name}`
  await database.sql`
    update feed_floor set log_id = (select max(log_id) from events), cursor = (select head from feed_state)`
  expect(await waitingReasons()).toHaveLength(1)
  await database.sql`update feed set horizon = 1`
  expect(await waitingReasons()).toEqual([])
  await database.sql`update feed set horizon = 0`
  await repair()
})

test('ids of events never come again, also after their sequence was set back', async () => {
  await database.sql`select setval('events_log_id_seq', 1)`
  await database.sql`delete from events where log_id < (select max(log_id) from events)`
  expect((await repair()).mended).toEqual(['ids of events would have come again'])
  const name = newName()
  await write(name)
  await sequenceAll(database.sql)
  expect(await cursorOf(name)).toHaveLength(1)
})

test('ids of events never come again, also where all events have gone', () =>
  rolledBack(database.sql, async sql => {
    const [floor] = await sql`
      update feed_floor set log_id = (select max(log_id) from event_cursors) returning log_id::text`
    await sql`truncate events, event_cursors`
    await sql`select setval('events_log_id_seq', 1)`
    const [repaired] = await sql`select mended from repair_feed()`
    expect(repaired?.mended).toContain('ids of events would have come again')
    const [next] = await sql`select last_value::text as log_id from events_log_id_seq`
    expect(next?.log_id).toBe(floor?.log_id)
  }))

test('cursors that a subscription has passed never come again, also where all events have gone', () =>
  rolledBack(database.sql, async sql => {
    const { id } = await factory.hook(sql)
    const [ahead] = await sql`select head::float8 + 1000 as cursor from feed_state`
    await factory.position(sql, id, { cursor: ahead?.cursor })
    await sql`truncate events, event_cursors`
    const [repaired] = await sql`select mended, head::float8 as head from repair_feed()`
    expect(repaired?.mended).toContain(
      'cursors that a subscription has passed would have come again',
    )
    expect(repaired?.head).toBeGreaterThan(ahead?.cursor)
    const [state] = await sql`select head::float8 as head from feed_state`
    expect(state?.head).toBe(repaired?.head)
  }))

test('a feed that is right stays as it is', async () => {
  const state = () => database.sql`select * from feed, feed_floor, events_log_id_seq`
  const before = await state()
  expect((await repair()).mended).toEqual([])
  expect(await state()).toEqual(before)
})
