// Recording attempts: what follows from them, under the owner's fence and under an older one.
import { describe, expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import {
  type AttemptRecord,
  attemptRecord,
  type ClaimedDelivery,
  claimedDelivery,
  recordAttempts,
} from '../support/delivery/recording.ts'
import { until } from '../support/until.ts'

const test_ = useDatabase()

type Outcome = AttemptRecord['outcome']

const failing = { status: 404, error_class: 'status', retry_ms: 0 }

const hook = (columns: factory.Columns = {}) => factory.hook(test_.sql, columns)
const under = (id: string, cursor = 1) => claimedDelivery(test_.sql, id, cursor)
const ended = (delivery: ClaimedDelivery, outcome: Outcome, members: Partial<AttemptRecord> = {}) =>
  attemptRecord(delivery, { outcome, ...(outcome !== 'delivered' && failing), ...members })

const waiting = ({ no, cursor }: ClaimedDelivery, columns: factory.Columns = {}) =>
  factory.retry(test_.sql, { no, cursor, ...columns })

/** Records one outcome for each cursor from 1 on; `count` is the count of failures that the worker has by then. */
async function recordAll(id: string, outcomes: readonly Outcome[], count?: number) {
  const deliveries = await Promise.all(outcomes.map((_, place) => under(id, place + 1)))
  const attempts = deliveries.map((delivery, place) => ended(delivery, outcomes[place] as Outcome))
  const counts = count === undefined ? [] : [[deliveries[0]?.no ?? 0, count] as const]
  return await recordAttempts(test_.sql, attempts, new Map(counts))
}

/** What stands of a subscription, apart from its position. */
async function left(id: string) {
  const { no } = await factory.position(test_.sql, id)
  const { sql } = test_
  const cursors = (rows: readonly Record<string, unknown>[]) => rows.map(row => Number(row.cursor))
  return {
    attempts: (
      await sql`select outcome from hook_attempts where no = ${no} order by cursor, started_at`
    )
      .map(row => row.outcome)
      .join(''),
    waiting: cursors(await sql`select cursor from hook_retries where no = ${no} order by cursor`),
    failed: cursors(await sql`select cursor from hook_failures where no = ${no} order by cursor`),
  }
}

async function subscription(id: string) {
  const [row] = await test_.sql`
    select active, consecutive_failures, paused_at, failing_since from hook_subscriptions where id = ${id}`
  return row as Record<string, unknown>
}

/** Raises the fence, as another worker does. */
const takeOver = async (id: string) => {
  const { fence } = await factory.position(test_.sql, id)
  await factory.position(test_.sql, id, { fence: fence + 1 })
}

test('each outcome leaves what follows from it', async () => {
  const { id } = await hook()
  await recordAll(id, ['delivered', 'retry', 'failed', 'erased', 'postponed'])
  expect(await left(id)).toEqual({ attempts: 'drf', waiting: [2, 5], failed: [3] })
})

test('an attempt is kept with all that is known of it', async () => {
  const { id } = await hook()
  const delivery = await under(id, 7)
  const started_at = new Date('2026-03-01T12:00:00.123Z')
  const members = {
    attempt: 3,
    status: 503,
    error_class: 'status',
    excerpt: 'busy',
    headers: 'retry-after: 9',
    duration_ms: 9,
  }
  await recordAttempts(test_.sql, [ended(delivery, 'retry', { started_at, ...members })])
  const [row] = await test_.sql`select to_jsonb(hook_attempts)::text as row from hook_attempts
    where no = ${delivery.no}`
  const kept = JSON.parse(row?.row)
  expect(kept).toMatchObject({ ...delivery, ...members, outcome: 'r' })
  expect(new Date(kept.started_at)).toEqual(started_at)
})

describe('a retry', () => {
  const row = async (id: string) => {
    const { no } = await factory.position(test_.sql, id)
    const [found] = await test_.sql`
      select attempts, taken_by, extract(epoch from due_at - now())::float8 as seconds
      from hook_retries where no = ${no}`
    return found
  }

  test('waits for its time, with the number of its attempts', async () => {
    const { id } = await hook()
    await recordAttempts(test_.sql, [
      ended(await under(id), 'retry', { retry_ms: 30_000, attempt: 2 }),
    ])
    expect(await row(id)).toMatchObject({ attempts: 2, taken_by: null })
    expect((await row(id))?.seconds).toBeWithin(25, 31)
  })

  test('that failed again waits anew, and is free to be taken', async () => {
    const { id } = await hook()
    const delivery = await under(id)
    await waiting(delivery, { taken_by: delivery.fence })
    await recordAttempts(test_.sql, [ended(delivery, 'retry', { retry_ms: 30_000, attempt: 2 })])
    expect(await row(id)).toMatchObject({ attempts: 2, taken_by: null })
  })

  test('that is given back has made no attempt', async () => {
    const { id } = await hook()
    const delivery = await under(id)
    await waiting(delivery, { attempts: 3 })
    await recordAttempts(test_.sql, [
      ended(delivery, 'postponed', { retry_ms: 60_000, attempt: 4 }),
    ])
    expect(await row(id)).toMatchObject({ attempts: 3, taken_by: null })
    expect((await left(id)).attempts).toBe('')
  })

  test.each(['delivered', 'failed', 'erased'] as const)(
    'that ended as %s waits no more',
    async outcome => {
      const { id } = await hook()
      const delivery = await under(id)
      await waiting(delivery)
      await recordAttempts(test_.sql, [ended(delivery, outcome)])
      expect((await left(id)).waiting).toEqual([])
    },
  )
})

test('what counted as failed meanwhile and arrived after all is no failure', async () => {
  const { id } = await hook()
  const delivery = await under(id)
  await factory.failure(test_.sql, { no: delivery.no, cursor: 1 })
  await factory.failure(test_.sql, { no: delivery.no, cursor: 2 })
  await recordAttempts(test_.sql, [ended(delivery, 'delivered', { attempt: 2 })])
  expect((await left(id)).failed).toEqual([2])
})

test('what counted as failed meanwhile and waits for another attempt counts once', async () => {
  const { id } = await hook()
  const delivery = await under(id)
  await factory.failure(test_.sql, { no: delivery.no, cursor: 1 })
  await recordAttempts(test_.sql, [ended(delivery, 'retry', { retry_ms: 1_000 })])
  expect(await left(id)).toMatchObject({ waiting: [1], failed: [] })
})

test('a delivery that failed twice waits for the attempt after the later one', async () => {
  const { id } = await hook()
  const delivery = await under(id)
  const retry = (attempt: number, started_at: Date) =>
    ended(delivery, 'retry', { attempt, started_at, retry_ms: 1_000 })
  const at = Date.now()
  await recordAttempts(test_.sql, [retry(1, new Date(at)), retry(2, new Date(at + 1))])
  expect(await left(id)).toMatchObject({ attempts: 'rr', waiting: [1] })
  const rows = await test_.sql`select attempts from hook_retries where no = ${delivery.no}`
  expect(rows).toMatchObject([{ attempts: 2 }])
})

describe('under an older fence', () => {
  test('a retry that arrived waits no more, unless it was taken anew', async () => {
    const { id } = await hook()
    const arrived = await under(id)
    const again = await under(id, 2)
    const failed = await under(id, 3)
    for (const delivery of [arrived, again, failed])
      await waiting(delivery, { taken_by: delivery.fence })
    await takeOver(id)
    await test_.sql`update hook_retries set taken_by = ${arrived.fence + 1} where no = ${arrived.no} and cursor = 2`
    await recordAttempts(test_.sql, [
      ended(arrived, 'delivered', { attempt: 2 }),
      ended(again, 'delivered', { attempt: 2 }),
      ended(failed, 'failed', { attempt: 2 }),
    ])
    expect(await left(id)).toEqual({ attempts: 'ddf', waiting: [2, 3], failed: [] })
  })

  test('a retry that arrived under a later fence than it was taken waits no more', async () => {
    const { id } = await hook()
    const delivery = await under(id)
    await waiting(delivery, { taken_by: delivery.fence })
    // Changed while it was sent, and changed again when it is recorded.
    await takeOver(id)
    const later = await under(id)
    await takeOver(id)
    await recordAttempts(test_.sql, [ended(later, 'delivered', { attempt: 2 })])
    expect(await left(id)).toEqual({ attempts: 'd', waiting: [], failed: [] })
  })

  const lockWaits = () => test_.sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

  test('attempts are kept, and nothing follows from them', async () => {
    const { id } = await hook()
    const outcomes: Outcome[] = ['delivered', 'retry', 'failed', 'erased', 'postponed']
    const deliveries = await Promise.all(outcomes.map((_, place) => under(id, place + 1)))
    for (const { no } of deliveries.slice(0, 1)) await factory.retry(test_.sql, { no, cursor: 4 })
    await takeOver(id)
    const counted = await recordAttempts(
      test_.sql,
      deliveries.map((delivery, place) => ended(delivery, outcomes[place] as Outcome)),
      new Map([[deliveries[0]?.no ?? 0, 10]]),
    )
    expect(counted).toEqual([])
    expect(await left(id)).toEqual({ attempts: 'drf', waiting: [4], failed: [] })
    expect(await subscription(id)).toMatchObject({ active: true, consecutive_failures: 0 })
  })

  test('what others of the batch have to say is recorded all the same', async () => {
    const [lost, kept] = [await hook(), await hook()]
    const deliveries = [await under(lost.id), await under(kept.id)]
    await takeOver(lost.id)
    const counted = await recordAttempts(
      test_.sql,
      deliveries.map(delivery => ended(delivery, 'failed')),
      new Map(deliveries.map(({ no }) => [no, 1])),
    )
    expect(counted).toEqual([{ id: kept.id, consecutive_failures: 1, paused: false }])
    expect([(await left(lost.id)).failed, (await left(kept.id)).failed]).toEqual([[], [1]])
  })

  test('a fence that is raised while the record waits counts', async () => {
    const { id } = await hook()
    const delivery = await under(id)
    let recording: Promise<unknown> | undefined
    await test_.sql.begin(async transaction => {
      await transaction`update hook_positions set fence = fence + 1 where no = ${delivery.no}`
      recording = recordAttempts(
        test_.sql,
        [ended(delivery, 'failed')],
        new Map([[delivery.no, 10]]),
      )
      await until(async () => (await lockWaits()).length > 0)
    })
    expect(await recording).toEqual([])
    expect(await left(id)).toEqual({ attempts: 'f', waiting: [], failed: [] })
  })
})

describe('the owner changes a subscription under way', () => {
  const outcomes: Outcome[] = ['delivered', 'retry', 'failed']
  const kept = { attempts: 'drf', waiting: [2], failed: [3] }

  /** Recorded by this worker, under the fence before; the subscription has the worker `owner` by then. */
  async function recordAfter(id: string, change: () => Promise<unknown>, owner: string) {
    const worker = crypto.randomUUID()
    await factory.position(test_.sql, id, { worker, fence: 4, counted_from: 3 })
    const deliveries = await Promise.all(outcomes.map((_, place) => under(id, place + 1)))
    await change()
    if (owner === 'other') await factory.position(test_.sql, id, { worker: crypto.randomUUID() })
    if (owner === 'same again') await factory.position(test_.sql, id, { fence: 7, counted_from: 7 })
    return await recordAttempts(
      test_.sql,
      deliveries.map((delivery, place) => ended(delivery, outcomes[place] as Outcome)),
      new Map([[deliveries[0]?.no ?? 0, 4]]),
      worker,
    )
  }
  const retype = (id: string) => () =>
    test_.sql`update hook_subscriptions set event_types = array['signal.opened', 'lead.archived'] where id = ${id}`

  test('to other types: what ended is recorded once and for all, with the count', async () => {
    const { id } = await hook()
    const counted = await recordAfter(id, retype(id), 'same')
    expect(counted).toEqual([{ id, consecutive_failures: 4, paused: false }])
    expect(await left(id)).toEqual(kept)
  })

  test('to other types, and another process took it over: only the attempts are kept', async () => {
    const { id } = await hook()
    expect(await recordAfter(id, retype(id), 'other')).toEqual([])
    expect(await left(id)).toEqual({ ...kept, waiting: [], failed: [] })
  })

  test('to other types, and it came back from another process: only the attempts are kept', async () => {
    const { id } = await hook()
    expect(await recordAfter(id, retype(id), 'same again')).toEqual([])
    expect(await left(id)).toEqual({ ...kept, waiting: [], failed: [] })
  })

  test('by a reactivation: what ended is recorded, and the count begins at 0', async () => {
    const { id } = await hook({ consecutive_failures: 3 })
    const reactivate = async () => {
      await test_.sql`update hook_subscriptions set active = false, paused_at = now() where id = ${id}`
      await test_.sql`select reactivate_hook(${id}, true)`
    }
    expect(await recordAfter(id, reactivate, 'same')).toEqual([])
    expect(await left(id)).toEqual(kept)
    expect(await subscription(id)).toMatchObject({ active: true, consecutive_failures: 0 })
  })

  test('by a reactivation without what was missed: what failed is missed there, and not failed too', async () => {
    const { id } = await hook()
    const leaveOut = async () => {
      await factory.skip(test_.sql, {
        subscription_id: id,
        to_cursor: 3,
        events: 3,
        catching_up: true,
      })
      await test_.sql`update hook_subscriptions set active = false, paused_at = now() where id = ${id}`
      await test_.sql`update hook_skips set catching_up = false`
      await test_.sql`update hook_subscriptions set active = true, paused_at = null where id = ${id}`
    }
    await recordAfter(id, leaveOut, 'same')
    expect(await left(id)).toEqual({ attempts: 'drf', waiting: [], failed: [] })
  })
})

describe('the count', () => {
  test('is the worker’s, and is answered with', async () => {
    const { id } = await hook()
    const other = await hook({ consecutive_failures: 2 })
    expect(await recordAll(id, ['failed'], 4)).toEqual([
      { id, consecutive_failures: 4, paused: false },
    ])
    expect(await recordAll(other.id, ['delivered'])).toEqual([])
    expect(await subscription(other.id)).toMatchObject({ consecutive_failures: 2 })
  })

  test('pauses at ten, in the same transaction, and not at nine', async () => {
    const { id } = await hook()
    await recordAll(id, ['failed'], 9)
    expect(await subscription(id)).toMatchObject({ active: true, paused_at: null })
    expect(await recordAll(id, ['failed'], 10)).toMatchObject([{ paused: true }])
    expect(await subscription(id)).toMatchObject({
      active: false,
      consecutive_failures: 10,
      paused_at: expect.any(String),
    })
  })

  test('is told again in a batch whose attempts were recorded before', async () => {
    const { id } = await hook()
    const { no, fence } = await under(id)
    const attempts = [attemptRecord({ no, fence, cursor: 2 })]
    expect(await recordAttempts(test_.sql, attempts, new Map([[no, 10]]))).toMatchObject([
      { paused: true },
    ])
  })

  test('leaves alone when and by what it was paused', async () => {
    const paused_at = '2026-01-01T00:00:00+00:00'
    const { id } = await hook({ active: false, paused_at, consecutive_failures: 10 })
    expect(await recordAll(id, ['failed', 'retry', 'delivered'], 12)).toMatchObject([
      { paused: false },
    ])
    expect(new Date((await subscription(id)).paused_at as string)).toEqual(new Date(paused_at))
    // Under way at the pause: what failed is kept as missed, what arrived is delivered.
    expect(await left(id)).toEqual({ attempts: 'frd', waiting: [2], failed: [1] })
  })

  test('that began anew within a batch has its beginning there, a test event apart', async () => {
    const { id } = await hook({ consecutive_failures: 6, failing_since: factory.moment })
    const since = async () => Date.parse((await subscription(id)).failing_since as string)
    const before = await since()
    const arrived = ended(await under(id, -1), 'delivered')
    const failed = ended(await under(id, 1), 'failed')
    await recordAttempts(test_.sql, [arrived, failed], new Map([[failed.no, 7]]))
    expect(await since()).toBe(before)
    await recordAll(id, ['failed', 'delivered', 'failed'], 1)
    expect(await since()).toBeGreaterThan(before)
    expect((await subscription(id)).consecutive_failures).toBe(1)
  })

  test('of a success is 0, and a run of failures begins anew after it', async () => {
    const { id } = await hook({ consecutive_failures: 3, failing_since: factory.moment })
    await recordAll(id, ['failed'], 4)
    expect((await subscription(id)).failing_since).toBe(
      (await test_.sql`select ${factory.moment}::timestamptz as at`)[0]?.at,
    )
    await recordAll(id, ['delivered'], 0)
    await recordAll(id, ['failed'], 1)
    expect(Date.parse((await subscription(id)).failing_since as string)).toBeWithin(
      Date.now() - 60_000,
      Date.now() + 1_000,
    )
  })
})

test('attempts to subscriptions that were deleted meanwhile are kept without a fault', async () => {
  const { id } = await hook()
  const delivery = await under(id)
  await test_.sql`delete from hook_subscriptions where id = ${id}`
  const counts = new Map([[delivery.no, 10]])
  expect(await recordAttempts(test_.sql, [ended(delivery, 'failed')], counts)).toEqual([])
  expect(await left(id)).toEqual({ attempts: 'f', waiting: [], failed: [] })
})

test('of events that were erased meanwhile nothing is kept', async () => {
  const { id } = await hook()
  await test_.sql`insert into erased_events (cursor) values (1), (2), (3)`
  try {
    await recordAll(id, ['delivered', 'retry', 'failed', 'delivered'])
    expect(await left(id)).toEqual({ attempts: 'd', waiting: [], failed: [] })
  } finally {
    await test_.sql`delete from erased_events`
  }
})

test('an attempt that is recorded already is refused, and the batch with it', async () => {
  const { id } = await hook()
  const delivery = await under(id)
  const attempt = ended(delivery, 'failed')
  await recordAttempts(test_.sql, [attempt])
  const again = recordAttempts(test_.sql, [attempt, ended(await under(id, 2), 'failed')])
  await expect(again).rejects.toMatchObject({ code: '23505' })
  expect((await left(id)).failed).toEqual([1])
})

test('of an event that expired while it was sent nothing waits and nothing has failed', async () => {
  const { id } = await hook()
  await test_.sql`update feed set horizon = 3`
  try {
    await recordAll(id, ['failed', 'retry', 'delivered', 'failed', 'retry'])
    expect(await left(id)).toEqual({ attempts: 'frdfr', waiting: [5], failed: [4] })
  } finally {
    await test_.sql`update feed set horizon = 0`
  }
})

test('while the row of feed is lost, what is to be tried again waits, and what failed has failed', async () => {
  const { id } = await hook()
  await test_.sql`delete from feed`
  try {
    await recordAll(id, ['failed', 'retry', 'delivered'])
    expect(await left(id)).toEqual({ attempts: 'frd', waiting: [2], failed: [1] })
  } finally {
    await test_.sql`insert into feed default values`
  }
})
