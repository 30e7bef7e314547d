// The last faults of this process, for the owner to look at: kind and place alone, nothing personal.
import type { Log } from './log.ts'

export type Fault = { at: Date; where: string; kind: string; requestId: string | undefined }

/** Newest first, as many as are kept; and how many there were in all. */
export type Faults = { readonly latest: readonly Fault[]; readonly count: number }

// A page's worth; the log has them all.
const faultsMax = 20

// A code of PostgreSQL or of the system, else what the error calls itself.
function kindOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return String(code ?? name ?? typeof error)
}

/** The oldest of those that came most often from one place: what comes again and again leaves the others there. */
function oldestOfMost(latest: readonly Fault[]): Fault {
  const alike = Map.groupBy(latest, ({ where, kind }) => `${where} ${kind}`)
  const [most = []] = [...alike.values()].toSorted((one, other) => other.length - one.length)
  return most.at(-1) as Fault
}

/** The log, with the faults it reported. */
export function recordRecentErrors(log: Log): { log: Log; faults: Faults } {
  const latest: Fault[] = []
  const faults = { latest, count: 0 }
  return {
    faults,
    log: {
      ...log,
      fault(where, error, about) {
        faults.count += 1
        const requestId = typeof about === 'string' ? about : undefined
        const kind = kindOf(error)
        latest.unshift({ at: new Date(), where, kind, requestId })
        if (latest.length > faultsMax) latest.splice(latest.indexOf(oldestOfMost(latest)), 1)
        log.fault(where, error, about)
      },
    },
  }
}
