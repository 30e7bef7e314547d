// 240 requests in any 60 seconds per key, over all processes and both faces (spec part 8). The count lives
// in PostgreSQL; a refusal is remembered here, so a client that hammers on costs no statement.
import type { Database } from '../db/database.ts'

export const windowSeconds = 60

export type Permit = {
  granted: boolean
  /** Requests left in the window. */
  remaining: number
  /** 0 when granted, else whole seconds until a request is free again. */
  waitSeconds: number
}

export type RateLimit = {
  permitsMax: number
  /** A refusal that still stands, without asking the database. */
  refusal(keyId: string): Permit | undefined
  claim(keyId: string): Promise<Permit>
}

export function openRateLimit(database: Database, permitsMax: number): RateLimit {
  // At most one entry per live key.
  const refusedUntil = new Map<string, number>()

  function remembered(keyId: string): Permit | undefined {
    const until = refusedUntil.get(keyId)
    if (until === undefined) return undefined
    const waitSeconds = Math.ceil((until - performance.now()) / 1000)
    if (waitSeconds > 0) return { granted: false, remaining: 0, waitSeconds }
    refusedUntil.delete(keyId)
    return undefined
  }

  return {
    permitsMax,
    refusal: remembered,
    async claim(keyId) {
      const refused = remembered(keyId)
      if (refused) return refused
      const [row] = await database.rows('claimPermit', {
        key_id: keyId,
        permits_max: permitsMax,
        at: null,
      })
      if (!row) throw new Error('claim_permit returned no row')
      const waitSeconds = Math.max(row.granted ? 0 : 1, row.wait_seconds ?? 0)
      if (!row.granted) refusedUntil.set(keyId, performance.now() + waitSeconds * 1000)
      return { granted: row.granted, remaining: Math.max(0, permitsMax - row.used), waitSeconds }
    },
  }
}
