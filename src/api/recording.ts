// What requests leave behind is gathered in memory, and written every so often.
import { withTimeout } from '../lib/timeout.ts'
import type { Log } from '../observability/log.ts'

// A database that does not answer must not hold a stop up.
const lastMs = 2_000

/** Writes it until the function that this returns is called, which writes the rest. A failure is logged. */
export function recordEvery(
  milliseconds: number,
  work: () => Promise<void>,
  what: string,
  log: Log,
) {
  const onFailure = (error: unknown) => log.fault(what, error)
  let last = Promise.resolve()
  // One after the other: a stop waits for the one under way, too.
  const record = () => {
    last = last.then(work).catch(onFailure)
    return last
  }
  const timer = setInterval(record, milliseconds)
  return async () => {
    clearInterval(timer)
    await withTimeout(record(), lastMs).catch(onFailure)
  }
}
