// What requests leave behind is gathered in memory, and written every so often.
import type { Log } from '../observability/log.ts'

/** Writes it until the function that this returns is called, which writes the rest. A failure is logged. */
export function recordEvery(
  milliseconds: number,
  work: () => Promise<void>,
  what: string,
  log: Log,
) {
  const record = () => work().catch(error => log.fault(what, error))
  const timer = setInterval(record, milliseconds)
  return async () => {
    clearInterval(timer)
    await record()
  }
}
