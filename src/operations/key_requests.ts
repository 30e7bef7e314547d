// What keys asked for lately, over all processes: each writes what it gathered every few seconds, never on a request.
import type { Database } from '../db/database.ts'
import type { GatheredRequests } from '../observability/gathered_requests.ts'

/** Of one key, kept and shown. */
export const requestsShown = 30
const hourMs = 3_600_000

export type KeyRequestRecorder = {
  /** Writes what was gathered. What cannot be written is in the log alone. */
  record(): Promise<void>
}

export function openKeyRequestRecorder(
  database: Database,
  takeRequests: () => GatheredRequests,
): KeyRequestRecorder {
  let prunedHour = 0
  return {
    async record() {
      const { lines, counts } = takeRequests()
      if (counts.length === 0) return
      await database.rows('recordKeyRequests', {
        key_ids: lines.map(({ key_id }) => key_id),
        at: lines.map(({ at }) => at),
        request_ids: lines.map(({ request_id }) => request_id),
        methods: lines.map(({ method }) => method),
        routes: lines.map(({ route }) => route),
        tools: lines.map(({ tool }) => tool ?? null),
        statuses: lines.map(({ status }) => status),
        // Of what took less, more than nothing.
        duration_ms: lines.map(({ duration_ms }) => Math.ceil(duration_ms)),
        counted_ids: counts.map(({ key_id }) => key_id),
        hours: counts.map(({ hour }) => hour),
        counts: counts.map(({ requests }) => requests),
      })
      const key_ids = [...new Set(lines.map(({ key_id }) => key_id))]
      await database.rows('pruneKeyRequests', { key_ids, rows_max: requestsShown })
      const hour = Math.floor(Date.now() / hourMs)
      if (hour !== prunedHour) await database.rows('pruneKeyRequestCounts', {})
      prunedHour = hour
    },
  }
}

/** Newest first. */
export const listKeyRequests = (database: Database, key_id: string) =>
  database.rows('listKeyRequests', { key_id, row_limit: requestsShown })

/** Requests of the last 24 hours by key; 0 for a key without any. */
export async function countKeyRequests(
  database: Database,
  key_ids: string[],
): Promise<(keyId: string) => number> {
  const rows = await database.rows('countKeyRequests', { key_ids })
  const counts = new Map(rows.map(({ key_id, requests }) => [key_id, requests]))
  return keyId => counts.get(keyId) ?? 0
}
