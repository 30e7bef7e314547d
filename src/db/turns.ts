// Whose statement is sent next. Requests share a few connections to the database, which take statements in the order in which
// they come: behind a burst of one holder (a key) every other one would wait for as long as all of it takes.
import { TimeoutError, withTimeout } from '../lib/timeout.ts'
import { type Database, databaseThrough } from './database.ts'

export type Turns = {
  /** What `work` comes to. It begins at once, or while `runningMax` run, when it is the turn of its holder. */
  take<Value>(holder: string, work: () => Promise<Value>): Promise<Value>
}

/**
 * Next is the holder of which fewest run; of equals the one whose last turn is longest ago. What has waited for patienceMs is
 * not begun, and what has run for as long gives its turn back: its request has been given up.
 */
export function openTurns(runningMax: number, patienceMs: number): Turns {
  const running = new Map<string, number>()
  // Holders in the order of their last turns.
  const waiting = new Map<string, (() => void)[]>()
  let total = 0

  const count = (holder: string) => running.get(holder) ?? 0

  function begin(holder: string) {
    total += 1
    running.set(holder, count(holder) + 1)
  }

  const nextHolder = () =>
    [...waiting.keys()].reduce<string | undefined>(
      (best, holder) => (best === undefined || count(holder) < count(best) ? holder : best),
      undefined,
    )

  function giveTurn(holder: string) {
    const queue = waiting.get(holder) ?? []
    const proceed = queue.shift()
    waiting.delete(holder)
    if (queue.length > 0) waiting.set(holder, queue)
    begin(holder)
    proceed?.()
  }

  function end(holder: string) {
    total -= 1
    const left = count(holder) - 1
    if (left > 0) running.set(holder, left)
    else running.delete(holder)
    const next = nextHolder()
    if (next !== undefined) giveTurn(next)
  }

  const turnOf = (holder: string) =>
    new Promise<void>(resolve => {
      const queue = waiting.get(holder)
      if (queue) queue.push(resolve)
      else waiting.set(holder, [resolve])
    })

  return {
    async take(holder, work) {
      const askedAt = performance.now()
      if (total < runningMax) begin(holder)
      else await turnOf(holder)
      try {
        if (performance.now() - askedAt > patienceMs)
          throw new TimeoutError(`no turn within ${patienceMs} ms`)
        return await withTimeout(work(), patienceMs)
      } finally {
        end(holder)
      }
    },
  }
}

/** The database; each statement waits for the turn of its holder. */
export const inTurn = (database: Database, turns: Turns, holder: string): Database =>
  databaseThrough((_name, send) => turns.take(holder, () => send(database)))
