// Where the sequencer looks, in a simulated database: whatever the order in which transactions begin, draw ids and end,
// every committed event gets one cursor, and a sequencer that begins anew finds what is left.
import { expect, test } from 'bun:test'
import { type LogFloor, openLogFloor } from '../../src/feed/log_floor.ts'
import { type OpenFloor, runCourse } from './log_model.ts'

/** What is wrong in the first course in which something is. */
function firstFaults(open: OpenFloor): string[] {
  for (let seed = 0; seed < 400; seed += 1) {
    const faults = runCourse({ seed, steps: 300, open })
    if (faults.length > 0) return [`seed ${seed}`, ...faults]
  }
  return []
}

test('in any course no committed event is left without a cursor, and what is stored is enough to begin with', () => {
  expect(firstFaults(openLogFloor)).toEqual([])
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
    expect(firstFaults((start, now) => change(openLogFloor(start, now)))).not.toEqual([])
  },
  60_000,
)

test('one that drew an id while a look went on is waited for, though no snapshot shows it as running', () => {
  const floor = openLogFloor({ floor: 0, late: [] }, () => 0)
  const see = (newest: number, xid: number, xmax: number, running: number[] = []) =>
    floor.take({
      ...{ identity: '', advanced: false, sleeps: false, floor: 0, late: [], head_before: 0 },
      ...{ head: 0, sequenced: 0, scanned_to: null, newest, xid, xmax, running },
    })
  // 11 has drawn id 5, and 9 has committed id 6.
  see(6, 10, 10)
  see(6, 12, 11)
  see(6, 13, 13, [11])
  expect(floor.state()).toEqual({ floor: 0, late: [] })
})
