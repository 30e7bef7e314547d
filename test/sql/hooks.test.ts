// What the owner's statements do to a subscription: its position, what is outstanding, its version.
import { beforeEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { finalFailuresMax } from '../../src/model/delivery_rules.ts'
import { dismissFailures, getHookReport, redeliver } from '../../src/operations/deliveries.ts'
import { deleteHook, reactivateHook, replayHook } from '../../src/operations/hooks.ts'
import { getArrivals, listAttemptHours } from '../../src/operations/overview.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { until } from '../support/until.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)
const soon = () => new Date(Date.now() + 60_000)
const at = (cursor: number) => new Date(Date.UTC(2026, 2, 1, 12, cursor))

let id = ''

/**
 * Of ten events the even ones are new leads, one a minute; the subscription wants those, and stands at 8. 2 was delivered,
 * 4 failed, 6 waits for its second attempt, 8 was delivered.
 */
beforeEach(async () => {
  const { sql } = test_
  await sql`truncate events, event_cursors, hook_subscriptions, hook_outstanding, hook_attempts, owner_notices`
  await sql`update feed set horizon = 0, head_floor = 0`
  for (let cursor = 1; cursor <= 10; cursor += 1)
    await factory.event(sql, {
      cursor,
      sequenced_at: at(cursor),
      event_type: cursor % 2 === 0 ? 'lead.created' : 'signal.opened',
    })
  ;({ id } = await factory.hook(sql, { cursor: 8 }))
  const of = { subscription_id: id }
  for (const cursor of [2, 8]) await factory.attempt(sql, { ...of, cursor })
  await factory.attempt(sql, { ...of, cursor: 4, outcome: 'f' })
  await factory.attempt(sql, { ...of, cursor: 6, outcome: 'r' })
  await factory.outstanding(sql, { ...of, cursor: 4, due_at: null })
  await factory.outstanding(sql, { ...of, cursor: 6, due_at: soon() })
})

const row = async (of = id) => {
  const [found] =
    await test_.sql`select to_jsonb(hook_subscriptions) as row from hook_subscriptions where id = ${of}`
  return JSON.parse(found?.row ?? 'null')
}

/** As 'CURSOR ATTEMPTS due DUE', the oldest event first. */
const outstanding = async () => {
  const rows = await test_.sql`
    select cursor, attempts, case when due_at is null then 'never' when due_at <= now() then 'now' else 'later' end as due
    from hook_outstanding where subscription_id = ${id} order by cursor`
  return rows.map(({ cursor, attempts, due }) => `${cursor} ${attempts} due ${due}`).join(', ')
}

const refusalOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(String, error => `${error.code}: ${error.message}`)

const set = (columns: string) =>
  test_.sql.unsafe(`update hook_subscriptions set ${columns} where id = '${id}'`)
const setHorizon = (horizon: number) => test_.sql`update feed set horizon = ${horizon}`

test('a subscription begins at the head, and pauses at the number of failures that the service shows', async () => {
  const given = { target_url: 'https://example.com/', event_types: ['lead.created'], label: null }
  const made = { id: crypto.randomUUID(), source: 'api', secret: 'sealed', subscriptions_max: 100 }
  const [inserted] = await database().rows('insertHook', { ...given, ...made })
  expect(JSON.parse(inserted?.subscription ?? '')).toMatchObject({ id: made.id, cursor: 10 })
  const [found] = await test_.sql`select hook_failures_max() as most`
  expect(found?.most).toBe(finalFailuresMax)
})

test.each([
  [
    'goes on from the position: nothing that waits is lost',
    false,
    8,
    '4 1 due never, 6 1 due later',
  ],
  ['from the head passes over what came', true, 10, '4 1 due never, 6 1 due never'],
])('reactivated, it %s', async (_title, fromHead, cursor, left) => {
  await set('active = false, consecutive_failures = 10, failing_since = now()')
  expect(await reactivateHook(database(), id, { fromHead })).toEqual({ gapAfter: 3 })
  const resumed = { active: true, paused_at: null, consecutive_failures: 0, cursor }
  expect(await row()).toMatchObject(resumed)
  expect(await outstanding()).toBe(left)
  expect(await reactivateHook(database(), id, { fromHead })).toBeNull()
})

test('no action takes a subscription that is deleted or unknown', async () => {
  await deleteHook(database(), id)
  for (const one of [id, crypto.randomUUID()]) {
    expect(await refusalOf(deleteHook(database(), one))).toStartWith('not_found')
    expect(await refusalOf(replayHook(database(), one, { after: 4 }))).toStartWith('not_found')
    expect(await redeliver(database(), one, 2)).toEqual([])
    expect(await reactivateHook(database(), one)).toBeNull()
    expect(await dismissFailures(database(), one)).toBeNull()
  }
})

