// What the process itself adds to the limit: a refusal is remembered, so hammering on costs no statement.
// The counting itself is PostgreSQL's and is tested there.
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test'
import type { Database } from '../../src/db/database.ts'
import { openRateLimit, type RateLimit, windowSeconds } from '../../src/operations/rate_limit.ts'

type Row = { granted: number; used: number; wait_seconds: number | null }
type Asked = { key_ids: string[]; wanted: number[]; permits_max: number; at: null }

let now = 0
/** What the database says of every key it is asked for; null: nothing. */
let row: Row | null
let claims: Asked[] = []
let limit: RateLimit

const database = {
  rows: async (_name: string, args: Asked) => {
    claims.push(args)
    return row === null ? [] : args.key_ids.map(key_id => ({ key_id, ...row }))
  },
} as unknown as Database

beforeEach(() => {
  now = 100_000
  spyOn(performance, 'now').mockImplementation(() => now)
  claims = []
  limit = openRateLimit(database, 240)
})

afterEach(() => {
  jest.restoreAllMocks()
})

const grant = (used: number) => {
  row = { granted: 1, used, wait_seconds: 61 }
}
const refuse = (wait_seconds: number | null) => {
  row = { granted: 0, used: 240, wait_seconds }
}

test('the window is a minute', () => {
  expect(windowSeconds).toBe(60)
})

test('a granted request tells how many are left', async () => {
  grant(1)
  expect(await limit.claim('a')).toEqual({ granted: true, remaining: 239, waitSeconds: 0 })
  expect(claims).toEqual([{ key_ids: ['a'], wanted: [1], permits_max: 240, at: null }])
})

test('after the limit was lowered, what is left never goes below zero', async () => {
  grant(300)
  expect((await limit.claim('a')).remaining).toBe(0)
})

test('a refusal is remembered for as long as it says, and asks no database meanwhile', async () => {
  refuse(7)
  expect(await limit.claim('a')).toEqual({ granted: false, remaining: 0, waitSeconds: 7 })
  grant(240)
  now += 6_001
  // At once, without a promise: no work of the request begins.
  expect(limit.claim('a')).toEqual({ granted: false, remaining: 0, waitSeconds: 1 })
  expect(claims).toHaveLength(1)
  now += 999
  expect((await limit.claim('a')).granted).toBe(true)
  expect(claims).toHaveLength(2)
})

test('granted requests are never answered from memory', async () => {
  grant(1)
  await limit.claim('a')
  await limit.claim('a')
  expect(claims).toHaveLength(2)
})

test('the refusal of one key is not that of another', async () => {
  refuse(7)
  await limit.claim('a')
  grant(1)
  expect((await limit.claim('b')).granted).toBe(true)
})

test.each([0, null])('a refusal always asks to wait at least a second (%p)', async wait => {
  refuse(wait)
  expect(await limit.claim('a')).toEqual({ granted: false, remaining: 0, waitSeconds: 1 })
})

test('no answer of the database is no permit', async () => {
  row = null
  await expect(limit.claim('a')).rejects.toThrow('no row')
})

test('claims that come while a statement is on its way go together in the next one', async () => {
  grant(1)
  const first = limit.claim('a')
  row = { granted: 2, used: 239, wait_seconds: 9 }
  const later = ['a', 'b', 'a', 'a'].map(key => limit.claim(key))
  await first
  const permits = await Promise.all(later)
  expect(claims.slice(1)).toEqual([
    { key_ids: ['a', 'b'], wanted: [3, 1], permits_max: 240, at: null },
  ])
  const [one, other, two, three] = permits
  expect([one, two, three]).toEqual([
    { granted: true, remaining: 2, waitSeconds: 0 },
    { granted: true, remaining: 1, waitSeconds: 0 },
    { granted: false, remaining: 0, waitSeconds: 9 },
  ])
  expect(other?.granted).toBe(true)
})

test('a statement that fails fails its claims alone', async () => {
  row = null
  const lost = limit.claim('a')
  const next = limit.claim('b')
  grant(1)
  await expect(lost).rejects.toThrow('no row')
  expect((await next).granted).toBe(true)
})
