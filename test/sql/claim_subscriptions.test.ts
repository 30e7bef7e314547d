// Who delivers to which subscription: leases, locks, fences and shares.
import { beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { retriesWaitingMax } from '../../src/delivery/dispatch.ts'
import { renewedBelow } from '../../src/delivery/ownership.ts'
import { oneConnection, serverUrl, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import {
  type Asking,
  claimSubscriptions,
  isWaitedFor,
  positionRow,
} from '../support/delivery/positions.ts'
import { until } from '../support/until.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)
const claim = (asking?: Asking) => claimSubscriptions(test_.sql, asking)
const ago = () => new Date(Date.now() - 1_000)
const paused = { active: false, paused_at: factory.moment }

beforeEach(async () => {
  await test_.sql`truncate hook_subscriptions, hook_positions, hook_workers, hook_retries, hook_skips, events, event_cursors`
})

const hooks = async (count: number, columns: factory.Columns = {}) => {
  const made = []
  for (let place = 0; place < count; place += 1) made.push(await factory.hook(test_.sql, columns))
  return made
}

/** In the order in which what is left over is given out. */
const workerIds = (count: number) => Array.from({ length: count }, () => randomUUID()).sort()

/** A subscription that another process owns. */
async function ownedBy(worker: factory.Columns, fence = 4) {
  const [one] = await hooks(1)
  const { id: owner } = await factory.worker(test_.sql, worker)
  await factory.position(test_.sql, one?.id, { worker: owner, fence })
  return { id: String(one?.id), owner }
}

const release = (
  worker: string,
  nos: number[] | null = null,
  leaving = false,
  lock_key: number | null = null,
) => database().rows('updateHooksReleased', { worker, nos, leaving, lease_ms: 60_000, lock_key })

test('what no process owns is taken, with all that delivering to it needs', async () => {
  await factory.event(test_.sql, { cursor: 9 })
  const [{ id } = { id: '' }] = await hooks(1, {
    target_url: 'https://hooks.example.com/here',
    event_types: ['lead.created', 'signal.opened'],
    consecutive_failures: 3,
    old_secret: 'old',
    old_secret_until: new Date(Date.now() + 60_000),
    old_secret_leads: true,
  })
  await factory.position(test_.sql, id, { cursor: 7, fence: 2 })
  await factory.skip(test_.sql, {
    subscription_id: id,
    from_cursor: 1,
    to_cursor: 5,
    claimed_to: 3,
    catching_up: true,
  })
  await factory.skip(test_.sql, { subscription_id: id, from_cursor: 5, to_cursor: 6 })
  for (const cursor of [2, 4]) await factory.retry(test_.sql, { subscription_id: id, cursor })
  const worker = randomUUID()
  const [row, ...others] = await claim({ worker })
  expect(others).toEqual([])
  expect(row).toEqual({
    no: expect.any(Number),
    fence: 3,
    counted_from: 3,
    surplus: false,
    cursor: 7,
    claimed_to: 9,
    id,
    target_url: 'https://hooks.example.com/here',
    event_types: '["lead.created","signal.opened"]',
    secret: 'sealed',
    old_secret: 'old',
    old_secret_leads: true,
    consecutive_failures: 3,
    ranges: expect.any(String),
    retries: 2,
  })
  expect(JSON.parse(row?.ranges ?? '')).toEqual([{ to: 5, from: 1, claimed_to: 3 }])
  expect(await positionRow(test_.sql, { id })).toMatchObject({ worker, fence: 3, cursor: 7 })
})

test('an old secret whose time is over is not told', async () => {
  await hooks(1, { old_secret: 'old', old_secret_until: ago() })
  expect((await claim())[0]?.old_secret).toBeNull()
})

test('what is known comes without what does not change, under another fence with it', async () => {
  const [one] = await hooks(1)
  await factory.retry(test_.sql, { subscription_id: one?.id })
  const worker = randomUUID()
  const [first] = await claim({ worker })
  const no = first?.no ?? 0
  const [known] = await claim({ worker, known: [[no, 1]] })
  expect(known).toMatchObject({ no, fence: 1, id: null, secret: null, ranges: null, retries: 1 })
  await test_.sql`update hook_positions set fence = fence + 1`
  const [changed] = await claim({ worker, known: [[no, 1]] })
  expect(changed).toMatchObject({ no, fence: 2, id: one?.id, secret: 'sealed', retries: 1 })
})

test('waiting retries are counted as far as a process needs to know', async () => {
  const [one] = await hooks(1)
  const { no } = await positionRow(test_.sql, { id: String(one?.id) })
  await test_.sql`
    insert into hook_retries (no, cursor)
    select ${no}, cursor from generate_series(1, ${retriesWaitingMax + 1}::integer) as cursor`
  expect(await claim()).toMatchObject([{ no, retries: retriesWaitingMax }])
})

describe('another process has it:', () => {
  // The same one each time: several would share.
  const worker = randomUUID()
  const ask = () => claim({ worker })
  const taken = () =>
    until(async () => {
      const rows = await ask()
      return rows.length > 0 && rows
    }, 20_000)
  const key = () => 1 + Math.floor(Math.random() * 2_000_000_000)

  test('its lease lasts', async () => {
    const { id, owner } = await ownedBy({})
    expect(await ask()).toEqual([])
    expect(await positionRow(test_.sql, { id })).toMatchObject({ worker: owner, fence: 4 })
  })

  test('its lease is over, and it does not renew it in the moment that it has', async () => {
    const { id } = await ownedBy({ lease_until: ago() })
    expect(await ask()).toEqual([])
    expect(await taken()).toMatchObject([{ id, fence: 5 }])
  })

  test('its lease is over, and its session is gone: after an outage it has the longer moment', async () => {
    const { id } = await ownedBy({ lock_key: key(), lease_until: ago() })
    const outage = { worker, patience_ms: 0, lost_patience_ms: 60_000 }
    expect(await claim(outage)).toEqual([])
    expect(await claim(outage)).toEqual([])
    expect(await claim({ ...outage, lost_patience_ms: 0 })).toMatchObject([{ id }])
  })

  test('its lease is over, and its session lives: it hangs, and has the usual moment', async () => {
    const lock_key = key()
    const { id } = await ownedBy({ lock_key, lease_until: ago() })
    const session = oneConnection(test_.url)
    await openDatabase(session, queries).rows('claimWorkerLock', { lock_key })
    const asking = { worker, patience_ms: 0, lost_patience_ms: 60_000 }
    expect(await claim(asking)).toMatchObject([{ id }])
    await session.end()
  })

  test('its lease is over, and it renews it in the moment that it has', async () => {
    const { owner } = await ownedBy({ lease_until: ago() })
    expect(await claim({ worker, patience_ms: 60_000 })).toEqual([])
    await claim({ worker: owner })
    expect(await claim({ worker, patience_ms: 0 })).toEqual([])
  })

  test('there is no such process', async () => {
    const [one] = await hooks(1)
    await factory.position(test_.sql, one?.id, { worker: randomUUID(), fence: 4 })
    expect(await ask()).toMatchObject([{ id: one?.id, fence: 5 }])
  })

  test('its session holds its lock, and then is gone: the lease does not matter', async () => {
    const lock_key = key()
    const { id } = await ownedBy({ lock_key })
    const session = oneConnection(test_.url)
    const [lock] = await openDatabase(session, queries).rows('claimWorkerLock', { lock_key })
    expect(lock).toEqual({ locked: true })
    expect(await database().rows('claimWorkerLock', { lock_key })).toEqual([{ locked: false }])
    expect(await ask()).toEqual([])
    await session.end()
    // A connection that was only cut comes back in a moment.
    expect(await ask()).toEqual([])
    expect(await taken()).toMatchObject([{ id, fence: 5 }])
  })

  test('its session was cut and is back before it was missed for long', async () => {
    const { owner } = await ownedBy({ lock_key: key() })
    expect(await ask()).toEqual([])
    const missed = async () =>
      (await test_.sql`select missed_at from hook_workers where id = ${owner}`)[0]
    expect((await missed())?.missed_at).toBeString()
    await claim({ worker: owner })
    expect((await missed())?.missed_at).toBeNull()
    expect(await ask()).toEqual([])
  })

  test('its session was cut, and the one who asks is patient', async () => {
    const { owner } = await ownedBy({ lock_key: key() })
    const ago = new Date(Date.now() - 2_000)
    await ask()
    await test_.sql`update hook_workers set missed_at = ${ago.toISOString()} where id = ${owner}`
    expect(await claim({ worker, patience_ms: 3_000 })).toEqual([])
    expect(await claim({ worker, patience_ms: 1_000 })).not.toEqual([])
  })

  test('the one who asks lost its own session too, and waits longer for one that is not back', async () => {
    const { owner } = await ownedBy({ lock_key: key(), session_at: factory.moment })
    const missed = new Date(Date.now() - 2_000).toISOString()
    const lost = { worker, lost_ms: 5_000, lost_patience_ms: 60_000 }
    await ask()
    await test_.sql`update hook_workers set missed_at = ${missed} where id = ${owner}`
    expect(await claim(lost)).toEqual([])
    // It was back, and is gone again.
    await claim({ worker: owner, lock_key: key() })
    await ask()
    await test_.sql`update hook_workers set missed_at = ${missed} where id = ${owner}`
    expect(await claim({ ...lost, lost_ms: 0 })).toEqual([])
    expect(await claim(lost)).not.toEqual([])
  })

  test('the same of one that leaves, and was back while it waited', async () => {
    const { owner } = await ownedBy({ lock_key: key(), session_at: factory.moment })
    await release(owner, [], true, key())
    await ask()
    const missed = new Date(Date.now() - 2_000).toISOString()
    await test_.sql`update hook_workers set missed_at = ${missed} where id = ${owner}`
    expect(await claim({ worker, lost_ms: 5_000, lost_patience_ms: 60_000 })).not.toEqual([])
  })

  test('after a restart of the server its lease alone decides, unless it was missed before', async () => {
    const { id, owner } = await ownedBy({ lock_key: key(), server_started_at: factory.moment })
    expect(await ask()).toEqual([])
    expect(await claim({ worker, patience_ms: 0 })).toEqual([])
    // It has been on the new one, and its session is gone again.
    await claim({ worker: owner, lock_key: key() })
    expect(await taken()).toMatchObject([{ id }])
  })

  test('what was missed before a restart of the server has its moment once more, and not until its lease ends', async () => {
    const before = { server_started_at: factory.moment, missed_at: factory.moment }
    const back = await ownedBy({ lock_key: key(), ...before })
    const { id } = await ownedBy({ lock_key: key(), ...before })
    expect(await claim({ worker, patience_ms: 0 })).toEqual([])
    expect(await claim({ worker, patience_ms: 60_000 })).toEqual([])
    await claim({ worker: back.owner })
    expect(await claim({ worker, patience_ms: 0 })).toMatchObject([{ id }])
  })

  test('the same where its lease is over as well', async () => {
    const before = { server_started_at: factory.moment, missed_at: factory.moment }
    const { id } = await ownedBy({ lock_key: key(), lease_until: ago(), ...before })
    expect(await claim({ worker, lost_patience_ms: 60_000 })).toEqual([])
    expect(await claim({ worker, lost_patience_ms: 60_000 })).toEqual([])
    expect(await claim({ worker, lost_patience_ms: 0 })).toMatchObject([{ id }])
  })

  test('the same lock in another database says nothing', async () => {
    const lock_key = key()
    const { id } = await ownedBy({ lock_key })
    const elsewhere = oneConnection(serverUrl())
    await elsewhere`select pg_advisory_lock(20230, ${lock_key})`
    expect(await taken()).toMatchObject([{ id }])
    await elsewhere.end()
  })
})

test('a lease is renewed not with every look, and at once with another lock', async () => {
  const worker = randomUUID()
  const state = async () =>
    (await test_.sql`select xmin::text, lock_key, lease_until from hook_workers`)[0]
  await claim({ worker })
  const first = await state()
  await claim({ worker })
  expect(await state()).toEqual(first)
  await claim({ worker, lock_key: 7 })
  expect(await state()).toMatchObject({ lock_key: 7 })
})

test('a lease is renewed below the share of it that a process counts on, and not above', async () => {
  const worker = randomUUID()
  // So long that the time between two statements is far less than one percent.
  const lease_ms = 10_000_000
  await claim({ worker, lease_ms })
  const isRenewedWith = async (share: number) => {
    const [before] = await test_.sql`
      update hook_workers set lease_until = clock_timestamp() + ${share * lease_ms} * interval '1 millisecond'
      returning lease_until`
    await claim({ worker, lease_ms })
    const [after] = await test_.sql`select lease_until from hook_workers`
    return after?.lease_until > before?.lease_until
  }
  expect(await isRenewedWith(renewedBelow + 0.01)).toBe(false)
  expect(await isRenewedWith(renewedBelow - 0.01)).toBe(true)
})

test('a lease lasts from the end of a wait for a lock on', async () => {
  const worker = randomUUID()
  await claim({ worker })
  await test_.sql`update hook_workers set lease_until = now()`
  const { waiting, released } = await test_.sql.begin(async locking => {
    await locking`lock table hook_positions in access exclusive mode`
    const claiming = claim({ worker, lease_ms: 5_000 })
    await until(() => isWaitedFor(test_.sql, 'hook_positions'))
    const [row] = await locking`select clock_timestamp() as at`
    return { waiting: claiming, released: row?.at }
  })
  await waiting
  expect(
    await test_.sql`
    select lease_until >= ${released}::timestamptz + interval '5 s' as is_whole from hook_workers`,
  ).toMatchObject([{ is_whole: true }])
})

test('a paused subscription is not taken, its worker loses sight of it, and it counts in no share', async () => {
  // The first of two: what is left over is for it.
  const worker = '00000000-0000-4000-8000-000000000000'
  await hooks(2)
  await hooks(2, paused)
  expect(await claim({ worker })).toHaveLength(2)
  await factory.worker(test_.sql)
  await test_.sql`update hook_subscriptions set active = false, paused_at = now()
    where id = (select subscription_id from hook_positions where worker = ${worker} limit 1)`
  // One for two: a share of one.
  expect((await claim({ worker })).map(({ surplus }) => surplus)).toEqual([false])
})

test('a share is what there is by those who are alive, and what is above it is to be given back', async () => {
  await hooks(7)
  const [first = '', second = '', third = ''] = workerIds(3)
  const owned = async (worker: string) =>
    (await claim({ worker })).map(({ surplus }) => surplus === true)
  expect(await owned(first)).toEqual(Array(7).fill(false))
  expect(await owned(second)).toEqual([])
  const rows = await claim({ worker: first })
  const above = rows.filter(({ surplus }) => surplus).map(({ no }) => no ?? 0)
  expect(above).toHaveLength(3)
  expect(await release(first, above)).toMatchObject([{ released: 3 }])
  expect(await owned(first)).toEqual(Array(4).fill(false))
  expect(await owned(second)).toEqual(Array(3).fill(false))
  await owned(third)
  expect((await owned(first)).filter(Boolean)).toHaveLength(1)
  expect((await owned(second)).filter(Boolean)).toHaveLength(1)
  // With one of them gone, the others take what it had.
  await release(second)
  expect(await owned(first)).toHaveLength(4)
  expect(await owned(third)).toHaveLength(3)
})

test('nothing is given up for a process that is missed, however patient the one that asks is', async () => {
  await hooks(2)
  const worker = randomUUID()
  expect(await claim({ worker })).toHaveLength(2)
  const { id } = await factory.worker(test_.sql, { lock_key: 7 })
  const surplus = async () =>
    (await claim({ worker, patience_ms: 60_000 })).filter(row => row.surplus).length
  expect(await surplus()).toBe(0)
  // It is known to be missed now.
  expect(await surplus()).toBe(0)
  await test_.sql`update hook_workers set server_started_at = ${factory.moment} where id = ${String(id)}`
  expect(await surplus()).toBe(0)
  await claim({ worker: String(id) })
  expect(await surplus()).toBe(1)
})

test.each([
  [12, 5, [3, 3, 2, 2, 2]],
  [6, 5, [2, 1, 1, 1, 1]],
  [3, 4, [1, 1, 1, 0]],
])(
  '%i subscriptions are shared by %i processes so that none has two more than another',
  async (count, processes, expected) => {
    await hooks(count)
    const workers = workerIds(processes)
    for (const id of workers) await factory.worker(test_.sql, { id })
    const taken = []
    for (const worker of workers) taken.push((await claim({ worker })).length)
    expect(taken).toEqual(expected)
    // Whichever asked first, nothing is surplus.
    for (const worker of workers) {
      const rows = await claim({ worker })
      expect(rows.filter(({ surplus }) => surplus)).toEqual([])
    }
  },
)

test('a process that ends counts in no share, and keeps what is busy until it gives it back', async () => {
  await hooks(4)
  const [ending, other] = [randomUUID(), randomUUID()]
  await factory.worker(test_.sql, { id: other })
  const rows = await claim({ worker: ending })
  expect(rows).toHaveLength(2)
  expect(await claim({ worker: other })).toHaveLength(2)
  await release(ending, [rows[0]?.no ?? 0], true)
  expect(await claim({ worker: other })).toHaveLength(3)
  expect(await claim()).toEqual([])
  await release(ending)
  expect(await claim({ worker: other })).toHaveLength(3)
})

test('a process that ends and waits for responses keeps its lease, whatever was left of it', async () => {
  const { id, owner } = await ownedBy({ lease_until: new Date(Date.now() + 200) })
  await release(owner, [], true)
  const [worker] = await test_.sql`
    select lease_until > now() + interval '50 seconds' as is_kept from hook_workers where id = ${owner}`
  expect(worker).toEqual({ is_kept: true })
  expect(await claim()).toEqual([])
  expect(await claim({ worker: owner })).toMatchObject([{ id }])
})

test('a process that ends and waits is not taken for dead where its session has another lock by now', async () => {
  const { owner } = await ownedBy({ lock_key: 99, missed_at: ago() })
  await release(owner, [], true)
  expect(await claim({ patience_ms: 0 })).toEqual([])
})

test('releasing touches nothing of other processes; a process that ends is gone', async () => {
  await hooks(2)
  const [mine, other] = [randomUUID(), randomUUID()]
  await factory.worker(test_.sql, { id: other })
  await claim({ worker: mine })
  const rows = await claim({ worker: other })
  expect(rows).toHaveLength(1)
  expect(await release(mine, [rows[0]?.no ?? 0])).toMatchObject([{ released: 0 }])
  expect(await release(mine)).toMatchObject([{ released: 1 }])
  expect((await test_.sql`select id from hook_workers`).map(({ id }) => id)).toEqual([other])
  expect(await claim({ worker: other })).toHaveLength(2)
})

test('two whose sessions were cut notice each other without waiting for each other', async () => {
  const [one, other] = [randomUUID(), randomUUID()]
  // No session holds these locks.
  await claim({ worker: one, lock_key: 4711 })
  await claim({ worker: other, lock_key: 4712 })
  await test_.sql.begin(async transaction => {
    await transaction`update hook_workers set lease_until = now() + interval '1 minute' where id = ${other}`
    await claim({ worker: one, lock_key: null })
  })
  const noticed = await test_.sql`select id from hook_workers where missed_at is not null`
  expect(noticed).toHaveLength(0)
  await claim({ worker: one, lock_key: null })
  expect(await test_.sql`select id from hook_workers where missed_at is not null`).toMatchObject([
    { id: other },
  ])
})

test('many at once: each subscription gets one worker, in one answer under its fence', async () => {
  await hooks(24)
  const connections = Array.from({ length: 6 }, () => oneConnection(test_.url))
  const workers = connections.map(sql => ({ sql, worker: randomUUID() }))
  try {
    const answers = await Promise.all(
      workers.map(({ sql, worker }) => claimSubscriptions(sql, { worker })),
    )
    const valid = new Map<number, string>()
    const positions = await test_.sql`select no, worker, fence from hook_positions`
    for (const { no, worker, fence } of positions) valid.set(no, `${worker} ${fence}`)
    const taken = answers.flatMap((rows, place) =>
      rows
        .filter(({ no, fence }) => valid.get(no ?? 0) === `${workers[place]?.worker} ${fence}`)
        .map(({ no }) => no),
    )
    expect(taken).toHaveLength(24)
    expect(new Set(taken).size).toBe(24)
    expect([...valid.values()].filter(one => one.startsWith('null'))).toEqual([])
  } finally {
    for (const sql of connections) await sql.end()
  }
})

test('a position that was written beyond the head is at the head', async () => {
  await factory.event(test_.sql, { cursor: 5 })
  const [one] = await hooks(1)
  await factory.position(test_.sql, one?.id, { cursor: 1_000, claimed_to: 2_000 })
  expect(await claim()).toMatchObject([{ cursor: 5, claimed_to: 5 }])
})

test('what a worker before may have sent ends at the head', async () => {
  await factory.event(test_.sql, { cursor: 5 })
  const [one] = await hooks(1)
  await factory.position(test_.sql, one?.id, { cursor: 3, claimed_to: Number.MAX_SAFE_INTEGER })
  expect(await claim()).toMatchObject([{ cursor: 3, claimed_to: 5 }])
})

test('two that look at the same time: what one has taken is not taken by the other, which does not know it yet', async () => {
  const { sql, url } = test_
  const [one] = await hooks(1)
  const [waits = '', takes = '', third = ''] = workerIds(3)
  await factory.worker(sql, { id: third })
  const [view] = await sql`select pg_get_viewdef('hook_worker_states') as definition`
  // A look stops between its snapshot and what it takes.
  await sql`
    create function waits_in_test() returns boolean language plpgsql as $$
    begin
      if current_setting('test.waits', true) = 'on' then perform pg_advisory_xact_lock_shared(777); end if;
      return true;
    end $$`
  await sql.unsafe(`create or replace view hook_worker_states as
    select live.* from (${String(view?.definition).replace(';', '')}) as live where waits_in_test()`)
  const [lock, waiting] = [oneConnection(url), oneConnection(url)]
  await lock`select pg_advisory_lock(777)`
  await waiting`set test.waits = 'on'`
  const late = claimSubscriptions(waiting, { worker: waits })
  await until(async () => {
    const rows =
      await sql`select from pg_locks where locktype = 'advisory' and objid = 777 and not granted`
    return rows.length > 0
  })
  expect(await claim({ worker: takes })).toMatchObject([{ id: one?.id, fence: 1 }])
  await lock`select pg_advisory_unlock(777)`
  expect(await late).toEqual([])
  expect(await positionRow(sql, { id: String(one?.id) })).toMatchObject({ worker: takes, fence: 1 })
  await sql.unsafe(`create or replace view hook_worker_states as ${view?.definition}`)
  await Promise.all([lock.end(), waiting.end()])
})
