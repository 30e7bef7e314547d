// Where the sequencer looks, in a simulated database: whatever the order in which transactions begin, draw ids and end,
// every committed event gets one cursor, and a sequencer that begins anew finds what is left.
import { expect, test } from 'bun:test'
import { openLogFloor } from '../../src/feed/log_floor.ts'
import { runCourse } from './log_model.ts'

test('in any course no committed event is left without a cursor, and what is stored is enough to begin with', () => {
  for (let seed = 0; seed < 400; seed += 1) {
    expect([seed, runCourse(seed, 300)]).toEqual([seed, []])
  }
}, 60_000)

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
