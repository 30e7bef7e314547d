// Work that must not overlap.

/** Runs work once all work started through it before has ended. */
export type Exclusive = <Value>(work: () => Promise<Value>) => Promise<Value>

export function openMutex(): Exclusive {
  let turn: Promise<unknown> = Promise.resolve()
  return work => {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }
}