describe('replay', () => {
  const replay = (start: Parameters<typeof replayHook>[2]) => replayHook(database(), id, start)

  test.each([
    ['after a cursor', { after: 4 }, 4, '4 1 due never'],
    ['since a moment', { since: at(5) }, 4, '4 1 due never'],
    ['since before everything', { since: new Date(0) }, 0, ''],
    ['after its position', { after: 8 }, 8, '4 1 due never, 6 1 due later'],
  ])('%s moves back, and takes what is outstanding', async (_title, start, after, left) => {
    expect(await replay(start)).toEqual({ after, reached: 8 })
    expect(await row()).toMatchObject({ cursor: after, version: 2, replayed_version: 2 })
    expect(await outstanding()).toBe(left)
  })

  test.each([
    ['below the horizon', { after: 1 }, 'invalid_cursor: Events up to cursor 2 have expired'],
    ['beyond the position', { after: 9 }, 'invalid_cursor: The subscription stands at cursor 8'],
    ['since a moment to come', { since: soon() }, 'invalid_request: A replay takes one start'],
    ['from no start', {}, 'invalid_request: A replay takes one start'],
    ['from two starts', { after: 4, since: at(5) }, 'invalid_request: A replay takes one start'],
    ['since no moment', { since: new Date('x') }, 'invalid_request: A replay takes one start'],
  ])('%s is refused and changes nothing', async (_title, start, refusal) => {
    await setHorizon(2)
    expect(await refusalOf(replay(start))).toStartWith(refusal)
    expect(await row()).toMatchObject({ cursor: 8, version: 1, replayed_version: 0 })
  })
})

describe('send again', () => {
  const asItWas = '4 1 due never, 6 1 due later'

  test.each([
    [2, 'sent', '2 0 due now, 4 1 due never, 6 1 due later'],
    [4, 'sent', '4 0 due now, 6 1 due later'],
    [6, 'waiting', asItWas],
    [8, 'gone', asItWas],
    [10, 'not_sent', asItWas],
    [3, 'unlisted', asItWas],
    [99, 'gone', asItWas],
  ])('the delivery at %i: %s', async (cursor, state, left) => {
    // As by an erasure.
    await test_.sql`delete from events where log_id = (select log_id from event_cursors where cursor = 8)`
    expect(await redeliver(database(), id, cursor)).toEqual([{ cursor, state } as never])
    expect(await outstanding()).toBe(left)
  })

  test('all that failed, and of a failure that was sent again nothing', async () => {
    expect(await redeliver(database(), id, null)).toEqual([{ cursor: 4, state: 'sent' }])
    expect(await redeliver(database(), id, null)).toEqual([])
  })
})

test('dismiss forgets failures up to the position, and what expired', async () => {
  await factory.outstanding(test_.sql, { subscription_id: id, cursor: 10, due_at: null })
  await set('missed_from = 0, missed_to = 1')
  expect(await dismissFailures(database(), id)).toBe(1)
  expect(await outstanding()).toBe('6 1 due later, 10 1 due never')
  expect(await row()).toMatchObject({ missed_from: null, missed_to: null })
})

test('a deleted one keeps its row without address and secret, and its attempts; what waited goes', async () => {
  await set("old_secret = 'x', old_secret_until = now()")
  await deleteHook(database(), id)
  expect(await row()).toMatchObject({
    ...{ target_url: null, secret: null, old_secret: null, old_secret_until: null, active: false },
    deleted_at: expect.any(String),
  })
  expect(await outstanding()).toBe('')
  const [{ count } = { count: 0 }] =
    await test_.sql`select count(*)::integer as count from hook_attempts`
  expect(count).toBe(4)
  expect(await database().rows('listHooks', {})).toEqual([])
})

// From a position, up to one horizon after another; the position, the gap that was noted, and what is outstanding.
test.each([
  [8, [9], 9, [null, null], ''],
  [8, [9, 10], 10, [9, 10], ''],
  [0, [4, 8], 8, [0, 8], ''],
  [8, [5], 8, [null, null], '6 1 due later'],
])(
  'from %d, expiry up to %j leaves the position %d and the gap %j',
  async (from, horizons, cursor, gap, left) => {
    await set(`cursor = ${from}`)
    for (const horizon of horizons) await test_.sql`select expire_deliveries(${horizon})`
    const [missed_from, missed_to] = gap
    expect(await row()).toMatchObject({ cursor, missed_from, missed_to })
    expect(await outstanding()).toBe(left)
  },
)

