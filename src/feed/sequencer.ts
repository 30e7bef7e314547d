// Gives events their cursors, batch after batch. A batch is one statement: killed at any point, it has happened as a whole or
// not at all. Polling alone is correct; a notification only shortens a sleep.
import type { Database } from '../db/database.ts'
import type { RowOf } from '../db/queries.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import type { Log } from '../observability/log.ts'
import { type FeedFollower, logEventsOf } from './log_event.ts'
import { type FloorState, type LogFloor, type Look, openLogFloor } from './log_floor.ts'

// About 5 ms of work; a larger batch is hardly cheaper per event and keeps readers waiting.
const batchMax = 1_000
const pollMs = 2
const pollMsMax = 40
const quietMs = 1_000
const sleepMs = 1_000
// Where writers cannot wake the sequencer: two-phase commit is enabled, or the listener is deaf.
const unwokenPollMs = 500
// What came since is looked through by the next process, some 10 ms for 10,000 events.
const floorSavingMs = 10_000

const nowhere: FloorState = { floor: 0, late: [] }

type SequencerOptions = {
  database: Database
  log: Log
  follower: FeedFollower
  isLeading(): boolean
  /** Whether notifications of writers do not arrive. */
  isDeaf(): boolean
}

/** What a look gave cursors to. It ends before the first event without a body: readers get that one, and what follows, from the feed. */
function batchOf({ head_before, head }: Look, rows: readonly RowOf<'sequenceEvents'>[]) {
  const without = rows.filter(({ body }) => body === null)
  // The row with the state has no cursor.
  const to = Math.min(head, ...without.map(({ cursor }) => (cursor ?? Infinity) - 1))
  return { after: head_before, to, events: logEventsOf(rows).filter(({ cursor }) => cursor <= to) }
}

/** Looks once and passes on what got cursors. */
export function openBatchSequencer({
  database,
  follower,
}: Pick<SequencerOptions, 'database' | 'follower'>) {
  let identity: string | null = null
  let floor: LogFloor | undefined
  let saved = ''

  return {
    async look(sleeping = false): Promise<Look> {
      const types = follower.wantedTypes()
      const known = floor
      // After a failure another state of the database may answer: then it begins with what is stored there.
      floor = undefined
      const from = known?.state() ?? nowhere
      const rows = await database.rows('sequenceEvents', {
        row_limit: batchMax,
        known_identity: known ? identity : null,
        log_floor: from.floor,
        late: [...from.late],
        sleeping,
        wanted_types: types,
      })
      const state = rows.find(row => row.state !== null)?.state
      if (typeof state !== 'string') throw new Error('sequence_events returned no state')
      const look: Look = JSON.parse(state)
      floor = known && look.identity === identity ? known : openLogFloor(look)
      identity = look.identity
      floor.take(look)
      if (look.sequenced > 0) follower.onSequenced({ types, ...batchOf(look, rows) })
      follower.onHead(look.head)
      return look
    },
    /** Stores the floor for the next process, where it has changed. */
    async save(): Promise<void> {
      const state = floor?.state()
      const changed = JSON.stringify([identity, state])
      if (state === undefined || identity === null || changed === saved) return
      await database.rows('updateFeedFloor', {
        log_floor: state.floor,
        late: [...state.late],
        identity,
      })
      saved = changed
    },
    forget() {
      floor = undefined
    },
  }
}

/** Never fails: what goes wrong is logged and tried again. Runs until stop(). */
export function startSequencer({ database, log, follower, isLeading, isDeaf }: SequencerOptions) {
  const sequencing = openBatchSequencer({ database, follower })
  const onFailure = (error: unknown) => log.fault('sequencer', error)
  let pauseMs = pollMs
  let foundAt = performance.now()
  let savedAt = performance.now()

  async function saveNowAndThen() {
    if (performance.now() - savedAt < floorSavingMs) return
    savedAt = performance.now()
    await sequencing.save()
  }

  async function step(): Promise<number> {
    if (!isLeading()) {
      sequencing.forget()
      return sleepMs
    }
    const isQuiet = performance.now() - foundAt > quietMs
    const look = await sequencing.look(isQuiet && !isDeaf())
    if (look.advanced) log.event('feed_advanced', { head: look.head_before })
    await saveNowAndThen()
    if (look.sequenced > 0) {
      foundAt = performance.now()
      pauseMs = pollMs
      return look.scanned_to === null ? pauseMs : 0
    }
    if (isQuiet) return look.sleeps ? sleepMs : unwokenPollMs
    pauseMs = Math.min(2 * pauseMs, pollMsMax)
    return pauseMs
  }

  const loop = startPollLoop({ step, onFailure })
  return {
    /** Events may have come, or this process leads from now on: look now. */
    wake: loop.wake,
    /** Resolves when the batch under way is done. */
    async stop() {
      await loop.stop()
      await sequencing.save().catch(onFailure)
    },
  }
}
