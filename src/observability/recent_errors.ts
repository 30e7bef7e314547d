// The last faults of this process, for the owner to look at: kind and place alone, nothing personal.
import type { Log } from './log.ts'

export type Fault = { at: Date; where: string; kind: string; requestId: string | undefined }

/** Newest first, as many as are kept; and how many there were in all. */
export type Faults = { readonly latest: readonly Fault[]; readonly count: number }

// A page's worth; the log has them all.
const faultsMax = 20

/** The faults that the log reports from now on, until `end` is called. */
export function recordRecentErrors(log: Log): { faults: Faults; end(): void } {
  const latest: Fault[] = []
  const faults = { latest, count: 0 }
  const end = log.subscribe(({ name, fields }) => {
    if (name !== 'fault') return
    faults.count += 1
    const { where, request_id: requestId, code, error } = fields
    latest.unshift({ at: new Date(), where, kind: code ?? error, requestId })
    latest.splice(faultsMax)
  })
  return { faults, end }
}