describe('pruning', () => {
  const prune = async (row_limit: number) =>
    (await database().rows('pruneDeliveries', { row_limit }))[0]?.pruned

  test('deletes attempts of expired events in batches, and what was recorded too late', async () => {
    expect(await prune(3)).toBe(0)
    await setHorizon(6)
    expect([await prune(2), await prune(2)]).toEqual([2, 1])
    expect(await test_.sql`select cursor::integer from hook_attempts`).toEqual([
      { cursor: 8 },
    ] as never)
    expect(await outstanding()).toBe('')
  })

  test('keeps the newest 10,000 failures up to the position', async () => {
    await set('cursor = 30000')
    await test_.sql`
      insert into hook_outstanding (subscription_id, cursor, due_at)
      select ${id}, cursor, case when cursor = 11 then now() end from generate_series(11, 10011) as cursor`
    await prune(100)
    const [found] = await test_.sql`
      select count(*)::integer as count, min(cursor)::integer as lowest from hook_outstanding where due_at is null`
    expect(found).toEqual({ count: 10_000, lowest: 12 })
  })

  test('forgets what waits for a subscription that is gone', async () => {
    const gone = { subscription_id: crypto.randomUUID(), due_at: new Date() }
    await factory.outstanding(test_.sql, gone)
    const { id: deleted } = await factory.hook(test_.sql)
    await deleteHook(database(), deleted as string)
    await factory.outstanding(test_.sql, { ...gone, subscription_id: deleted })
    await prune(100)
    expect(await test_.sql`select from hook_outstanding where subscription_id <> ${id}`).toEqual(
      [] as never,
    )
    expect(await outstanding()).toBe('4 1 due never, 6 1 due later')
  })

  test('notifies the leader only of a subscription that it changed', async () => {
    const notified: string[] = []
    const { unlisten } = await test_.sql.listen('hooks_changed', payload => notified.push(payload))
    await prune(100)
    await test_.sql`select expire_deliveries(8)`
    await test_.sql`select pg_notify('hooks_changed', 'end')`
    await until(() => notified.includes('end'))
    await unlisten()
    expect(notified).toEqual(['end'])
  })

  test('a subscription that is deleted by hand takes its deliveries along', async () => {
    await test_.sql`delete from hook_subscriptions where id = ${id}`
    const left = await test_.sql`
      select cursor from hook_attempts union all select cursor from hook_outstanding`
    expect(left).toHaveLength(0)
  })

  test('brings back what a clock that was ahead made due, and forgets a deleted one in time', async () => {
    await test_.sql`update hook_outstanding set due_at = now() + interval '3 days' where cursor = 6`
    await prune(100)
    expect(await outstanding()).toBe('4 1 due never, 6 1 due now')
    await deleteHook(database(), id)
    await setHorizon(9)
    await prune(100)
    expect(await row()).not.toBeNull()
    await setHorizon(10)
    await prune(100)
    expect(await row()).toBeNull()
  })
})

test('of the events of a day those are missing that wait, failed or came more than 15 seconds ago', async () => {
  const arrivals = async (newest: string) => {
    await test_.sql`
      update event_cursors set sequenced_at = now() - case cursor when 10 then ${newest}::interval else '1 hour' end`
    return await getArrivals(database(), 100)
  }
  expect(await arrivals('5 seconds')).toEqual({ events: 5, missing: 2 })
  expect(await arrivals('30 seconds')).toEqual({ events: 5, missing: 3 })
})

test('what failed or waits behind the position is not counted as behind, too', async () => {
  await set('cursor = 3')
  expect(await getHookReport(database(), id)).toMatchObject({ waiting: 1, failed: 1, behind: 2 })
  expect(await getArrivals(database(), 100)).toEqual({ events: 0, missing: 0 })
  await test_.sql`update event_cursors set sequenced_at = now() - interval '1 hour'`
  expect(await getArrivals(database(), 100)).toEqual({ events: 5, missing: 4 })
})

test('attempts of 24 hours are counted by hour and outcome, hours without one included', async () => {
  const hourMs = 3_600_000
  const thisHour = Math.floor(Date.now() / hourMs) * hourMs
  const made = { 2: [0, 'f'], 4: [0, 'f'], 6: [23, 'r'], 8: [24, 'd'] } as const
  for (const [cursor, [hours, outcome]] of Object.entries(made)) {
    const started_at = new Date(thisHour - hours * hourMs)
    await factory.attempt(test_.sql, { subscription_id: id, cursor, outcome, started_at })
  }
  const none = { delivered: 0, retried: 0, failed: 0 }
  const counted = await listAttemptHours(database(), id)
  expect(counted.map(({ hour, ...counts }) => [Date.parse(hour), counts])).toEqual(
    Array.from({ length: 24 }, (_, at) => [
      thisHour - (23 - at) * hourMs,
      { ...none, ...(at === 0 && { retried: 1 }), ...(at === 23 && { failed: 2 }) },
    ]),
  )
})
