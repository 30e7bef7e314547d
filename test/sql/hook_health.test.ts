// How deliveries fare, counted beforehand: nothing is counted twice, nothing is left out, and what is newer is counted as well.
import { beforeEach, expect, test } from 'bun:test'
import { sessionSettings } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import {
  durationBounds,
  durationQuantile,
  getHealth,
  listHealth,
} from '../../src/operations/health.ts'
import { useDatabase } from '../support/database/database.ts'
import { openExplaining, touched } from '../support/database/explaining.ts'
import * as factory from '../support/database/factory.ts'

const test_ = useDatabase()
const now = new Date('2026-05-04T12:30:00Z')
const at = (time: string) => `2026-05-04T${time}Z`
let id: string
let no: number

beforeEach(async () => {
  const { sql } = test_
  await sql`truncate hook_subscriptions, hook_positions, hook_attempts, hook_health`
  await sql`update hook_health_state set counted_to = '2026-05-01T00:00:00Z'`
  id = (await factory.hook(sql)).id
  no = (await factory.position(sql, id)).no
})

const database = () => openDatabase(test_.sql, queries)
const count = (moment: string) =>
  database().rows('updateHookHealth', { moment: new Date(at(moment)) })
const attempt = (started_at: string, columns: factory.Columns = {}) =>
  factory.attempt(test_.sql, { no, started_at: at(started_at), ...columns })
const health = (period: '1h' | '24h' | '7d' | '30d' = '24h') =>
  getHealth(database(), id, period, now)

test('the service and the database know the same durations', async () => {
  for (const bound of durationBounds) {
    const [row] =
      await test_.sql`select duration_bucket(${bound - 1}::integer) as below, duration_bucket(${bound}::integer) as above`
    const index = durationBounds.indexOf(bound)
    expect([row?.below, row?.above]).toEqual([index, index + 1])
  }
})

test('after a clock that was ahead went back, attempts are counted anew, and go on being counted', async () => {
  await attempt('10:15:20')
  await count('11:00:00')
  await database().rows('updateHookHealth', { moment: new Date('2036-05-04T12:00:00Z') })
  await attempt('12:10:00', { outcome: 'f' })
  const expected = { delivered: 1, failed: 1 }
  await count('12:20:00')
  expect(await health()).toMatchObject(expected)
  await attempt('12:20:30')
  await count('12:29:00')
  expect(await health()).toMatchObject({ ...expected, delivered: 2 })
})

test('reasons know when, to the second, also of attempts that are counted by the hour', async () => {
  await attempt('10:15:20', { outcome: 'f', status: 401 })
  await attempt('10:47:31', { outcome: 'f', status: 401 })
  await count('12:20:00')
  const [reason] = (await health()).reasons
  expect(
    [reason?.first_at, reason?.last_at].map(one => new Date(String(one)).toISOString()),
  ).toEqual(['2026-05-04T10:15:20.000Z', '2026-05-04T10:47:31.000Z'])
})

test('attempts are counted once, whenever they are counted', async () => {
  await attempt('11:00:00')
  await attempt('11:00:30', { outcome: 'r' })
  await attempt('11:59:00', { outcome: 'f' })
  await attempt('12:20:00')
  const expected = { delivered: 2, retried: 1, failed: 1, rate: 2 / 3 }
  expect(await health()).toMatchObject(expected)
  await count('11:30:00')
  expect(await health()).toMatchObject(expected)
  await count('11:30:00')
  await count('12:20:30')
  expect(await health()).toMatchObject(expected)
  await count('12:29:00')
  expect(await health()).toMatchObject(expected)
  const [row] =
    await test_.sql`select sum(attempts)::integer as attempts from hook_health where unit = 'h'`
  expect(row?.attempts).toBe(4)
  const { steps } = await health()
  expect(steps).toHaveLength(24)
  expect(
    steps
      .slice(-2)
      .map(({ at: begins, ...counts }) => [
        begins.toISOString().slice(11, 16),
        ...Object.values(counts),
      ]),
  ).toEqual([
    ['11:00', 1, 1, 1],
    ['12:00', 1, 0, 0],
  ])
})

test('what began within the last minute is left for the next time: it may not be recorded yet', async () => {
  await attempt('12:00:30')
  await count('12:01:00')
  await attempt('12:00:20')
  await count('12:02:00')
  expect((await health('1h')).delivered).toBe(2)
})

