// Work that must not overlap.

/** Runs work once all work started through it before has ended. */
export type Mutex = <Value>(work: () => Promise<Value>) => Promise<Value>

export function openMutex(): Mutex {
  let turn: Promise<unknown> = Promise.resolve()
  return work => {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }
}
