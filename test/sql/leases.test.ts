// What is taken in its turn: by a range, under a lease, without a write to any delivery.
import { beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase, runQueryFile } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { openQueue, recordStatement } from '../../src/delivery/queue.ts'
import { type Asked, claimedOf, claimParameters } from '../support/claiming.ts'
import { oneConnection, useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'
import { attemptRecord } from '../support/recording.ts'
import { until } from '../support/until.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)
const claim = async (asked?: Asked) =>
  claimedOf(await database().rows('claimDeliveries', claimParameters(asked)))
const leases = () => test_.sql`select claim, first_id, last_id from hook_leases order by first_id`
const queued = () =>
  test_.sql`select id, due_at is not null as due, maybe_sent, xmin::text from hook_queue order by id`

let hook = ''

beforeEach(async () => {
  await test_.sql`truncate hook_queue, hook_outcomes, hook_other_attempts, hook_leases, events`
  await test_.sql`delete from hook_positions`
  await test_.sql`delete from hook_subscriptions`
  const { id } = await factory.hook(test_.sql, { event_types: ['lead.created'] })
  hook = String(id)
})

/** So many deliveries that wait for their turn; their ids. */
async function waiting(count: number): Promise<number[]> {
  const ids: number[] = []
  const [last] = await test_.sql`select coalesce(max(cursor), 0)::integer as cursor from events`
  for (let place = 1; place <= count; place += 1) {
    const cursor = (last?.cursor ?? 0) + place
    await factory.event(test_.sql, { cursor })
    const columns = { subscription_id: hook, cursor, due_at: null }
    ids.push(Number((await factory.delivery(test_.sql, columns)).id))
  }
  return ids
}

function record(ids: readonly number[], claim: string, endedClaims: string[] = []) {
  const attempts = ids.map(id => attemptRecord({ id, claim }))
  const { name, parameters } = recordStatement(attempts, endedClaims)
  return database().rows(name, parameters)
}

const lapse = () => test_.sql`update hook_leases set lapses_at = now()`
const idsOf = (rows: readonly { id: unknown }[]) => rows.map(({ id }) => Number(id))

test('a claim in turn writes a lease and no delivery', async () => {
  const ids = await waiting(5)
  const before = await queued()
  const mine = randomUUID()
  expect(idsOf(await claim({ claim: mine, total_room: 3 }))).toEqual(ids.slice(0, 3))
  expect(await queued()).toEqual(before)
  expect(await leases()).toMatchObject([{ claim: mine, first_id: ids[0], last_id: ids[2] }])
  expect(idsOf(await claim())).toEqual(ids.slice(3))
})

test('a lease ends with the last that is recorded, and nothing is taken twice', async () => {
  const ids = await waiting(3)
  const mine = randomUUID()
  await claim({ claim: mine })
  await record(ids.slice(0, 2), mine)
  expect(await leases()).toHaveLength(1)
  await record(ids.slice(2), mine, [mine])
  expect(await leases()).toHaveLength(0)
  expect(await queued()).toHaveLength(0)
  expect(await claim()).toEqual([])
})

test('what is left of a lease that lapsed is due again, perhaps sent; what was recorded is not', async () => {
  const ids = await waiting(4)
  const mine = randomUUID()
  await claim({ claim: mine, total_room: 3 })
  await record(ids.slice(0, 1), mine)
  await lapse()
  await claim({ total_room: 0 })
  expect(await queued()).toMatchObject([
    { id: ids[1], due: true, maybe_sent: true },
    { id: ids[2], due: true, maybe_sent: true },
    { id: ids[3], due: false, maybe_sent: false },
  ])
  expect(await leases()).toHaveLength(0)
  expect(idsOf(await claim())).toEqual(ids.slice(1))
})

test('an answer that comes after its lease lapsed counts until somebody else has the delivery', async () => {
  const ids = await waiting(2)
  const mine = randomUUID()
  await claim({ claim: mine })
  await lapse()
  // Nobody has looked yet.
  await record(ids.slice(0, 1), mine)
  await claim({ total_room: 0 })
  await claim()
  await record(ids.slice(1), mine)
  const states = await test_.sql`select id, state from hook_deliveries order by id`
  expect(states.map(({ state }) => state)).toEqual(['delivered', 'pending'])
  // Kept all the same, each once.
  const attempts =
    await test_.sql`select delivery_id, claim from hook_attempts order by delivery_id`
  expect(attempts).toMatchObject(ids.map(delivery_id => ({ delivery_id, claim: mine })))
})

test('what a process could not record in time counts, though somebody took a part of it already', async () => {
  const ids = await waiting(5)
  const mine = randomUUID()
  await claim({ claim: mine })
  await lapse()
  // Makes all of it due, and takes nothing yet; then one.
  await claim({ total_room: 0 })
  await claim({ total_room: 1 })
  await record(ids, mine, [mine])
  expect(await queued()).toMatchObject([{ id: ids[0] }])
  expect(await test_.sql`select from hook_outcomes where state = 'delivered'`).toHaveLength(4)
})

test('recorded twice, an attempt in turn is kept once', async () => {
  const ids = await waiting(2)
  const mine = randomUUID()
  await claim({ claim: mine })
  for (let times = 0; times < 2; times += 1) await record(ids, mine, [mine])
  expect(await test_.sql`select from hook_attempts`).toHaveLength(2)
})

test('what somebody else takes at this moment is left to him, and said to be', async () => {
  await waiting(2)
  const other = oneConnection(test_.url)
  const queue = openQueue(database(), work => work, 60_000)
  const room = { total: 10, rooms: new Map(), otherRoom: 10 }
  try {
    await other.begin(async transaction => {
      await transaction`select from hook_positions for update`
      expect(await queue.claim(room)).toEqual({ deliveries: [], busy: [hook] })
    })
    expect(await claim()).toHaveLength(2)
  } finally {
    await other.end()
  }
})

/** What a claim takes that stands between its snapshot and the lock of the position while `meanwhile` happens. */
async function claimBeside(meanwhile: () => Promise<unknown>) {
  const gate = oneConnection(test_.url)
  const claimer = oneConnection(test_.url)
  try {
    await gate`select pg_advisory_lock(4711)`
    const { claimDeliveries } = queries
    const statement = claimDeliveries.statement.replace(
      'order by random()',
      'order by random(), pg_advisory_xact_lock(4711)::text',
    )
    expect(statement).not.toBe(claimDeliveries.statement)
    const file = { ...claimDeliveries, statement }
    const claiming = runQueryFile(claimer, file, claimParameters()).execute()
    await until(async () => {
      const rows = await test_.sql`select from pg_locks where locktype = 'advisory' and not granted`
      return rows.length > 0
    })
    await meanwhile()
    await gate`select pg_advisory_unlock(4711)`
    return claimedOf((await claiming) as never)
  } finally {
    await gate.end()
    await claimer.end()
  }
}

test('what is erased while a claim is being made is not taken by it', async () => {
  const { sql } = test_
  const lead = await factory.lead(sql, { email: 'erased@example.org', phone: null })
  const event = { cursor: 1, event_type: 'lead.created', object_id: lead.id }
  await factory.event(sql, { ...event, links: { lead_id: lead.id, session_id: null } })
  await factory.delivery(sql, { subscription_id: hook, cursor: 1, due_at: null })
  expect(await claimBeside(() => sql`select from erase_kontakt(${lead.id})`)).toEqual([])
})

test('what is skipped while a claim is being made is not taken by it', async () => {
  await waiting(3)
  const pause = async () => {
    await test_.sql`update hook_subscriptions set active = false, paused_at = now()`
    await claim()
  }
  expect(await claimBeside(pause)).toEqual([])
  expect(await test_.sql`select from hook_outcomes where state = 'skipped'`).toHaveLength(3)
})

test('a claim does not wait for whoever records what is left of a lapsed lease, and leaves it to him', async () => {
  const ids = await waiting(3)
  const mine = randomUUID()
  await claim({ claim: mine })
  await lapse()
  const other = oneConnection(test_.url)
  try {
    await other.begin(async transaction => {
      await transaction`select from hook_queue where id = ${String(ids[0])} for update`
      await claim({ total_room: 0 })
    })
  } finally {
    await other.end()
  }
  expect(await queued()).toMatchObject([{ due: false }, { due: true }, { due: true }])
  expect(await leases()).toHaveLength(1)
  await claim({ total_room: 0 })
  expect(await queued()).toMatchObject([{ due: true }, { due: true }, { due: true }])
  expect(await leases()).toHaveLength(0)
})

test('an attempt is kept whose delivery somebody else records at the same moment', async () => {
  const [id = 0] = await waiting(1)
  const [early, late] = [randomUUID(), randomUUID()]
  await claim({ claim: early })
  await lapse()
  await claim({ total_room: 0 })
  await claim({ claim: late })
  const other = oneConnection(test_.url)
  const ended = (claim: string) =>
    ({
      delivery: { id, claim },
      outcome: { outcome: 'delivered' },
      startedAt: new Date(),
      reply: { status: 200, durationMs: 1, errorClass: null, excerpt: null },
    }) as never
  let recording: Promise<unknown> | undefined
  try {
    await other.begin(async transaction => {
      const attempts = [attemptRecord({ id, claim: late })]
      const { name, parameters } = recordStatement(attempts)
      await openDatabase(transaction as never, queries).rows(name, parameters)
      recording = openQueue(database(), work => work, 60_000).record([ended(early)])
      await until(async () => {
        const rows =
          await test_.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return rows.length > 0
      })
    })
    await recording
  } finally {
    await other.end()
  }
  const attempts =
    await test_.sql`select claim from hook_attempts where delivery_id = ${String(id)}`
  expect(attempts.map(({ claim }) => claim).sort()).toEqual([early, late].sort())
})

test('an erasure meets what is under way, and tells of it', async () => {
  const { sql } = test_
  const lead = await factory.lead(sql, { email: 'sent@example.org', phone: null })
  for (const cursor of [1, 2]) {
    const event = { cursor, event_type: 'lead.created', object_id: lead.id }
    await factory.event(sql, { ...event, links: { lead_id: lead.id, session_id: null } })
    await factory.delivery(sql, { subscription_id: hook, cursor, due_at: null })
  }
  expect(await claim({ total_room: 1 })).toHaveLength(1)
  const [erased] = await sql`select recipients from erase_kontakt(${lead.id})`
  expect(JSON.parse(erased?.recipients)).toMatchObject([{ received: 0, possibly: 1 }])
})

const positions = () => test_.sql`select closed_at is not null as closed from hook_positions`
const prune = (at: Date) =>
  database().rows('pruneDeliveries', { keep_seconds: 1_000_000, at, row_limit: 10 })

test('the position of a deleted subscription goes an hour later, when nothing waits there', async () => {
  await waiting(1)
  await test_.sql`delete from hook_subscriptions`
  expect(await positions()).toMatchObject([{ closed: false }])
  await prune(new Date())
  expect(await positions()).toMatchObject([{ closed: true }])
  const later = new Date(Date.now() + 2 * 3_600_000)
  await prune(later)
  expect(await positions()).toHaveLength(1)
  // Skips what waits.
  await claim()
  await prune(new Date())
  expect(await positions()).toHaveLength(1)
  await prune(later)
  expect(await positions()).toHaveLength(0)
})

test('a subscription that was deleted and put back keeps its position', async () => {
  const [row] = await test_.sql`select * from hook_subscriptions`
  await test_.sql`delete from hook_subscriptions`
  await prune(new Date())
  await factory.hook(test_.sql, { ...row, event_types: ['lead.created'] })
  await prune(new Date(Date.now() + 2 * 3_600_000))
  await waiting(1)
  expect(await claim()).toHaveLength(1)
})

test('leases that overlap, as after a position was set back by hand, lapse like others', async () => {
  const ids = await waiting(2)
  for (let times = 0; times < 2; times += 1) {
    await claim()
    await test_.sql`update hook_positions set taken_id = 0`
  }
  await lapse()
  await claim({ total_room: 0 })
  await claim({ total_room: 0 })
  expect(await leases()).toHaveLength(0)
  expect(idsOf(await claim())).toEqual(ids)
})
