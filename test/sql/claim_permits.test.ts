// claim_permits: never more than the limit in any 60 seconds, whatever the clock. Several processes: test/rest/limit.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'
import { seeded } from '../support/fuzz/seeded.ts'

const database = useDatabase()
const start = Date.parse('2026-03-01T12:00:00Z')

/** Asks for keys; moments are seconds since `start`. */
const claimOf = (key_ids: string[], wanted: number[], permits_max: number, second: number) =>
  openDatabase(database.sql, queries).rows('claimPermits', {
    ...{ key_ids, wanted, permits_max, at: new Date(start + second * 1000) },
  })

/** Asks for one permit of one key. */
function claimer(permits_max: number, key = randomUUID()) {
  return async (second: number) => {
    const [row] = await claimOf([key], [1], permits_max, second)
    const granted = row?.granted === 1
    return { granted, used: row?.used, wait: granted ? 0 : (row?.wait_seconds ?? -1) }
  }
}

test.each([1, 2, 3, 4])(
  'under random clock %i no 60 seconds hold more than the limit, and a free place is given',
  async seed => {
    const random = seeded(seed)
    const limit = 1 + random.below(12)
    const claim = claimer(limit)
    const granted: number[] = []
    const within = (second: number, seconds: number) =>
      granted.filter(moment => moment > second - seconds).length
    for (let request = 0, second = 0; request < 400; request += 1) {
      // Bursts, gaps of seconds, and now and then a pause longer than the window.
      second +=
        random.below(1_000) / random.of([5_000, 5_000, 125, 125, random.below(15) ? 125 : 8])
      const permit = await claim(second)
      expect(permit.used).toBeLessThanOrEqual(limit)
      if (permit.granted) {
        granted.push(second)
        expect(within(second, 60)).toBeLessThanOrEqual(limit)
      }
      // One second too strict at most: what is 61 seconds old is always forgotten.
      else expect(within(second, 61)).toBeGreaterThanOrEqual(limit)
    }
    expect(granted.length).toBeGreaterThan(limit)
  },
)

test('the wait is exact: a moment less is refused, then it is granted', async () => {
  const random = seeded(7)
  const claim = claimer(4)
  let waits = 0
  for (let request = 0, second = 0; request < 150; request += 1) {
    second += random.below(20)
    const { granted, wait } = await claim(second)
    if (granted) continue
    waits += 1
    expect(wait).toBeWithin(1, 62)
    expect((await claim(second + wait - 0.001)).granted).toBe(false)
    second += wait
    expect((await claim(second)).granted).toBe(true)
  }
  expect(waits).toBeGreaterThan(10)
})

test('a refusal at each second counts for nothing, and the row has a second at most for each', async () => {
  const key = randomUUID()
  const claim = claimer(2, key)
  await claim(0)
  await claim(7)
  for (let second = 8; second < 61; second += 1)
    expect(await claim(second)).toEqual({ granted: false, used: 2, wait: 61 - second })
  expect(await claim(61)).toEqual({ granted: true, used: 2, wait: 0 })
  for (let second = 62; second < 300; second += 1) await claim(second)
  const [row] = await database.sql`
    select cardinality(seconds) as seconds, cardinality(earlier) as earlier from rate_windows where key_id = ${key}`
  expect(row).toEqual({ seconds: 61, earlier: 61 })
})

// LIMIT@SECOND, with an ! where it is refused: a limit that was lowered, and a clock that goes back.
test.each(['10@0 10@1 10@2 10@3 2@4! 2@62! 2@63', '2@100 2@100 2@20! 2@160.9! 2@161'])(
  'of the claims %s those with an ! are refused',
  async claims => {
    const key = randomUUID()
    for (const claim of claims.split(' ')) {
      const [limit, second = ''] = claim.split('@')
      const { granted } = await claimer(Number(limit), key)(Number.parseFloat(second))
      expect([claim, granted]).toEqual([claim, !second.endsWith('!')])
    }
  },
)

test('of several wanted at once as many are granted as are free, for each key by itself', async () => {
  const keys = [randomUUID(), randomUUID(), randomUUID()].sort()
  const courses: [wanted: number[], second: number, granted: number[]][] = [
    [[1, 4, 9], 0, [1, 4, 5]],
    [[3, 3, 3], 10, [3, 1, 0]],
    [[5, 5, 5], 61, [2, 4, 5]],
  ]
  for (const [wanted, second, granted] of courses) {
    const rows = await claimOf(keys, wanted, 5, second)
    const byKey = new Map(rows.map(row => [row.key_id, row.granted]))
    expect(keys.map(key => byKey.get(key))).toEqual(granted)
  }
})
