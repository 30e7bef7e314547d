// How much of the time in which a thread could run it has a processor.
import { readFileSync } from 'node:fs'

/** Of one thread, in nanoseconds: how long it ran, and how long it was ready to run and had no processor. */
export type ThreadTimes = { ran: number; waited: number }

/** Above 0 and at most 1; undefined where the system does not count it, as outside of Linux. */
export type ProcessorShare = () => number | undefined

const everyMs = 250

/** Of the calling thread. */
function readThreadTimes(): ThreadTimes | undefined {
  try {
    const [ran, waited] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number)
    return ran && waited !== undefined ? { ran, waited } : undefined
  } catch {
    return undefined
  }
}

/** The share of the thread that calls this, over the last quarter of a second in which it was asked for. */
export function openProcessorShare(
  read = readThreadTimes,
  now = () => performance.now(),
): ProcessorShare {
  let last = read()
  let readAt = now()
  let share = last && 1
  return () => {
    if (last === undefined || now() - readAt < everyMs) return share
    const times = read() ?? last
    const ran = times.ran - last.ran
    if (ran > 0) share = ran / (ran + times.waited - last.waited)
    last = times
    readAt = now()
    return share
  }
}
