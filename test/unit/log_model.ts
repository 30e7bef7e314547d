// A database that is simulated: transactions draw ids and become visible as PostgreSQL has it, sequencers look, lock, give
// out cursors and die, one step of one of them at a time.
import {
  type FloorState,
  type LogFloor,
  type Look,
  type Mark,
  openLogFloor,
  startOf,
  storedLate,
} from '../../src/feed/log_floor.ts'
import { type Random, seeded } from '../support/fuzz/seeded.ts'

export type OpenFloor = (start: FloorState, now: () => number) => LogFloor

const isChance = (random: Random, share: number) => random.below(1_000) < share * 1_000

type Transaction = {
  xid: number
  state: 'open' | 'committed' | 'aborted'
  long: boolean
  endedAt: number
}
type Event = { id: number; by: Transaction; drawnAt: number; erased: boolean }
type Cursor = { cursor: number; id: number; by: Transaction }

const visible = ({ by }: { by: Transaction }) => by.state === 'committed'

export function openLogModel({ random, open }: { random: Random; open: OpenFloor }) {
  const rowLimit = 1 + random.below(4)
  const sequencedLimit = 1 + random.below(12)
  let now = 0
  let turn = 0
  let nextXid = 1
  let nextId = 1
  let latestCompleted = 0
  let headFloor = 0
  let lockedBy: Transaction | undefined
  let stored: FloorState = { logId: 0, cursor: 0, late: [] }
  /** In the order in which they began. */
  const openOnes = new Set<Transaction>()
  const events: Event[] = []
  const cursors: Cursor[] = []
  /** By event, of those that are committed. */
  const given = new Map<number, number>()

  function begin(long = false): Transaction {
    const begun: Transaction = { xid: nextXid, state: 'open', long, endedAt: 0 }
    nextXid += 1
    openOnes.add(begun)
    return begun
  }

  function end(transaction: Transaction, state: 'committed' | 'aborted') {
    transaction.state = state
    openOnes.delete(transaction)
    if (state === 'committed')
      for (const { by, id, cursor } of cursors) if (by === transaction) given.set(id, cursor)
    turn += 1
    transaction.endedAt = turn
    latestCompleted = Math.max(latestCompleted, transaction.xid)
    if (lockedBy === transaction) lockedBy = undefined
  }

  const writers = new Set<Transaction>()

  function headOf() {
    let head = headFloor
    for (const one of cursors) if (visible(one) && one.cursor > head) head = one.cursor
    return head
  }

  /** What look_at_log answers with. */
  function lookAtLog({ logId, cursor }: Mark) {
    const sequenced = cursors
      .filter(one => visible(one) && one.cursor > cursor && one.id > logId)
      .map(({ id }) => id)
      .sort((one, other) => one - other)
      .slice(0, sequencedLimit)
    const upTo = sequenced.length === sequencedLimit ? (sequenced.at(-1) ?? null) : null
    // In the order of ids, as they were drawn.
    const logged = events
      .filter(event => event.id > logId && !event.erased && visible(event))
      .map(({ id }) => id)
    const ids = logged
      .filter(id => id <= (upTo ?? id) && !sequenced.includes(id))
      .slice(0, rowLimit)
    const xmax = latestCompleted + 1
    return {
      head: Math.max(cursor, headOf()),
      ids,
      newest: logged.at(-1) ?? logId,
      scannedTo: ids.length === rowLimit ? (ids.at(-1) ?? null) : upTo,
      xmax,
      running: [...openOnes].flatMap(({ xid }) => (xid < xmax ? [xid] : [])),
    }
  }

  /** What ended_late answers with. */
  const endedLate = ({ late }: FloorState, { running }: ReturnType<typeof lookAtLog>) =>
    late
      .filter(({ xid }) => !running.includes(xid))
      .sort((one, other) => one.logId - other.logId)[0]

  /** What sequence_events does; others do something at each yield. */
  function* sequence(start: FloorState, settling: boolean): Generator<void, Look> {
    let mark: Mark = start
    let own: Transaction | undefined
    let isOlder = false
    let head = 0
    try {
      let seen: ReturnType<typeof lookAtLog>
      for (;;) {
        seen = lookAtLog(mark)
        head = seen.head
        yield
        const ended = endedLate(start, seen)
        if (ended && ended.logId < mark.logId) {
          mark = ended
          continue
        }
        isOlder = own !== undefined
        if (isOlder || seen.ids.length === 0) break
        while (lockedBy !== undefined) yield
        own = begin()
        lockedBy = own
        yield
        isOlder = false
        if (headOf() <= seen.head) break
      }
      if (settling && !own) own = begin()
      yield
      for (const id of seen.ids) {
        const event = events.find(one => one.id === id)
        if (event === undefined || event.erased) continue
        head += 1
        cursors.push({ cursor: head, id, by: own as Transaction })
      }
      yield
      if (own) end(own, 'committed')
      yield
      return {
        identity: '',
        floor_log_id: start.logId,
        floor_cursor: start.cursor,
        late: storedLate(start),
        after_log_id: mark.logId,
        after_cursor: mark.cursor,
        head_before: seen.head,
        head,
        sequenced: seen.ids.length,
        scanned_to: seen.scannedTo,
        newest_log_id: seen.newest,
        xid: isOlder ? null : (own?.xid ?? null),
        xmax: seen.xmax,
        running: seen.running,
      }
    } finally {
      if (own?.state === 'open') end(own, 'aborted')
    }
  }

  /** A process that sequences, until it is killed: then its transaction goes, and all it knew. */
  function openSequencer() {
    let floor: LogFloor | undefined
    let work: Generator<void, Look> | undefined
    return {
      /** Its next step; what came of the look that ended with it. */
      step(): { sequenced: number; isDone: boolean } | undefined {
        work ??= sequence(floor?.state() ?? stored, isChance(random, 0.3))
        const { done, value } = work.next()
        if (!done) return undefined
        work = undefined
        floor ??= open(startOf(value), () => now)
        floor.take(value)
        return { sequenced: value.sequenced, isDone: value.scanned_to === null }
      },
      kill() {
        // The server notices sooner or later: what it was about to do is undone, or is done all the same.
        const goesOn = isChance(random, 0.5)
        for (let steps = 0; goesOn && steps < 6; steps += 1) work?.next()
        work?.return(undefined as never)
        work = undefined
        floor = undefined
      },
      isIdle: () => work === undefined,
      floor: () => floor,
      save() {
        const state = floor?.state()
        if (state !== undefined && state.logId >= stored.logId) stored = state
      },
    }
  }

  return {
    openSequencer,
    /** One writer does something. */
    write() {
      const all = [...writers]
      if (all.length < 5 && isChance(random, 0.3)) {
        writers.add(begin(isChance(random, 0.2)))
        return
      }
      const one = random.of(all)
      if (one === undefined) return
      if (isChance(random, one.long ? 0.95 : 0.6)) {
        turn += 1
        events.push({ id: nextId, by: one, drawnAt: turn, erased: false })
        nextId += 1
        return
      }
      end(one, isChance(random, 0.8) ? 'committed' : 'aborted')
      writers.delete(one)
    },
    /** All writers end. */
    settle() {
      for (const one of writers) end(one, isChance(random, 0.8) ? 'committed' : 'aborted')
      writers.clear()
    },
    erase() {
      const one = random.of(events.filter(visible))
      if (one) one.erased = true
    },
    /** As pruning closes a partition. */
    closePartition() {
      if (lockedBy === undefined) headFloor = headOf() + 10
    },
    pass(milliseconds: number) {
      now += milliseconds
    },
    stored: () => stored,
    /** What is wrong with the cursors that were given out. */
    mistakes(): string[] {
      const valid = cursors.filter(({ by }) => by.state !== 'aborted')
      const twice = valid.length - new Set(valid.map(({ id }) => id)).size
      const doubled = valid.length - new Set(valid.map(({ cursor }) => cursor)).size
      const byId = new Map(events.map(event => [event.id, event]))
      const placed = valid.flatMap(({ cursor, id }) => {
        const event = byId.get(id)
        return event ? [{ ...event, cursor }] : []
      })
      const disordered = placed.filter(one =>
        placed.some(other => other.by.endedAt < one.drawnAt && other.cursor > one.cursor),
      )
      return [
        ...disordered.map(({ id }) => `event ${id} came before one that its writer has seen`),
        ...(twice > 0 ? [`${twice} events with two cursors`] : []),
        ...(doubled > 0 ? [`${doubled} cursors given out twice`] : []),
      ]
    },
    /** Committed events without a cursor. */
    waiting(): number[] {
      return events
        .filter(event => visible(event) && !event.erased && !given.has(event.id))
        .map(({ id }) => id)
    },
    /** What a sequencer that begins with a state would lose, or give a second cursor. */
    faultsOf(state: FloorState): string[] {
      const marks = new Map(state.late.map(({ xid, ...mark }) => [xid, mark]))
      const lost = events.filter(({ id, by, erased }) => {
        if (id > state.logId || by.state === 'aborted' || erased || given.has(id)) return false
        // Where it has ended, the look for another one finds it too.
        const from = marks.get(by.xid) ?? (visible({ by }) ? marks.get(0) : undefined) ?? state
        return id <= from.logId
      })
      const hidden = [state, ...state.late].flatMap(mark =>
        events.filter(
          ({ id, erased }) =>
            id > mark.logId && !erased && (given.get(id) ?? Infinity) <= mark.cursor,
        ),
      )
      return [
        ...lost.map(({ id }) => `event ${id} would be lost`),
        ...hidden.map(({ id }) => `event ${id} would get a second cursor`),
      ]
    },
  }
}

