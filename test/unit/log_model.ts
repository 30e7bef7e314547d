// A database that is simulated: transactions draw ids and become visible as PostgreSQL has it, sequencers lock, look, give
// out cursors and are killed, one step of one of them at a time.
import {
  type FloorState,
  type LogFloor,
  type Look,
  openLogFloor,
} from '../../src/feed/log_floor.ts'
import { type Random, seeded } from '../support/fuzz/seeded.ts'

const isChance = (random: Random, share: number) => random.below(1_000) < share * 1_000

type Transaction = {
  xid: number
  state: 'open' | 'committed' | 'aborted'
  long: boolean
  endedAt: number
}
type Event = { id: number; by: Transaction; drawnAt: number; gone: boolean }
type Cursor = { cursor: number; id: number; by: Transaction }

const isVisible = ({ by }: { by: Transaction }) => by.state === 'committed'

function openLogModel(random: Random) {
  const rowLimit = 1 + random.below(4)
  let now = 0
  let turn = 0
  let nextXid = 1
  let latestCompleted = 0
  let lockedBy: Transaction | undefined
  let stored: FloorState = { floor: 0, late: [] }
  const openOnes = new Set<Transaction>()
  const writers = new Set<Transaction>()
  const events: Event[] = []
  const cursors: Cursor[] = []

  function begin(long = false): Transaction {
    const begun: Transaction = { xid: nextXid, state: 'open', long, endedAt: 0 }
    nextXid += 1
    openOnes.add(begun)
    return begun
  }

  function end(transaction: Transaction, state: 'committed' | 'aborted') {
    openOnes.delete(transaction)
    turn += 1
    Object.assign(transaction, { state, endedAt: turn })
    latestCompleted = Math.max(latestCompleted, transaction.xid)
    if (lockedBy === transaction) lockedBy = undefined
  }

  const hasCursor = (id: number) => cursors.some(one => one.id === id && isVisible(one))

  /** What sequence_events sees in its snapshot. */
  function see({ floor, late }: FloorState) {
    const log = events.filter(event => !event.gone && isVisible(event))
    const ids = log
      .filter(({ id, by }) => {
        const long = late.find(({ xid }) => xid === by.xid)
        return (id > floor || (long && id > long.log_id)) && !hasCursor(id)
      })
      .map(({ id }) => id)
      .slice(0, rowLimit)
    const xmax = latestCompleted + 1
    return {
      ids,
      head: Math.max(0, ...cursors.filter(isVisible).map(({ cursor }) => cursor)),
      newest: Math.max(floor, log.at(-1)?.id ?? 0),
      xmax,
      running: [...openOnes].map(({ xid }) => xid).filter(xid => xid < xmax),
    }
  }

  /** What sequence_events does; others do something at each yield. */
  function* sequence(start: FloorState): Generator<void, Look> {
    let own: Transaction | undefined
    try {
      while (lockedBy !== undefined) yield
      own = begin()
      lockedBy = own
      yield
      const { ids, head, newest, xmax, running } = see(start)
      yield
      const by = own
      cursors.push(...ids.map((id, index) => ({ cursor: head + index + 1, id, by })))
      yield
      end(own, 'committed')
      yield
      return {
        ...start,
        identity: '',
        advanced: false,
        sleeps: false,
        head_before: head,
        head: head + ids.length,
        sequenced: ids.length,
        scanned_to: ids.length === rowLimit ? (ids.at(-1) ?? null) : null,
        newest,
        xid: own.xid,
        xmax,
        running,
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
      /** Its next step; the look that ended with it. */
      step(): Look | undefined {
        work ??= sequence(floor?.state() ?? stored)
        const { done, value } = work.next()
        if (!done) return undefined
        work = undefined
        floor ??= openLogFloor(value, () => now)
        floor.take(value)
        return value
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
      state: () => floor?.state(),
      save() {
        const state = floor?.state()
        if (state !== undefined && state.floor >= stored.floor) stored = state
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
        events.push({ id: events.length + 1, by: one, drawnAt: turn, gone: false })
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
    /** Erased; with its cursor it has expired. */
    remove() {
      const one = random.of(events.filter(isVisible))
      if (one) one.gone = true
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
      const placed = valid.map(({ cursor, id }) => ({ ...(events[id - 1] as Event), cursor }))
      const disordered = placed.filter(one =>
        placed.some(other => other.by.endedAt < one.drawnAt && other.cursor > one.cursor),
      )
      return [
        ...disordered.map(({ id }) => `event ${id} came before one that its writer has seen`),
        ...(twice > 0 ? [`${twice} events with two cursors`] : []),
        ...(doubled > 0 ? [`${doubled} cursors given out twice`] : []),
      ]
    },
    newest: () =>
      Math.max(0, ...events.filter(one => isVisible(one) && !one.gone).map(one => one.id)),
    /** Committed events without a cursor. */
    waiting: () =>
      events
        .filter(event => isVisible(event) && !event.gone && !hasCursor(event.id))
        .map(({ id }) => id),
    /** What a sequencer that begins with a state would lose. */
    lostBy({ floor, late }: FloorState): string[] {
      const marks = new Map(late.map(({ xid, log_id }) => [xid, log_id]))
      return events
        .filter(({ id, by, gone }) => {
          if (by.state === 'aborted' || gone || hasCursor(id)) return false
          return id <= floor && id <= (marks.get(by.xid) ?? floor)
        })
        .map(({ id }) => `event ${id} would be lost`)
    },
  }
}

/** A course of chance, and the end of it, when all is still: everything has one cursor. Returns what is wrong. */
export function runCourse(seed: number, steps: number): string[] {
  const random = seeded(seed)
  const model = openLogModel(random)
  const sequencers = Array.from({ length: 1 + random.below(3) }, model.openSequencer)
  const faults: string[] = []
  for (let step = 0; step < steps && faults.length === 0; step += 1) {
    const one = random.of(sequencers)
    const chance = random.below(100)
    if (chance < 45) model.write()
    else if (chance < 85) one?.step()
    else if (chance < 92) model.pass(random.below(80))
    else if (chance < 96) one?.save()
    else if (chance < 97) one?.kill()
    else model.remove()
    for (const state of [one?.state(), model.stored()])
      if (state) faults.push(...model.lostBy(state))
  }
  // What is under way ends; one may wait for another.
  while (sequencers.some(one => !one.isIdle()))
    for (const one of sequencers) if (!one.isIdle()) one.step()
  model.settle()
  // The first of them, and one that begins with what is stored.
  for (const one of [sequencers[0], model.openSequencer()]) {
    for (let still = 0; still < 5; ) if (one?.step()?.sequenced === 0) still += 1
    const waiting = model.waiting()
    if (waiting.length > 0) faults.push(`events ${waiting} were left without a cursor`)
    if ((one?.state()?.floor ?? 0) < model.newest()) faults.push('the floor does not follow')
  }
  return [...faults, ...model.mistakes()]
}
