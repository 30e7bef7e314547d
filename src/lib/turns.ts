// Work that must not overlap.

/** Does something when all that was begun through it before has ended, whether it failed or not. */
export type InTurn = <Value>(work: () => Promise<Value>) => Promise<Value>

export function openTurns(): InTurn {
  let turn: Promise<unknown> = Promise.resolve()
  return work => {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }
}
