// Where the sequencer looks, in a simulated database: whatever the order in which transactions begin, draw ids and end,
// every committed event gets one cursor, and a sequencer that begins anew finds what is left.
import { expect, test } from 'bun:test'
import { type LogFloor, type Look, openLogFloor } from '../../src/feed/log_floor.ts'
import { type OpenFloor, runCourse } from './log_model.ts'

const courses = (open: OpenFloor = openLogFloor) =>
  Array.from({ length: 400 }, (_, seed) => () => ({
    seed,
    faults: runCourse({ seed, steps: 300, open }),
  }))

test('in any course no committed event is left without a cursor, and what is stored is enough to begin with', () => {
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
      state: () => ({ ...floor.state(), floor: newest }),
      take(look) {
        floor.take(look)
        newest = Math.max(newest, look.newest)
      },
    }
  },
  'a full batch was the last one': floor => ({
    ...floor,
    take: look => floor.take({ ...look, scanned_to: null }),
  }),
  'a transaction that runs for long has nothing more to add': floor => ({
    ...floor,
    state: () => ({ ...floor.state(), late: [] }),
  }),
  'a batch has all that a late transaction added': floor => ({
    ...floor,
    state: () => ({
      ...floor.state(),
      late: floor.state().late.filter(({ log_id }) => log_id === 0),
    }),
  }),
}
test.each(Object.entries(wrongRules))(
  'it would show if %s',
  (_, change) => {
    const open: OpenFloor = (start, now) => change(openLogFloor(start, now))
    expect(courses(open).some(run => run().faults.length > 0)).toBe(true)
  },
  60_000,
)

const look = (members: Partial<Look>): Look => ({
  identity: '',
  advanced: false,
  sleeps: false,
  floor: 0,
  late: [],
  head_before: 0,
  head: 0,
  sequenced: 0,
  scanned_to: null,
  newest: 0,
  xid: 1,
  xmax: 1,
  running: [],
  ...members,
})

const nothing = { floor: 0, late: [] }

test('the floor follows once all transactions have ended that began before the look after', () => {
  const floor = openLogFloor(nothing, () => 0)
  const states = [
    look({ newest: 5, xid: 8, xmax: 8, running: [7] }),
    look({ newest: 5, xid: 9, xmax: 9, running: [7] }),
    look({ newest: 5, xid: 10, xmax: 10, running: [7] }),
    look({ newest: 5, xid: 11, xmax: 11 }),
  ].map(one => {
    floor.take(one)
    return floor.state().floor
  })
  expect(states).toEqual([0, 0, 0, 5])
})

test('one that drew an id while a look went on is waited for, though no snapshot shows it as running', () => {
  const floor = openLogFloor(nothing, () => 0)
  // 11 has drawn id 5, and 9 has committed id 6.
  floor.take(look({ newest: 6, xid: 10, xmax: 10 }))
  floor.take(look({ newest: 6, xid: 12, xmax: 11 }))
  floor.take(look({ newest: 6, xid: 13, xmax: 13, running: [11] }))
  expect(floor.state()).toEqual(nothing)
})

test('a transaction holds it back for 100 ms, and is late then until it has ended', () => {
  let now = 0
  const floor = openLogFloor(nothing, () => now)
  const see = (id: number, running: number[]) =>
    floor.take(look({ newest: id, xid: 10 + id, xmax: 10 + id, running }))
  for (let id = 1; now < 90; id += 1, now += 10) see(id, [5])
  expect(floor.state()).toEqual(nothing)
  now = 120
  for (let id = 20; id < 26; id += 1) see(id, [5])
  expect(floor.state().floor).toBeGreaterThan(20)
  expect(floor.state().late).toEqual([{ xid: 5, log_id: 0 }])
  floor.take(look({ newest: 26, xid: 40, xmax: 40, scanned_to: 3 }))
  expect(floor.state().late).toEqual([{ xid: 5, log_id: 3 }])
  floor.take(look({ newest: 26, xid: 41, xmax: 41 }))
  expect(floor.state().late).toEqual([])
})

test('after a large import the floor follows batch by batch', () => {
  const floor = openLogFloor(nothing, () => 0)
  const floors = [10, 20, 30, 40, null].map((scanned_to, index) => {
    floor.take(look({ newest: 45, xid: 9 + index, xmax: 9 + index, scanned_to }))
    return floor.state().floor
  })
  expect(floors).toEqual([0, 0, 30, 40, 45])
})
