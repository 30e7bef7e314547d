// claim_permits: never more than the limit in any 60 seconds, whatever the clock and the process.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()

const start = Date.parse('2026-03-01T12:00:00Z') / 1000

type Permit = { granted: boolean; used: number; wait_seconds: number }

/** Asks for one key; moments are seconds since `start`. */
function claimer(sql: Sql, permits_max: number, key_id: string = randomUUID()) {
  const service = openDatabase(sql, queries)
  return async (second: number): Promise<Permit> => {
    const at = new Date((start + second) * 1000)
    const [row, ...others] = await service.rows('claimPermits', {
      key_ids: [key_id],
      wanted: [1],
      permits_max,
      at,
    })
    expect(others).toEqual([])
    const granted = row?.granted === 1
    return { granted, used: row?.used ?? -1, wait_seconds: granted ? 0 : (row?.wait_seconds ?? -1) }
  }
}

/** Numbers from 0 to 1, the same for the same seed. */
function random(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** The most moments that fall into any 60 seconds, of moments in order. */
function mostInWindow(moments: number[]): number {
  let from = 0
  return moments.reduce((most, moment, index) => {
    while (moment - (moments[from] ?? 0) >= 60) from += 1
    return Math.max(most, index - from + 1)
  }, 0)
}

/** Steps of a clock: bursts, gaps of seconds, and now and then a pause longer than the window. */
function step(next: () => number): number {
  const kind = next()
  if (kind < 0.5) return next() * 0.2
  if (kind < 0.97) return next() * 8
  return next() * 130
}

test.each([1, 2, 3, 4])(
  'under random clock %i no 60 seconds hold more than the limit, and a free place is given',
  async seed => {
    const next = random(seed)
    const limit = 1 + Math.floor(next() * 12)
    const claim = claimer(database.sql, limit)
    const granted: number[] = []
    let second = next() * 100
    for (let request = 0; request < 400; request += 1) {
      second += step(next)
      const permit = await claim(second)
      // One second too strict at most: what is 61 seconds old is always forgotten.
      const recent = granted.filter(moment => moment > second - 61).length
      if (permit.granted) granted.push(second)
      else expect(recent).toBeGreaterThanOrEqual(limit)
      expect(permit.used).toBeLessThanOrEqual(limit)
    }
    expect(granted.length).toBeGreaterThan(limit)
    expect(mostInWindow(granted)).toBeLessThanOrEqual(limit)
  },
)

test('used counts what was granted in the window', async () => {
  const claim = claimer(database.sql, 3)
  expect(await claim(0)).toEqual({ granted: true, used: 1, wait_seconds: 0 })
  expect(await claim(30)).toEqual({ granted: true, used: 2, wait_seconds: 0 })
  expect(await claim(60)).toEqual({ granted: true, used: 3, wait_seconds: 0 })
  expect(await claim(61)).toEqual({ granted: true, used: 3, wait_seconds: 0 })
})

test('refused requests do not count', async () => {
  const claim = claimer(database.sql, 2)
  await claim(0)
  await claim(0)
  for (let second = 1; second < 60; second += 1)
    expect(await claim(second)).toEqual({ granted: false, used: 2, wait_seconds: 61 - second })
  expect(await claim(61)).toEqual({ granted: true, used: 1, wait_seconds: 0 })
  expect(await claim(61)).toEqual({ granted: true, used: 2, wait_seconds: 0 })
})

test('wait_seconds is exact: a second less is refused, then it is granted', async () => {
  const next = random(7)
  const claim = claimer(database.sql, 4)
  let second = 0
  let waits = 0
  for (let request = 0; request < 150; request += 1) {
    second += Math.floor(next() * 20)
    const { granted, wait_seconds } = await claim(second)
    if (granted) continue
    waits += 1
    const wait = wait_seconds
    expect(wait).toBeGreaterThanOrEqual(1)
    expect(wait).toBeLessThanOrEqual(61)
    expect((await claim(second + wait - 0.001)).granted).toBe(false)
    second += wait
    expect((await claim(second)).granted).toBe(true)
  }
  expect(waits).toBeGreaterThan(10)
})

test('a limit that was lowered waits until enough has expired', async () => {
  const key = randomUUID()
  for (const second of [0, 1, 2, 3]) await claimer(database.sql, 10, key)(second)
  const lowered = claimer(database.sql, 2, key)
  expect(await lowered(4)).toEqual({ granted: false, used: 4, wait_seconds: 59 })
  expect((await lowered(62)).granted).toBe(false)
  expect((await lowered(63)).granted).toBe(true)
})

test('a refusal at each second keeps the wait exact, and the row has a second at most for each', async () => {
  const key = randomUUID()
  const claim = claimer(database.sql, 2, key)
  await claim(0)
  await claim(7)
  for (let second = 8; second < 61; second += 1)
    expect(await claim(second)).toEqual({ granted: false, used: 2, wait_seconds: 61 - second })
  expect(await claim(61)).toEqual({ granted: true, used: 2, wait_seconds: 0 })
  expect(await claim(62)).toEqual({ granted: false, used: 2, wait_seconds: 6 })
  for (let second = 63; second < 300; second += 1) await claim(second)
  const [row] = await database.sql`
    select cardinality(seconds) as seconds, cardinality(earlier) as earlier
    from rate_windows where key_id = ${key}`
  expect(row).toEqual({ seconds: 61, earlier: 61 })
})

test('a clock that goes back gives nothing away', async () => {
  const claim = claimer(database.sql, 2)
  await claim(100)
  await claim(100)
  expect(await claim(20)).toMatchObject({ granted: false, used: 2 })
  expect((await claim(160.9)).granted).toBe(false)
  expect((await claim(161)).granted).toBe(true)
})

test('after a long pause the whole limit is free', async () => {
  const claim = claimer(database.sql, 3)
  for (const second of [0, 1, 2]) await claim(second)
  const later = 100_000_000
  for (const used of [1, 2, 3])
    expect(await claim(later)).toEqual({ granted: true, used, wait_seconds: 0 })
  expect((await claim(later)).granted).toBe(false)
})

test('keys do not share a limit', async () => {
  const one = claimer(database.sql, 1)
  const other = claimer(database.sql, 1)
  expect((await one(0)).granted).toBe(true)
  expect((await other(0)).granted).toBe(true)
  expect((await one(0)).granted).toBe(false)
})

test('without a moment the clock of the database decides', async () => {
  const service = openDatabase(database.sql, queries)
  const key_id = randomUUID()
  await service.rows('claimPermits', { key_ids: [key_id], wanted: [1], permits_max: 1, at: null })
  const [row] = await database.sql`
    select seconds[1] between extract(epoch from now()) - 60 and extract(epoch from now()) + 1 as now
    from rate_windows where key_id = ${key_id}`
  expect(row?.now).toBe(true)
})

test('requests at once on 8 connections are granted exactly up to the limit', async () => {
  const limit = 37
  const key = randomUUID()
  const pools = Array.from({ length: 8 }, () =>
    connect({
      url: database.url,
      connectionsMax: 1,
      applicationName: 'test',
      statementTimeoutMs: 20_000,
    }),
  )
  try {
    const asked = pools.flatMap(sql => {
      const claim = claimer(sql, limit, key)
      return Array.from({ length: 25 }, () => claim(0))
    })
    const permits = await Promise.all(asked)
    const granted = permits.filter(permit => permit.granted)
    expect(granted).toHaveLength(limit)
    expect(new Set(granted.map(({ used }) => used)).size).toBe(limit)
  } finally {
    await Promise.all(pools.map(pool => pool.end()))
  }
})

test('of several wanted at once as many are granted as are free, for each key by itself', async () => {
  const service = openDatabase(database.sql, queries)
  const keys = [randomUUID(), randomUUID(), randomUUID()].sort()
  const claim = async (wanted: number[], second: number) => {
    const rows = await service.rows('claimPermits', {
      key_ids: keys,
      wanted,
      permits_max: 5,
      at: new Date((start + second) * 1000),
    })
    return keys.map(key => rows.find(row => row.key_id === key)?.granted)
  }
  expect(await claim([1, 4, 9], 0)).toEqual([1, 4, 5])
  expect(await claim([3, 3, 3], 10)).toEqual([3, 1, 0])
  expect(await claim([5, 5, 5], 61)).toEqual([2, 4, 5])
})
