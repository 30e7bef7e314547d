// What the process itself adds to the limit: a refusal is remembered, so hammering on costs no statement, and claims go
// together. test/sql/claim_permits has the counting.
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test'
import type { Database } from '../../src/db/database.ts'
import { openRateLimit, type RateLimit } from '../../src/operations/rate_limit.ts'

type Row = { granted: number; used: number; wait_seconds: number | null }
type Asked = { key_ids: string[]; wanted: number[]; permits_max: number; at: null }

let now = 0
/** What the database answers for every key it is asked for; null: nothing. */
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
afterEach(() => void jest.restoreAllMocks())

const answer = (granted: number, used: number, wait_seconds: number | null = 61) => {
  row = { granted, used, wait_seconds }
}

test.each([
  [7, 7],
  [0, 1],
  [null, 1],
])(
  'a refusal for %p s is remembered for %d s, for this key alone, and asks no database meanwhile',
  async (wait, waitSeconds) => {
    answer(0, 240, wait)
    expect(await limit.claim('a')).toEqual({ granted: false, remaining: 0, waitSeconds })
    answer(1, 240)
    now += waitSeconds * 1_000 - 1
    // At once, without a promise: no work of the request begins.
    expect(limit.claim('a')).toEqual({ granted: false, remaining: 0, waitSeconds: 1 })
    expect(claims).toHaveLength(1)
    expect((await limit.claim('b')).granted).toBe(true)
    now += 1
    expect((await limit.claim('a')).granted).toBe(true)
  },
)
