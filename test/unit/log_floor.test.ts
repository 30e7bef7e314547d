// Where the sequencer looks, in a simulated database: whatever the order in which transactions begin, draw ids and end,
// every committed event gets one cursor, and a sequencer that begins anew finds what is left.
import { describe, expect, test } from 'bun:test'
import {
  type FloorState,
  type LogFloor,
  type Look,
  openLogFloor,
  startOf,
  storedLate,
} from '../../src/feed/log_floor.ts'
import { type OpenFloor, runCourse } from './log_model.ts'

const coursesTotal = 1_000
const steps = 400

const courses = (open: OpenFloor = openLogFloor) =>
  Array.from({ length: coursesTotal }, (_, seed) => () => ({
    seed,
    faults: runCourse({ seed, steps, open }),
  }))

describe('in any course', () => {
  test('no committed event is left without a cursor, none gets two, and what is stored is enough to begin with', () => {
    const wrong = courses()
      .map(run => run())
      .filter(({ faults }) => faults.length > 0)
    expect(wrong).toEqual([])
  }, 60_000)

  // The model has to find what is wrong with rules that look right.
  const wrongRules: Record<string, (floor: LogFloor) => LogFloor> = {
    'the newest id is the floor at once': floor => {
      let newest = 0
      return {
        ...floor,
        state: () => ({ ...floor.state(), logId: newest }),
        take(look) {
          floor.take(look)
          newest = Math.max(newest, look.newest_log_id)
        },
      }
    },
    'transactions below xmax of an earlier look have ended': floor => ({
      ...floor,
      take: look => floor.take({ ...look, xid: look.xmax }),
    }),
    'a look at a chunk has seen everything': floor => ({
      ...floor,
      take: look => floor.take({ ...look, scanned_to: null }),
    }),
    'a transaction that runs for long has nothing more to add': floor => ({
      ...floor,
      state: () => ({ ...floor.state(), late: [] }),
    }),
    'the first chunk has all that a late transaction added': floor => ({
      ...floor,
      state: () => ({ ...floor.state(), late: floor.state().late.filter(({ xid }) => xid > 0) }),
    }),
  }
  for (const [rule, change] of Object.entries(wrongRules))
    test(`it would show if ${rule}`, () => {
      const open: OpenFloor = (start, now) => change(openLogFloor(start, now))
      expect(courses(open).some(run => run().faults.length > 0)).toBe(true)
    }, 60_000)
})

const nothing: FloorState = { logId: 0, cursor: 0, late: [] }

const look = (members: Partial<Look>): Look => ({
  identity: '',
  floor_log_id: 0,
  floor_cursor: 0,
  late: [],
  after_log_id: 0,
  after_cursor: 0,
  head_before: 0,
  head: 0,
  sequenced: 0,
  scanned_to: null,
  newest_log_id: 0,
  xid: null,
  xmax: 1,
  running: [],
  ...members,
})

test('the floor follows once all transactions have ended that began before the look', () => {
  const floor = openLogFloor(nothing, () => 0)
  floor.take(look({ head: 3, newest_log_id: 5, xid: 10, xmax: 9, running: [8] }))
  expect(floor.state()).toEqual(nothing)
  floor.take(look({ head: 3, newest_log_id: 5, xmax: 11, running: [8] }))
  expect(floor.state()).toEqual(nothing)
  floor.take(look({ head: 3, newest_log_id: 5, xmax: 11 }))
  expect(floor.state()).toEqual({ logId: 5, cursor: 3, late: [] })
})

test('a transaction that runs for long holds it back for 100 ms, and is late then until it has ended', () => {
  let now = 0
  const floor = openLogFloor(nothing, () => now)
  const see = (id: number, xid: number, running: number[]) =>
    floor.take(look({ head: id, newest_log_id: id, xid, xmax: xid, running }))
  for (let id = 1; now < 90; id += 1, now += 10) see(id, 10 + id, [5])
  expect(floor.state().logId).toBe(0)
  now = 120
  for (let id = 20; id < 24; id += 1) see(id, 10 + id, [5])
  expect(floor.state().logId).toBeGreaterThan(20)
  expect(floor.state().late).toEqual([{ xid: 5, logId: 0, cursor: 0 }])
  see(24, 34, [])
  expect(floor.state().late).toEqual([])
})

test('a look for a late transaction that ends at its limit goes on where it ended', () => {
  const floor = openLogFloor({ ...nothing, logId: 50, cursor: 40 }, () => 0)
  const full = { sequenced: 2, head: 42, newest_log_id: 50, after_log_id: 10, after_cursor: 9 }
  floor.take(look({ ...full, scanned_to: 20 }))
  expect(floor.state()).toEqual({
    logId: 50,
    cursor: 40,
    late: [{ xid: 0, logId: 20, cursor: 9 }],
  })
  floor.take(look({ ...full, sequenced: 1, after_log_id: 20 }))
  expect(floor.state()).toEqual({ logId: 50, cursor: 40, late: [] })
})

test('where all have their cursors the floor goes on with each chunk, once earlier transactions have ended', () => {
  const floor = openLogFloor(nothing, () => 0)
  const chunk = (scanned_to: number | null, members: Partial<Look> = {}) =>
    floor.take(look({ head: 60, newest_log_id: 60, xmax: 9, scanned_to, ...members }))
  chunk(20, { xid: 9 })
  expect(floor.state()).toEqual(nothing)
  chunk(20, { xmax: 10, running: [7] })
  expect(floor.state()).toEqual(nothing)
  chunk(20, { xmax: 10 })
  expect(floor.state().logId).toBe(20)
  chunk(40, { xmax: 10, after_log_id: 20 })
  expect(floor.state().logId).toBe(40)
  chunk(null, { xmax: 10, after_log_id: 40 })
  expect(floor.state().logId).toBe(60)
})

test('what is stored is what is begun with', () => {
  const state = { logId: 50, cursor: 40, late: [{ xid: 5, logId: 10, cursor: 9 }] }
  const late = storedLate(state)
  expect(startOf(look({ floor_log_id: 50, floor_cursor: 40, late }))).toEqual(state)
  expect(openLogFloor(state, () => 0).state()).toEqual(state)
})

test('what is behind without a transaction id is told', () => {
  const floor = openLogFloor(nothing, () => 0)
  floor.take(look({ head: 7, newest_log_id: 7, xmax: 3 }))
  expect(floor.behind()).toBe(7)
  floor.take(look({ head: 7, newest_log_id: 7, xid: 3, xmax: 3 }))
  expect(floor.behind()).toBe(0)
})
