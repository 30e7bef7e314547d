// Erasing while others write, record, pause and delete: each waits for the other where it must, and none dies of it.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { type ArgumentsOf, type QueryName, queries } from '../../src/db/queries.ts'
import { eraseKontakt, findHoldings } from '../../src/operations/erasure.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { withNulls } from '../support/database/own_session.ts'
import { attemptRecord, claimedDelivery, recordAttempts } from '../support/delivery/recording.ts'
import { emptyWorkspace, feedHead } from '../support/people/erasing.ts'
import { sequence } from '../support/people/person_data.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const email = 'a@example.org'
const erase = () => eraseKontakt(openDatabase(database.sql, queries), email)
const find = () => findHoldings(openDatabase(database.sql, queries), email)

beforeEach(() => emptyWorkspace(database.sql))

const waiters = async () => {
  const rows = await database.sql`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return rows.map(row => row.pid as number)
}

/** Erases, and before it commits starts `work` on another connection, which has to wait. */
async function duringErasure<Result>(work: () => Promise<Result>) {
  let meanwhile: Promise<Result> | undefined
  await database.sql.begin(async transaction => {
    await transaction`select * from erase_kontakt(${email})`
    meanwhile = work()
    // It may fail before it is waited for below.
    meanwhile.catch(() => {})
    await until(async () => (await waiters()).length > 0)
  })
  return await (meanwhile as Promise<Result>)
}

const recordings: [what: string, record: (deliveries: factory.Columns[]) => Promise<unknown>][] = [
  [
    'with what follows from them',
    deliveries =>
      recordAttempts(
        database.sql,
        deliveries.map((delivery, index) =>
          attemptRecord(delivery as never, {
            excerpt: email,
            ...(index === 0 && { outcome: 'retry' as const, retry_ms: 1_000 }),
          }),
        ),
      ),
  ],
  [
    'that delivered',
    deliveries =>
      openDatabase(database.sql, queries).rows('recordDelivered', {
        nos: deliveries.map(({ no }) => no as number),
        cursors: deliveries.map(({ cursor }) => cursor as number),
        fences: deliveries.map(({ fence }) => fence as number),
        started_at: deliveries.map(() => new Date()),
        duration_ms: deliveries.map(() => 1),
        statuses: deliveries.map(() => 200),
        excerpts: deliveries.map(() => email),
      }),
  ],
]

test.each(recordings)(
  'attempts %s, recorded while their delivery is erased, leave nothing of it',
  async (_, record) => {
    const { sql } = database
    const hook = await factory.hook(sql)
    await factory.lead(sql, { email, phone: null })
    await factory.lead(sql, { email: 'b@example.org', phone: null })
    await sequence(sql)
    const { cursor } = await feedHead(sql)
    const mine = await claimedDelivery(sql, hook.id, cursor - 1)
    const theirs = await claimedDelivery(sql, hook.id, cursor)
    await duringErasure(() => record([mine, theirs]))
    // And what is recorded afterwards.
    await record([mine, theirs])
    const attempts = await sql`select distinct cursor from hook_attempts`
    expect(attempts.map(row => Number(row.cursor))).toEqual([cursor])
    expect(await sql`select from hook_retries where cursor < ${cursor}`).toHaveLength(0)
  },
)

const claims: [what: string, claim: (scene: Scene) => Promise<unknown>][] = [
  [
    'new events are claimed',
    ({ no, fence, cursors: [cursor = 0] }) =>
      run(database.sql, 'updateHookPositions', {
        nos: [no],
        fences: [fence],
        cursors: [cursor],
        claimed_to: [cursor + 10],
      }),
  ],
  [
    'a range is claimed',
    ({ no, fence, cursors: [cursor = 0] }) =>
      run(database.sql, 'updateHookSkips', {
        nos: [no],
        fences: [fence],
        to_cursors: [cursor],
        from_cursors: [cursor - 1],
        claimed_to: [cursor + 10],
      }),
  ],
  [
    'retries are taken',
    ({ no, fence }) =>
      run(database.sql, 'claimRetries', {
        nos: [no],
        fences: [fence],
        capacities: [10],
        row_limit: 100,
      }),
  ],
]

test.each(claims)(
  'while a person is erased, %s only when it is known what is erased',
  async (_, claim) => {
    const scene = await prepare(false)
    await duringErasure(() => claim(scene))
    const erased = await run(database.sql, 'listErasedEvents', { after: 0 })
    expect(erased.map(({ cursor }) => cursor)).toEqual(scene.cursors)
  },
)

test('what a writer adds to a lead that is being erased is refused, and a new lead comes after', async () => {
  const { sql } = database
  const lead = await factory.lead(sql, { email })
  await expect(duringErasure(() => factory.analysis(sql, { lead_id: lead.id }))).rejects.toThrow(
    'lead_analyses_lead_id_fkey',
  )
  await factory.lead(sql, { email })
  expect((await find())?.counts).toMatchObject({ leads: 1, events: 1 })
})

test('a writer that came first is waited for, and erased as well', async () => {
  const { sql } = database
  const lead = await factory.lead(sql, { email })
  let erasing: Promise<unknown> | undefined
  await sql.begin(async transaction => {
    await transaction`update leads set name = 'Erika', status = 'won' where id = ${lead.id}`
    await transaction`insert into signals (kind, title, score, lead_id) values ('x', 'Erika', 1, ${lead.id})`
    erasing = erase()
    await until(async () => (await waiters()).length > 0)
  })
  expect(await erasing).toMatchObject({ counts: { leads: 1, signals: 1, events: 3 } })
  expect(await sql`select from events`).toHaveLength(0)
})

test('a row that a writer gives to another person meanwhile stays', async () => {
  const { sql } = database
  const mine = await factory.lead(sql, { email, phone: null })
  const other = await factory.lead(sql, { email: 'b@example.org', phone: null })
  const { id } = await factory.appointment(sql, { lead_id: mine.id })
  await factory.signal(sql, { kontakt_key: `email:${email}` })
  let erasing: Promise<unknown> | undefined
  await sql.begin(async transaction => {
    await transaction`update appointments set lead_id = ${other.id} where id = ${id}`
    await transaction`update signals set kontakt_key = 'email:b@example.org'`
    erasing = erase()
    await until(async () => (await waiters()).length > 0)
  })
  expect(await erasing).toMatchObject({ counts: { leads: 1, appointments: 0, signals: 0 } })
  expect(await sql`select lead_id from appointments`).toMatchObject([{ lead_id: other.id }])
  expect(await sql`select kontakt_key from signals`).toMatchObject([
    { kontakt_key: 'email:b@example.org' },
  ])
})

test('what is written while the erasure waits goes with its event, or stays with it', async () => {
  const { sql } = database
  const lead = await factory.lead(sql, { email, phone: null })
  const { id } = await factory.appointment(sql, { lead_id: lead.id })
  let erasing: Promise<unknown> | undefined
  await sql.begin(async transaction => {
    await transaction`update appointments set title = 'x' where id = ${id}`
    erasing = erase()
    await until(async () => (await waiters()).length > 0)
    await sql`insert into signals (kind, title, score, kontakt_key) values ('k', 'meanwhile', 1, ${`email:${email}`})`
  })
  await erasing
  const rows = await sql`select from signals`
  const events = await sql`select from events where event_type = 'signal.opened'`
  expect(events.length).toBe(rows.length)
})

test('an event that is sequenced meanwhile gets no cursor once it is erased', async () => {
  const { sql } = database
  await factory.lead(sql, { email })
  const { cursor } = await feedHead(sql)
  await duringErasure(() => sequence(sql))
  expect((await feedHead(sql)).cursor).toBe(cursor)
  await factory.lead(sql, { email: 'b@example.org' })
  await sequence(sql)
  expect((await feedHead(sql)).cursor).toBe(cursor + 1)
})

// Each blocks first at a row that both need, so that both are halfway when it is free.

type Scene = { subscription_id: string; no: number; fence: number; cursors: number[] }

const run = <Name extends QueryName>(sql: Sql, name: Name, given: Partial<ArgumentsOf<Name>>) =>
  openDatabase(sql, queries).rows(name, withNulls(name, given))

const others: [
  what: string,
  paused: boolean,
  work: (sql: Sql, scene: Scene) => Promise<unknown>,
][] = [
  [
    'recording attempts',
    false,
    (sql, { no, fence, cursors }) =>
      recordAttempts(
        sql,
        cursors.map(cursor => attemptRecord({ no, fence, cursor }, { outcome: 'failed' })),
        new Map([[no, 2]]),
      ),
  ],
  [
    'deleting the subscription',
    false,
    (sql, { subscription_id }) => run(sql, 'deleteHook', { id: subscription_id }),
  ],
  [
    'reactivating it with what was missed',
    true,
    async (sql, { subscription_id }) =>
      void (await sql`select reactivate_hook(${subscription_id}, true)`),
  ],
  [
    'reactivating it without',
    true,
    async (sql, { subscription_id }) =>
      void (await sql`select reactivate_hook(${subscription_id}, false)`),
  ],
  [
    'delivering what was missed',
    false,
    async (sql, { subscription_id }) => void (await sql`select deliver_missed(${subscription_id})`),
  ],
  [
    'sending one again',
    false,
    (sql, { subscription_id, cursors: [cursor = 0] }) =>
      run(sql, 'updateDeliveriesRedelivered', { subscription_id, cursors: [cursor] }),
  ],
  [
    'dismissing failures',
    false,
    (sql, { subscription_id }) => run(sql, 'deleteHookFailures', { subscription_id }),
  ],
  [
    'taking retries',
    false,
    (sql, { no, fence }) =>
      run(sql, 'claimRetries', { nos: [no], fences: [fence], row_limit: 100 }),
  ],
  [
    'claiming a range',
    false,
    (sql, { no, fence, cursors: [cursor = 0] }) =>
      run(sql, 'updateHookSkips', {
        nos: [no],
        fences: [fence],
        to_cursors: [cursor],
        from_cursors: [cursor - 1],
        claimed_to: [cursor],
      }),
  ],
  [
    'writing positions',
    false,
    (sql, { no, fence, cursors: [cursor = 0] }) =>
      run(sql, 'updateHookPositions', {
        nos: [no],
        fences: [fence],
        cursors: [cursor],
        claimed_to: [cursor],
      }),
  ],
  [
    'pruning',
    false,
    sql => sql`select from prune_events(interval '0', now() + interval '1 minute', null, 1000)`,
  ],
]

const blocked = [
  'select from hook_retries where cursor = (select max(cursor) from hook_retries) for update',
  'select from hook_failures where cursor = (select max(cursor) from hook_failures) for update',
  'select from hook_positions for update',
]

const connections = {} as { blocker: Sql; eraser: Sql; other: Sql }
const pids = new Map<Sql, number>()
beforeAll(async () => {
  for (const name of ['blocker', 'eraser', 'other'] as const) {
    const sql = oneConnection(database.url)
    connections[name] = sql
    const [row] = await sql`select pg_backend_pid() as pid`
    pids.set(sql, row?.pid)
  }
})
afterAll(() => Promise.all(Object.values(connections).map(sql => sql.end({ timeout: 1 }))))

/** Starts `work` and resolves when it waits for a lock, or has ended. */
async function start(sql: Sql, work: (sql: Sql) => Promise<unknown>) {
  let settled = false
  const done = work(sql).then(
    () => 'done',
    error => `${error.code} ${error.message}`,
  )
  done.then(() => {
    settled = true
  })
  await until(async () => settled || (await waiters()).includes(pids.get(sql) ?? 0))
  return { done }
}

/** A subscription with three deliveries of one person, each waiting and failed at once. */
async function prepare(paused: boolean): Promise<Scene> {
  const { sql } = database
  const { id } = await factory.hook(sql)
  for (let count = 0; count < 3; count += 1) await factory.lead(sql, { email, phone: null })
  await sequence(sql)
  const { cursor } = await feedHead(sql)
  const cursors = [cursor - 2, cursor - 1, cursor]
  for (const of of [...cursors].reverse()) {
    await factory.retry(sql, { subscription_id: id, cursor: of })
    await factory.failure(sql, { subscription_id: id, cursor: of })
  }
  const { no, fence } = await factory.position(sql, id, { claimed_to: cursor })
  await factory.skip(sql, { no, from_cursor: 0, to_cursor: cursors[0], catching_up: true })
  if (paused) await sql`update hook_subscriptions set active = false, paused_at = now()`
  return { subscription_id: id, no, fence, cursors }
}

const orders = [true, false]

test.each(others)(
  'an erasure and %s do not end in a deadlock',
  async (_, paused, work) => {
    for (const block of blocked)
      for (const erasureFirst of orders) {
        await emptyWorkspace(database.sql)
        const scene = await prepare(paused)
        const { blocker, eraser, other } = connections
        const steps: [Sql, (sql: Sql) => Promise<unknown>][] = [
          [eraser, async sql => void (await sql`select * from erase_kontakt(${email})`)],
          [other, sql => work(sql, scene)],
        ]
        const started: { done: Promise<string> }[] = []
        await blocker.begin(async transaction => {
          await transaction.unsafe(block)
          for (const [sql, step] of erasureFirst ? steps : steps.toReversed())
            started.push(await start(sql, step))
        })
        expect([
          block,
          erasureFirst,
          ...(await Promise.all(started.map(({ done }) => done))),
        ]).toEqual([block, erasureFirst, 'done', 'done'])
        expect(await database.sql`select from events`).toHaveLength(0)
      }
  },
  30_000,
)
