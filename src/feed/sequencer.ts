// Gives events their cursors: moves what the outbox shows into the feed, batch after batch. Any number of
// processes may run one; the lock of feed's row lets one work at a time. A batch is one statement: killed at any
// point, it has either been moved as a whole or not at all. Polling alone is correct; a notification only shortens the sleep.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { Deadline } from '../db/deadline.ts'
import type { Deliverer } from '../delivery/deliverer.ts'
import type { Log } from '../log.ts'
import { startLoop } from '../loop.ts'
import { openRate } from './rate.ts'

// About 5 ms of work; a larger batch is hardly cheaper per event and keeps readers waiting.
const batchMax = 500
// While events come now and then, look this often: half of it is what an event waits on average.
const activePollMs = 2
// While they come in numbers, look less often: every batch is a commit that the writers' commits wait beside.
// By their rate over a while, not by the size of a batch, nor by its own rate: what gathers behind one slow commit is no
// flood. Judged batch by batch, p99 from commit to receipt was 44 ms at 2,000 events/s.
const busyPollMs = 40
// Writers on a slow disk make 4.4 as fast as they can, and then want it; half of the greatest load is 2.
const busyFromPerMs = 3
const busyOverMs = 100
// Without events for this long the sequencer asks to be woken instead.
const activeMs = 250
// A writer that saw "awake" a moment before the sequencer fell asleep does not notify; this finds its event.
const idlePollMs = 40

export type Sequencer = {
  /** The payload of its notifications. */
  name: string
  /** Events may have come: look now. */
  wake(): void
  /** Resolves when the batch under way is done. */
  stop(): Promise<void>
}

type SequencerOptions = {
  database: Database
  log: Log
  deadline: Deadline
  /** Sends what the events bring for webhooks. */
  deliverer: Pick<Deliverer, 'claimNew'>
}

/** Moves one batch; returns how many events. None also when another process is at it. */
export async function sequenceBatch(options: SequencerOptions, name = ''): Promise<number> {
  const { database, deadline, deliverer } = options
  const { claim, take } = deliverer.claimNew()
  const batch = { row_limit: batchMax, sequenced_by: name, ...claim.parameters }
  const moving = database.rows('sequenceEvents', batch)
  const rows = await deadline(moving).catch(error => {
    claim.lose()
    throw error
  })
  take(rows)
  return rows[0]?.moved ?? 0
}

/** Never fails: what goes wrong is logged and tried again. Runs until stop(). */
export function startSequencer(options: SequencerOptions): Sequencer {
  const { database, deadline, log } = options
  const name = randomUUID()
  let stopped = false
  // The last look found some: then the next batch is the next look.
  let flowing = false
  // Since the last event, or since falling asleep was last refused: asking again at every look would be a write each
  // time.
  let quietSince = performance.now()
  let idle = false
  const rateOf = openRate(busyOverMs)

  /** Moves whatever waits; returns how many events that were. */
  async function drain(): Promise<number> {
    if (!flowing) {
      const [outbox] = await deadline(database.rows('getOutboxState', {}))
      if (!outbox?.waiting) return 0
    }
    let total = 0
    for (let moved = batchMax; moved === batchMax && !stopped; total += moved)
      moved = await sequenceBatch(options, name)
    flowing = total > 0
    return total
  }

  async function look(): Promise<number> {
    const moved = await drain()
    const busy = rateOf(moved) >= busyFromPerMs
    if (moved > 0) {
      quietSince = performance.now()
      idle = false
    } else if (!idle && performance.now() - quietSince > activeMs) {
      quietSince = performance.now()
      const [allowed] = await deadline(database.rows('updateFeedIdle', {}))
      idle = allowed?.idle === true
      // Look once more: an event may have come before the flag was there to see.
      if (idle) return 0
    }
    return idle ? idlePollMs : busy ? busyPollMs : activePollMs
  }

  const { wake, ended } = startLoop({
    step: look,
    isOver: () => stopped,
    onFailure(error) {
      // The outbox is looked into before anything else is believed of it.
      flowing = false
      idle = false
      log.fault('sequencer', error)
    },
  })
  return {
    name,
    wake,
    async stop() {
      stopped = true
      wake()
      await ended
    },
  }
}
