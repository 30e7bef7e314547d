// Waits for a database that is not there yet: containers start in any order, and a failover takes its time.
// What no waiting mends (a wrong password, a database that does not exist) fails at once.
import { errorCodeOf } from '../lib/error_code.ts'
import { withTimeout } from '../lib/timeout.ts'
import { explain, isWorthWaiting } from './start_failure.ts'

type WaitOptions = {
  /** Milliseconds from now on; 0: one try. */
  patienceMs: number
  /** Resolves when waiting is no longer worth it. */
  stopped: Promise<unknown>
  onAway(reason: string, retryMs: number): void
}

const retryMinMs = 250
const retryMaxMs = 5_000

/**
 * Does the work, and does it again until the database answers. False: stopped before it did. Throws when it
 * stays away, or when no waiting mends it.
 */
export async function whenDatabaseAnswers(
  url: string,
  work: () => Promise<unknown>,
  { patienceMs, stopped, onAway }: WaitOptions,
): Promise<boolean> {
  const end = performance.now() + patienceMs
  let stopping = false
  void stopped.then(() => {
    stopping = true
  })
  for (let retryMs = retryMinMs; !stopping; retryMs = Math.min(2 * retryMs, retryMaxMs)) {
    try {
      await work()
      return true
    } catch (error) {
      if (!isWorthWaiting(error) || performance.now() + retryMs > end) throw explain(error, url)
      onAway((error as Error).message || errorCodeOf(error), retryMs)
    }
    await withTimeout(stopped, retryMs).catch(() => {})
  }
  return false
}
