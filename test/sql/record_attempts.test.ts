// One batch of the leader: what follows from each outcome, what holds when batches come twice, when another process leads, and
// when rows change or are locked meanwhile.
import { describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { countLockWaits, oneConnection, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { until } from '../support/until.ts'

const database = useDatabase()

type Outcome = 'd' | 'r' | 'f'
type Attempt = Record<string, unknown>

const hook = async (columns: factory.Columns = {}) =>
  (await factory.hook(database.sql, { cursor: 0, ...columns })).id as string

const startedAt = (second: number) => new Date(Date.UTC(2026, 2, 1, 12, 0, second))

const attempt = (
  subscription_id: string,
  cursor: number,
  outcome: Outcome,
  more: Attempt = {},
) => ({
  subscription_id,
  cursor,
  started_at: startedAt(cursor),
  version: 1,
  duration_ms: 5,
  attempt: 1,
  status: outcome === 'd' ? 200 : 500,
  outcome,
  error_class: outcome === 'd' ? null : 'status',
  excerpt: null,
  headers: null,
  retry_ms: outcome === 'r' ? 60_000 : null,
  ...more,
})

/** A sentence of outcomes, such as `ffdf`, for the cursors from 1 on. */
const run = (id: string, outcomes: string, more: Attempt = {}) =>
  [...outcomes].map((outcome, place) => attempt(id, place + 1, outcome as Outcome, more))

type Given = { positions?: object; fence?: number; identity?: string; sql?: typeof database.sql }

async function record(
  attempts: Attempt[],
  { positions = {}, fence = 0, identity, sql }: Given = {},
) {
  const given = [attempts, positions].map(one => JSON.stringify(one))
  const rows = await (sql ?? database.sql)`
    select * from record_attempts(
      ${String(fence)}::text::integer, coalesce(${identity ?? null}::text, database_identity()), ${given[0] ?? ''}::text::jsonb, ${given[1] ?? ''}::text::jsonb)`
  return [...rows]
}

async function left(id: string) {
  const { sql } = database
  const [row] = await sql`select * from hook_subscriptions where id = ${id}`
  const outstanding =
    await sql`select * from hook_outstanding where subscription_id = ${id} order by cursor`
  const attempts =
    await sql`select outcome from hook_attempts where subscription_id = ${id} order by cursor, started_at`
  return {
    attempts: attempts.map(one => one.outcome).join(''),
    outstanding: outstanding.map(one => [
      Number(one.cursor),
      one.attempts,
      one.due_at === null ? 'failed' : 'waits',
    ]),
    failures: row?.consecutive_failures,
    active: row?.active,
    cursor: Number(row?.cursor),
    version: row?.version,
  }
}

describe('what follows from an outcome', () => {
  const table: [
    string,
    before: [number, 'waits' | 'failed'] | null,
    Attempt[],
    expected: object,
  ][] = [
    ['delivered: an attempt', null, [{ outcome: 'd' }], { attempts: 'd', outstanding: [] }],
    [
      'a retry that is delivered is outstanding no more',
      [2, 'waits'],
      [{ outcome: 'd', attempt: 3 }],
      { attempts: 'd', outstanding: [] },
    ],
    [
      'to be tried again: it waits',
      null,
      [{ outcome: 'r' }],
      { attempts: 'r', outstanding: [[1, 1, 'waits']], failures: 0 },
    ],
    [
      'a retry to be tried again waits with one attempt more',
      [1, 'waits'],
      [{ outcome: 'r', attempt: 2 }],
      { outstanding: [[1, 2, 'waits']] },
    ],
    [
      'failed for good: it stays as failed, and counts',
      null,
      [{ outcome: 'f' }],
      { attempts: 'f', outstanding: [[1, 1, 'failed']], failures: 1 },
    ],
    [
      'a row that was sent again meanwhile is left as it is',
      [0, 'waits'],
      [{ outcome: 'f', attempt: 3 }],
      { outstanding: [[1, 0, 'waits']] },
    ],
  ]
  test.each(table)('%s', async (_, before, attempts, expected) => {
    const id = await hook()
    if (before) {
      const due_at = before[1] === 'waits' ? new Date() : null
      await factory.outstanding(database.sql, { subscription_id: id, attempts: before[0], due_at })
    }
    await record(attempts.map(one => attempt(id, 1, one.outcome as Outcome, one)))
    expect(await left(id)).toMatchObject(expected)
  })
})

describe('the run of final failures', () => {
  const table: [before: number, outcomes: string, failures: number, active: boolean][] = [
    [0, 'fff', 3, true],
    [3, 'd', 0, true],
    [3, 'fdf', 1, true],
    [3, 'rrr', 3, true],
    [8, 'f', 9, true],
    [8, 'ff', 10, false],
    [9, 'd', 0, true],
    [9, 'fd', 10, false],
    [9, 'df', 1, true],
    [0, 'ffffffffffff', 10, false],
    [5, 'fffffd', 10, false],
  ]
  test.each(table)('%d, then %s: %d', async (before, outcomes, failures, active) => {
    const id = await hook({ consecutive_failures: before })
    const [row] = await record(run(id, outcomes))
    const state = await left(id)
    expect(state).toMatchObject({ failures, active, attempts: outcomes })
    // A pause is a change: the leader begins again from the row.
    expect(state.version).toBe(active ? 1 : 2)
    expect(row).toMatchObject({ paused: !active })
  })

  test('counts in the order in which attempts ended, not in that of their cursors', async () => {
    const id = await hook({ consecutive_failures: 4 })
    const late = attempt(id, 1, 'd', { duration_ms: 9_000 })
    await record([late, attempt(id, 2, 'f'), attempt(id, 3, 'f')])
    expect((await left(id)).failures).toBe(0)
  })

  test('is exactly ten though batches come at once, and what comes after does not count', async () => {
    const id = await hook()
    const batches = Array.from({ length: 6 }, (_, batch) =>
      [1, 2, 3].map(place => attempt(id, batch * 3 + place, 'f')),
    )
    await Promise.all(
      batches.map(async batch => {
        const isHeld = async () => (await record(batch)).some(({ held }) => held)
        await until(async () => !(await isHeld()))
      }),
    )
    expect(await left(id)).toMatchObject({ failures: 10, active: false, version: 2 })
    await record([attempt(id, 50, 'f'), attempt(id, 51, 'd')])
    expect(await left(id)).toMatchObject({ failures: 10, active: false })
  })

  test('what ends while the owner has paused it is recorded and does not count', async () => {
    const id = await hook()
    await database.sql`update hook_subscriptions set active = false where id = ${id}`
    await record(run(id, 'fr'))
    expect(await left(id)).toMatchObject({
      failures: 0,
      attempts: 'fr',
      outstanding: [
        [1, 1, 'failed'],
        [2, 1, 'waits'],
      ],
    })
  })

  test('a notice is written at five, eight and ten, in the transaction of the record', async () => {
    const id = await hook()
    await record(run(id, 'ffffffffff'))
    const rows = await database.sql`
      select failures from owner_notices where subscription_id = ${id} order by failures`
    expect(rows.map(row => row.failures)).toEqual([5, 8, 10])
  })
})

describe('a position', () => {
  test('moves under the version that is known, never back', async () => {
    const id = await hook({ cursor: 5 })
    await record([], { positions: { [id]: { cursor: 9, version: 1 } } })
    expect(await left(id)).toMatchObject({ cursor: 9, version: 1 })
    await record([], { positions: { [id]: { cursor: 7, version: 1 } } })
    expect((await left(id)).cursor).toBe(9)
  })

  test.each([
    ['address', "target_url = 'https://hooks.example.com/b'"],
    ['types', "event_types = '{signal.opened}'"],
    ['secret', "secret = 'another'"],
    ['pause', 'active = false'],
    ['position', 'cursor = 2'],
    ['deletion', 'deleted_at = now(), active = false, target_url = null, secret = null'],
  ])("the owner's change wins: %s", async (_, change) => {
    const id = await hook({ cursor: 5 })
    await database.sql.unsafe(`update hook_subscriptions set ${change} where id = '${id}'`)
    const { cursor } = await left(id)
    const rows = await record([attempt(id, 9, 'f')], {
      positions: { [id]: { cursor: 9, version: 1 } },
    })
    expect(rows.find(row => row.subscription_id === id)?.version).toBe(2)
    expect(await left(id)).toMatchObject({ cursor, failures: 0, version: 2, attempts: 'f' })
  })

  test('of a subscription whose row is locked is held back with all its attempts, and stops no other', async () => {
    const [locked, free] = [await hook(), await hook()]
    const other = oneConnection(database.url)
    await other`begin`
    await other`select from hook_subscriptions where id = ${locked} for update`
    const attempts = [...run(locked, 'fd'), ...run(free, 'fd')]
    const rows = await record(attempts)
    expect(rows.filter(({ held }) => held).map(row => row.subscription_id)).toEqual([locked])
    expect((await left(locked)).attempts).toBe('')
    expect((await left(free)).attempts).toBe('fd')
    await other`commit`
    await record(attempts)
    expect((await left(locked)).attempts).toBe('fd')
    expect((await left(free)).failures).toBe(0)
    await other.end()
  })
})

test('a batch that comes twice counts, moves and settles once', async () => {
  const id = await hook()
  const batch = [attempt(id, 1, 'f'), attempt(id, 2, 'r'), attempt(id, 3, 'f')]
  await record(batch)
  // Meanwhile the owner sends the first one again, and the second was delivered.
  await database.sql`update hook_outstanding set attempts = 0, due_at = now() where subscription_id = ${id} and cursor = 1`
  await record([attempt(id, 2, 'd', { attempt: 2, started_at: startedAt(40) })])
  const before = await left(id)
  await record(batch)
  expect(await left(id)).toEqual(before)
  expect(before).toMatchObject({
    failures: 0,
    outstanding: [
      [1, 0, 'waits'],
      [3, 1, 'failed'],
    ],
  })
})

test('a process that was replaced writes attempts alone', async () => {
  const id = await hook()
  await database.sql`update leader set fence = 7`
  const rows = await record(run(id, 'frd'), {
    fence: 6,
    positions: { [id]: { cursor: 3, version: 1 } },
  })
  expect(rows).toEqual([])
  expect(await left(id)).toMatchObject({ attempts: 'frd', outstanding: [], failures: 0, cursor: 0 })
  await database.sql`update leader set fence = 0`
})

test('one that knows more than a standby that was promoted writes attempts alone', async () => {
  const id = await hook()
  const positions = { [id]: { cursor: 3, version: 1 } }
  expect(await record(run(id, 'frd'), { identity: 'before', positions })).toEqual([])
  expect(await left(id)).toMatchObject({ attempts: 'frd', outstanding: [], failures: 0, cursor: 0 })
})

test('a recording that waits while another process takes over writes attempts alone', async () => {
  const id = await hook()
  const taking = oneConnection(database.url)
  await taking`begin`
  await taking`update leader set fence = 3, worker = ${randomUUID()}`
  const recording = record(run(id, 'f'), { positions: { [id]: { cursor: 1, version: 1 } } })
  await until(async () => (await countLockWaits(database.sql)) > 0)
  await taking`commit`
  expect(await recording).toEqual([])
  expect(await left(id)).toMatchObject({ attempts: 'f', failures: 0, cursor: 0 })
  await database.sql`update leader set fence = 0`
  await taking.end()
})

test('a take-over waits for the recording under way, and a renewal does not', async () => {
  const id = await hook()
  const recording = oneConnection(database.url)
  await recording`begin`
  await record(run(id, 'f'), { sql: recording })
  const worker = randomUUID()
  await database.sql`update leader set worker = ${worker}`
  await openDatabase(database.sql, queries).rows('claimLease', { worker, alone: false })
  const taken = database.sql`update leader set fence = 1`.execute()
  await until(async () => (await countLockWaits(database.sql)) > 0)
  await recording`commit`
  await taken
  expect((await left(id)).failures).toBe(1)
  await database.sql`update leader set fence = 0`
  await recording.end()
})

describe('the words of a receiver', () => {
  const withWords = { excerpt: 'Erika Beispiel', headers: 'x-name: Erika' }
  const words = async (id: string) => {
    const [row] =
      await database.sql`select excerpt, headers from hook_attempts where subscription_id = ${id}`
    return { ...row }
  }

  test('are kept as long as the event is there', async () => {
    const id = await hook()
    const event = await factory.event(database.sql, { cursor: 70 })
    await record([attempt(id, 70, 'f', withWords)])
    expect(event.id).toBeString()
    expect(await words(id)).toEqual(withWords)
  })

  test('are left out where the event was erased', async () => {
    const id = await hook()
    await record([attempt(id, 71, 'f', withWords)])
    expect(await words(id)).toEqual({ excerpt: null, headers: null })
  })
})

test('of a deleted subscription only attempts are recorded', async () => {
  const id = await hook()
  await database.sql`
    update hook_subscriptions set deleted_at = now(), active = false, target_url = null, secret = null where id = ${id}`
  await record(run(id, 'rf'))
  expect(await left(id)).toMatchObject({ attempts: 'rf', outstanding: [], failures: 0 })
})

test('of one whose row is gone nothing is recorded, and nothing fails', async () => {
  const id = await hook()
  await database.sql`delete from hook_subscriptions where id = ${id}`
  const other = await hook()
  await record([...run(id, 'fd'), attempt(other, 1, 'f')])
  expect((await left(id)).attempts).toBe('')
  expect((await left(other)).failures).toBe(1)
})