test('each period looks as far back as it says', async () => {
  await attempt('12:29:00')
  await attempt('11:00:00')
  await factory.attempt(test_.sql, { no, started_at: '2026-05-02T12:00:00Z' })
  await factory.attempt(test_.sql, { no, started_at: '2026-04-20T12:00:00Z' })
  await test_.sql`update hook_health_state set counted_to = '2026-04-01T00:00:00Z'`
  const counts = []
  for (const period of ['1h', '24h', '7d', '30d'] as const)
    counts.push((await health(period)).delivered)
  expect(counts).toEqual([1, 2, 3, 4])
  await count('12:20:00')
  counts.length = 0
  for (const period of ['24h', '7d', '30d'] as const) counts.push((await health(period)).delivered)
  expect(counts).toEqual([2, 3, 4])
})

test('reasons are counted apart, with when each came first and last', async () => {
  await attempt('10:10:00', { outcome: 'f', status: 401 })
  await attempt('10:20:00', { outcome: 'f', status: 401 })
  await attempt('10:30:00', { outcome: 'r', status: null, error_class: 'timeout' })
  const { reasons } = await health()
  expect(reasons.map(({ reason, attempts }) => [reason, attempts])).toEqual([
    ['401', 2],
    ['timeout', 1],
  ])
  expect(new Date(reasons[0]?.first_at ?? 0).toISOString()).toBe('2026-05-04T10:10:00.000Z')
  expect(new Date(reasons[0]?.last_at ?? 0).toISOString()).toBe('2026-05-04T10:20:00.000Z')
})

test('half of the attempts and nearly all of them, as nearly as the durations are kept', async () => {
  for (let n = 0; n < 90; n += 1) await attempt('12:10:00', { cursor: n + 1, duration_ms: 40 })
  for (let n = 0; n < 10; n += 1) await attempt('12:11:00', { cursor: n + 200, duration_ms: 4_000 })
  const { p50_ms, p95_ms } = await health()
  expect(p50_ms).toBeGreaterThanOrEqual(35)
  expect(p50_ms).toBeLessThan(50)
  expect(p95_ms).toBeGreaterThanOrEqual(2_500)
  expect(p95_ms).toBeLessThan(5_000)
  expect(durationQuantile(new Map(), 0.5)).toBe(null)
  expect((await getHealth(database(), id, '24h', new Date('2026-07-01T00:00:00Z'))).rate).toBe(null)
})

test('all of them together, and each by itself', async () => {
  const other = await factory.position(test_.sql, (await factory.hook(test_.sql)).id)
  await attempt('12:00:00', { duration_ms: 10 })
  await factory.attempt(test_.sql, {
    no: other.no,
    outcome: 'f',
    started_at: at('12:00:00'),
    duration_ms: 10,
  })
  await count('12:20:00')
  const { all, byHook } = await listHealth(database(), now)
  expect([all.delivered, all.failed, all.rate, byHook.get(id)?.rate]).toEqual([1, 1, 0.5, 1])
  expect(byHook.size).toBe(2)
})

test('minutes go after two hours, hours after 31 days', async () => {
  await attempt('09:00:00')
  await count('09:30:00')
  await count('12:00:00')
  const units = async () =>
    (await test_.sql`select distinct unit::text from hook_health order by unit::text`).map(
      row => row.unit,
    )
  expect(await units()).toEqual(['h'])
  await database().rows('updateHookHealth', { moment: new Date('2026-06-10T00:00:00Z') })
  expect(await units()).toEqual([])
})

test.each(['1.1', '4'])(
  'with pages at %s, attempts of a minute are found along their times',
  async cost => {
    await test_.sql`insert into hook_attempts (no, cursor, started_at, fence, duration_ms, attempt, status, outcome, excerpt)
    select ${no}, n, ${at('09:00:00')}::timestamptz + n % 10000 * interval '1 second', 1, 12, 1, 200, 'd', repeat('x', 200)
    from generate_series(1, 100000) as n`
    await test_.sql`select brin_summarize_new_values(inhrelid) from pg_inherits where inhparent = 'hook_attempts_started_idx'::regclass`
    await test_.sql`analyze hook_attempts`
    const session = await openExplaining(test_.url, {
      ...sessionSettings({}),
      random_page_cost: cost,
    })
    const nodes = await session.explainNested(
      `select * from attempts_between('${at('10:00:00')}', '${at('10:01:00')}')`,
    )
    await session.end()
    expect(nodes.map(node => node['Index Name']).filter(Boolean)).toEqual([
      'hook_attempts_other_started_at_idx',
    ])
    // Ten times 60 attempts, with what shares their blocks.
    expect(Math.max(...nodes.map(touched))).toBeLessThan(10_000)
  },
)