type Course = { seed: number; steps: number; open?: OpenFloor }

/** A course of chance, and the end of it, when all is still: everything has one cursor. Says what is wrong. */
export function runCourse({ seed, steps, open = openLogFloor }: Course): string[] {
  const random = seeded(seed)
  const model = openLogModel({ random, open })
  const sequencers = Array.from({ length: 1 + random.below(3) }, model.openSequencer)
  const faults: string[] = []
  const check = (state: FloorState | undefined) => {
    if (state) faults.push(...model.faultsOf(state))
  }
  for (let step = 0; step < steps && faults.length === 0; step += 1) {
    const one = random.of(sequencers)
    const chance = random.below(100)
    if (chance < 45) model.write()
    else if (chance < 85) {
      if (one?.step() !== undefined) check(one.floor()?.state())
    } else if (chance < 92) model.pass(random.below(80))
    else if (chance < 96) one?.save()
    else if (chance < 97) one?.kill()
    else if (chance < 98) model.closePartition()
    else model.erase()
    check(model.stored())
  }
  // What is under way ends; one may wait for another.
  while (sequencers.some(one => !one.isIdle()))
    for (const one of sequencers) if (!one.isIdle()) one.step()
  model.settle()
  const sequenceAll = (one: (typeof sequencers)[number]) => {
    for (let still = 0; still < 3; ) {
      const look = one.step()
      if (look?.isDone && look.sequenced === 0) still += 1
    }
  }
  // The first of them, and one that begins with what is stored.
  for (const one of [sequencers[0], model.openSequencer()]) {
    if (one) sequenceAll(one)
    const waiting = model.waiting()
    if (waiting.length > 0) faults.push(`events ${waiting} were left without a cursor`)
  }
  return [...faults, ...model.mistakes()]
}
