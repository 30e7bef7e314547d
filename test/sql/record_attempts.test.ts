// One batch of the leader: what follows from each outcome, what holds when batches come twice, when another process leads, and
// when rows change or are locked meanwhile.
import { beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { countLockWaits, oneConnection, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { until } from '../support/until.ts'

const database = useDatabase()

beforeAll(async () => {
  for (let cursor = 1; cursor <= 20; cursor += 1) await factory.event(database.sql, { cursor })
})

type Attempt = Record<string, unknown>

const hook = async (columns: factory.Columns = {}) =>
  (await factory.hook(database.sql, { cursor: 0, ...columns })).id as string

/** Its outcome is d for delivered, r for to be tried again, f for failed for good. */
const attempt = (subscription_id: string, cursor: number, outcome: string, more: Attempt = {}) => ({
  ...{ subscription_id, cursor, outcome, version: 1, duration_ms: 5, attempt: 1 },
  started_at: new Date(Date.UTC(2026, 2, 1, 12, 0, cursor)),
  ...{ status: outcome === 'd' ? 200 : 500, error_class: outcome === 'd' ? null : 'status' },
  ...{ excerpt: null, headers: null, retry_ms: outcome === 'r' ? 60_000 : null },
  ...more,
})

/** A word of outcomes, such as `ffdf`, for the cursors from `first` on. */
const run = (id: string, outcomes: string, first = 1) =>
  [...outcomes].map((outcome, place) => attempt(id, first + place, outcome))

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

/** What is outstanding stands as CURSOR:ATTEMPTS, with an ! where it has failed for good. */
async function left(id: string) {
  const { sql } = database
  const [row] = await sql`select * from hook_subscriptions where id = ${id}`
  const outstanding = await sql`
    select cursor || ':' || attempts || case when due_at is null then '!' else '' end as one
    from hook_outstanding where subscription_id = ${id} order by cursor`
  const attempts =
    await sql`select outcome from hook_attempts where subscription_id = ${id} order by cursor, started_at`
  const notices =
    await sql`select failures from owner_notices where subscription_id = ${id} order by created_at, failures`
  return {
    attempts: attempts.map(one => one.outcome).join(''),
    outstanding: outstanding.map(({ one }) => one).join(' '),
    notices: notices.map(one => one.failures),
    failures: row?.consecutive_failures,
    active: row?.active,
    cursor: Number(row?.cursor),
    version: row?.version,
  }
}

// What was outstanding before, as left() shows it; the attempt.
const outcomes: [what: string, before: string, outcome: string, attempt: number, after: string][] =
  [
    ['delivered: an attempt', '', 'd', 1, ''],
    ['a retry that is delivered is outstanding no more', '1:2', 'd', 3, ''],
    ['to be tried again: it waits', '', 'r', 1, '1:1'],
    ['a retry to be tried again waits with one attempt more', '1:1', 'r', 2, '1:2'],
    ['failed for good: it stays as failed, and counts', '', 'f', 1, '1:1!'],
    ['a row that was sent again meanwhile is left as it is', '1:0', 'f', 3, '1:0'],
  ]

test.each(outcomes)('%s', async (_, before, outcome, number, outstanding) => {
  const id = await hook()
  const [, attempts] = before.split(':')
  if (attempts)
    await factory.outstanding(database.sql, { subscription_id: id, attempts, due_at: new Date() })
  await record([attempt(id, 1, outcome, { attempt: number })])
  const failures = outcome === 'f' ? 1 : 0
  expect(await left(id)).toMatchObject({ outstanding, attempts: outcome, failures })
})

// Batches are parted by spaces; a notice is written at five, eight and ten failures in a row.
const runs: [before: number, batches: string, failures: number, notices: number[]][] = [
  [0, 'fff', 3, []],
  [3, 'd', 0, []],
  [3, 'fdf', 1, []],
  [3, 'rrr', 3, []],
  [0, 'f f f f f', 5, [5]],
  [0, 'ffff fffff', 9, [5, 8]],
  [0, 'ffffff d ffffff', 6, [5, 5]],
  [8, 'ff', 10, [10]],
  [9, 'd', 0, []],
  [9, 'fd', 10, [10]],
  [9, 'df', 1, []],
  [0, 'ffffffffffff', 10, [5, 8, 10]],
  [0, 'ffffffffff fff', 10, [5, 8, 10]],
  [5, 'fffffd', 10, [8, 10]],
]

test.each(runs)(
  'after %d failures in a row and %s there are %d, with notices %j',
  async (before, batches, failures, notices) => {
    const id = await hook({ consecutive_failures: before })
    let first = 1
    for (const batch of batches.split(' ')) {
      await record(run(id, batch, first))
      first += batch.length
    }
    // A pause is a change: the leader begins again from the row.
    const state = failures === 10 ? { active: false, version: 2 } : { active: true, version: 1 }
    const attempts = batches.replaceAll(' ', '')
    expect(await left(id)).toMatchObject({ failures, notices, attempts, ...state })
  },
)

test('failures count in the order in which attempts ended, not in that of their cursors', async () => {
  const id = await hook({ consecutive_failures: 4 })
  await record([attempt(id, 1, 'd', { duration_ms: 9_000 }), ...run(id, 'ff', 2)])
  expect((await left(id)).failures).toBe(0)
})

test('failures are exactly ten though batches come at once', async () => {
  const id = await hook()
  const batches = [1, 4, 7, 10, 13, 16].map(first => run(id, 'fff', first))
  const isHeld = async (batch: Attempt[]) => (await record(batch)).some(({ held }) => held)
  await Promise.all(batches.map(batch => until(async () => !(await isHeld(batch)))))
  expect(await left(id)).toMatchObject({ failures: 10, active: false, version: 2 })
})

test('a position moves under the version that is known, never back', async () => {
  const id = await hook({ cursor: 5 })
  for (const cursor of [9, 7]) await record([], { positions: { [id]: { cursor, version: 1 } } })
  expect(await left(id)).toMatchObject({ cursor: 9, version: 1 })
})

test.each([
  "target_url = 'https://hooks.example.com/b'",
  "event_types = '{signal.opened}'",
  "secret = 'another'",
  'active = false',
  'cursor = 2',
  'deleted_at = now(), active = false, target_url = null, secret = null',
])("the owner's change wins: %s", async change => {
  const id = await hook({ cursor: 5 })
  await database.sql.unsafe(`update hook_subscriptions set ${change} where id = '${id}'`)
  const { cursor } = await left(id)
  const rows = await record(run(id, 'fr', 9), { positions: { [id]: { cursor: 9, version: 1 } } })
  expect(rows.find(row => row.subscription_id === id)?.version).toBe(2)
  const outstanding = change.startsWith('deleted_at') ? '' : '9:1! 10:1'
  expect(await left(id)).toMatchObject({
    cursor,
    failures: 0,
    version: 2,
    attempts: 'fr',
    outstanding,
  })
})

test('a subscription whose row is locked is held back with all its attempts, and stops no other', async () => {
  const [locked, free] = [await hook(), await hook()]
  const other = oneConnection(database.url)
  await other`begin`
  await other`select from hook_subscriptions where id = ${locked} for update`
  const attempts = [...run(locked, 'fd'), ...run(free, 'fd')]
  const rows = await record(attempts)
  expect(rows.filter(({ held }) => held).map(row => row.subscription_id)).toEqual([locked])
  expect([(await left(locked)).attempts, (await left(free)).attempts]).toEqual(['', 'fd'])
  await other`commit`
  await record(attempts)
  expect([(await left(locked)).attempts, (await left(free)).failures]).toEqual(['fd', 0])
  await other.end()
})

test('a batch that comes twice counts, moves and settles once', async () => {
  const id = await hook()
  await record(run(id, 'frf'))
  // Meanwhile the owner sends the first one again, and the second was delivered.
  await database.sql`update hook_outstanding set attempts = 0, due_at = now() where subscription_id = ${id} and cursor = 1`
  await record([attempt(id, 2, 'd', { attempt: 2, started_at: new Date(Date.UTC(2026, 2, 2)) })])
  const before = await left(id)
  await record(run(id, 'frf'))
  expect(await left(id)).toEqual(before)
  expect(before).toMatchObject({ failures: 0, outstanding: '1:0 3:1!' })
})

test.each([
  ['that was replaced', { fence: -1 }],
  ['that knows more than a standby that was promoted', { identity: 'before' }],
])('a process %s writes attempts alone', async (_, given) => {
  const id = await hook()
  const positions = { [id]: { cursor: 3, version: 1 } }
  expect(await record(run(id, 'frd'), { ...given, positions })).toEqual([])
  expect(await left(id)).toMatchObject({ attempts: 'frd', outstanding: '', failures: 0, cursor: 0 })
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
  await openDatabase(database.sql, queries).rows('claimLease', {
    worker,
    alone: false,
    lease_ms: 5_000,
  })
  const taken = database.sql`update leader set fence = 1`.execute()
  await until(async () => (await countLockWaits(database.sql)) > 0)
  await recording`commit`
  await taken
  expect((await left(id)).failures).toBe(1)
  await database.sql`update leader set fence = 0`
  await recording.end()
})

test('nothing is outstanding of an event that is gone, or that a replay sends again', async () => {
  const id = await hook({ cursor: 3 })
  await database.sql`update hook_subscriptions set cursor = 1, replayed_version = version + 1 where id = ${id}`
  await record([...run(id, 'frf'), attempt(id, 4, 'f', { version: 2 }), attempt(id, 90, 'f')])
  expect(await left(id)).toMatchObject({ outstanding: '1:1! 4:1!', attempts: 'frfff', cursor: 1 })
})

test('the words of a receiver are kept as long as the event is there, and left out where it was erased', async () => {
  const id = await hook()
  const words = { excerpt: 'Erika Beispiel', headers: 'x-name: Erika' }
  await factory.event(database.sql, { cursor: 70 })
  await record([attempt(id, 70, 'f', words), attempt(id, 71, 'f', words)])
  const rows =
    await database.sql`select excerpt, headers from hook_attempts where subscription_id = ${id} order by cursor`
  expect(rows.map(row => ({ ...row }))).toEqual([words, { excerpt: null, headers: null }])
})

test('of a subscription whose row is gone nothing is recorded, and nothing fails', async () => {
  const [gone, other] = [await hook(), await hook()]
  await database.sql`delete from hook_subscriptions where id = ${gone}`
  await record([...run(gone, 'fd'), attempt(other, 1, 'f')])
  expect([(await left(gone)).attempts, (await left(other)).failures]).toEqual(['', 1])
})
