// The last faults of this process, for the owner to look at: kind and place alone, nothing personal.
import type { Log } from './log.ts'

export type Fault = { at: Date; where: string; kind: string; requestId: string | undefined }

// A page's worth; the log has them all.
const faultsMax = 20

// A code of PostgreSQL or of the system, else what the error calls itself.
function kindOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return String(code ?? name ?? typeof error)
}

/** The log, with the last faults it reported; newest first. */
export function recordRecentErrors(log: Log): { log: Log; faults: readonly Fault[] } {
  const faults: Fault[] = []
  return {
    faults,
    log: {
      ...log,
      fault(where, error, requestId) {
        faults.unshift({ at: new Date(), where, kind: kindOf(error), requestId })
        faults.length = Math.min(faults.length, faultsMax)
        log.fault(where, error, requestId)
      },
    },
  }
}
