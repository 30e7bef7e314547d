// Gives events their cursors, batch after batch. Any number of processes may run one; the lock of feed's row lets one work
// at a time. A batch is one statement: killed at any point, it has happened as a whole or not at all. Polling alone is
// correct; a notification only shortens the sleep.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { openFeedWatch } from '../db/feed_watch.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import type { ProcessorShare } from '../lib/processor_share.ts'
import type { Log } from '../observability/log.ts'
import type { FeedFollower } from './follower.ts'
import { checkRows, reportInconsistentFeed } from './inconsistent_feed.ts'
import { type LogRow, logEventsOf } from './log_event.ts'
import {
  type FloorState,
  type LogFloor,
  type Look,
  openLogFloor,
  startOf,
  storedLate,
  type UncheckedLook,
} from './log_floor.ts'
import { openPollInterval } from './poll_interval.ts'
import { openRate } from './rate.ts'
import { openWakeRequests } from './wake_requests.ts'

// About 5 ms of work; a larger batch is hardly cheaper per event and keeps readers waiting.
const batchMax = 1_000
// After a long transaction everything since it began is looked through, so many events at a time (docs/decisions/sequencer.md).
const sequencedMax = 20_000
const rateOverMs = 100
// How late an event may be noticed when writers wake the sequencer or another process sequences.
const idlePollMs = 40
const floorSavingMs = 1_000
// A look reads everything above the floor; advancing the floor costs a transaction id.
const floorBehindMax = 500

const nowhere: FloorState = { logId: 0, cursor: 0, late: [] }

export type Sequencer = {
  /** The payload of its notifications. */
  name: string
  /** Events may have come: look now. */
  wake(): void
  /** Another process gave out cursors. */
  onForeignBatch(): void
  /** Resolves when the batch under way is done. */
  stop(): Promise<void>
}

export type SequencerOptions = {
  database: Database
  log: Log
  follower: FeedFollower
  /** Of the thread that calls. */
  processorShare: ProcessorShare
}

export type BatchSequencerOptions = Pick<SequencerOptions, 'database' | 'follower'>

type Row = LogRow & { state: string | null }

/** What a look gave cursors to. */
function batchOf({ head_before, head }: Look, rows: readonly Row[]) {
  const events = logEventsOf(rows)
  // From the first without a body on they are to be read from the feed.
  const missing = events.findIndex(({ body }) => body === null)
  if (missing < 0) return { after: head_before, to: head, events }
  const to = (events[missing]?.cursor ?? 1) - 1
  return { after: head_before, to, events: events.slice(0, missing) }
}

/** Looks once and tells the follower; what the look found. */
export function openBatchSequencer({ database, follower }: BatchSequencerOptions, name: string) {
  let identity: string | null = null
  let floor: LogFloor | undefined
  // As it was written last.
  let saved = ''
  let savedAt = performance.now()

  return {
    isBehind: () => (floor?.behind() ?? 0) > 0,
    async look(settling: boolean): Promise<Look> {
      const types = follower.wantedTypes()
      const known = floor
      // After a failure it may be an older state of the database that answers: then it begins with what is stored there.
      floor = undefined
      const from = known?.state() ?? nowhere
      const rows = await database.rows('sequenceEvents', {
        row_limit: batchMax,
        sequenced_limit: sequencedMax,
        known_identity: known ? identity : null,
        after_log_id: from.logId,
        after_cursor: from.cursor,
        late: storedLate(from),
        settling: settling || (known?.behind() ?? 0) > floorBehindMax,
        wanted_types: types,
        sequenced_by: name,
      })
      const state = rows.find(row => row.state !== null)?.state
      if (typeof state !== 'string') throw new Error('sequence_events returned no state')
      const look: UncheckedLook = JSON.parse(state)
      checkRows(look)
      // Another one: the database is another, or cursors above this one have expired.
      const isOurs = look.floor_log_id === from.logId && look.floor_cursor === from.cursor
      if (known && look.identity === identity && isOurs) floor = known
      else {
        floor = openLogFloor(startOf(look))
        saved = ''
      }
      identity = look.identity
      floor.take(look)
      if (look.sequenced > 0) follower.onSequenced({ types, ...batchOf(look, rows) })
      follower.onHead(look.head)
      return look
    },
    /** Remembers the floor for the next process. */
    async save(): Promise<void> {
      const state = floor?.state()
      const written = JSON.stringify(state)
      if (state === undefined || identity === null || written === saved) return
      await database.rows('updateFeedFloor', {
        log_id: state.logId,
        cursor: state.cursor,
        late: storedLate(state),
        identity,
      })
      saved = written
    },
    /** True at most once per floorSavingMs. */
    takeSaveDue() {
      if (performance.now() - savedAt < floorSavingMs) return false
      savedAt = performance.now()
      return true
    },
  }
}

/** One look after the other, and when to look next. */
function openSequencerSteps(options: SequencerOptions, name: string, isStopped: () => boolean) {
  const sequencing = openBatchSequencer(options, name)
  const wakeRequests = openWakeRequests(options)
  const watchFeed = openFeedWatch(options.database)
  const rateOf = openRate(rateOverMs)
  const interval = openPollInterval(options.processorShare)
  // Another process sequences: this one looks now and then, and takes over when it finds events itself.
  let standby = false
  let head: number | undefined

  async function lookOnce(settling = false) {
    const startedAt = performance.now()
    const look = await sequencing.look(settling)
    interval.note(performance.now() - startedAt)
    if (head !== undefined && look.head_before !== head) standby = look.sequenced === 0
    else if (look.sequenced > 0) standby = false
    if (standby) wakeRequests.forget()
    head = look.head
    return look
  }

  /** Gives cursors to all that waits; how many events that were. */
  async function drain(): Promise<number> {
    let total = 0
    for (;;) {
      const look = await lookOnce()
      total += look.sequenced
      if (look.scanned_to === null || isStopped()) return total
      // Between chunks; after the last one step() saves.
      if (sequencing.takeSaveDue()) await sequencing.save()
    }
  }

  return {
    isStandby: () => standby,
    forgetWakeRequest: wakeRequests.forget,
    save: sequencing.save,
    /** Says for how many milliseconds to sleep. */
    async step(): Promise<number> {
      const found = await drain()
      const perMs = rateOf(found)
      if (sequencing.takeSaveDue()) {
        if (found === 0 && sequencing.isBehind()) await lookOnce(true)
        await sequencing.save()
      }
      if (standby) {
        watchFeed()
        return idlePollMs
      }
      if (await wakeRequests.ask(perMs)) return 0
      if (wakeRequests.isWoken()) return idlePollMs
      return interval.msFor(perMs)
    },
  }
}

/** Never fails: what goes wrong is logged and tried again. Runs until stop(). */
export function startSequencer(options: SequencerOptions): Sequencer {
  const { log } = options
  const name = randomUUID()
  let stopped = false
  const { step, isStandby, forgetWakeRequest, save } = openSequencerSteps(
    options,
    name,
    () => stopped,
  )
  const loop = startPollLoop({
    step,
    onFailure(error) {
      forgetWakeRequest()
      log.fault('sequencer', error)
      void reportInconsistentFeed(options, error)
    },
  })
  return {
    name,
    wake() {
      if (!isStandby()) loop.wake()
    },
    onForeignBatch: loop.wake,
    async stop() {
      stopped = true
      await loop.stop()
      await save().catch(error => log.fault('sequencer', error))
    },
  }
}
