// The last faults of this process, for the owner to look at: kind and place alone, nothing personal.
import type { Log } from './log.ts'

export type Fault = { at: Date; where: string; kind: string; requestId: string | undefined }

/** Newest first, as many as are kept; and how many there were in all. */
export type Faults = { readonly latest: readonly Fault[]; readonly count: number }

// A page's worth; the log has them all.
const faultsMax = 20
// One that comes again and again leaves room for others.
const alikeMax = 10

// A code of PostgreSQL or of the system, else what the error calls itself.
function kindOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return String(code ?? name ?? typeof error)
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
        const alike = latest.filter(one => one.where === where && one.kind === kind)
        const surplus = alike[alikeMax]
        if (surplus) latest.splice(latest.indexOf(surplus), 1)
        latest.length = Math.min(latest.length, faultsMax)
        log.fault(where, error, about)
      },
    },
  }
}
