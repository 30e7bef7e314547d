// 240 requests in any 60 seconds per key, over all processes and both faces (spec part 8). The count lives
// in PostgreSQL. Claims that come while a statement is on its way wait for it and then go together, so a busy
// process sends one statement for many requests; a refusal is remembered here, so a client that hammers on
// costs none at all.
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
  /** At once where a refusal still stands: the database is not asked then. */
  claim(keyId: string): Permit | Promise<Permit>
}

type Claim = { resolve(permit: Permit): void; reject(error: unknown): void }
type Outcome = { key_id: string; granted: number; used: number; wait_seconds: number | null }

export function openRateLimit(database: Database, permitsMax: number): RateLimit {
  // At most one entry for each key that was refused.
  const refusedUntil = new Map<string, number>()
  let waiting = new Map<string, Claim[]>()
  let asking = false

  /** A refusal that still stands. */
  function refusal(keyId: string): Permit | undefined {
    const until = refusedUntil.get(keyId)
    if (until === undefined) return undefined
    const waitSeconds = Math.ceil((until - performance.now()) / 1000)
    if (waitSeconds > 0) return { granted: false, remaining: 0, waitSeconds }
    refusedUntil.delete(keyId)
    return undefined
  }

  /** The first claims of a key get what was granted; for them the window fills up one by one. */
  function settle(claims: Claim[], { key_id, granted, used, wait_seconds }: Outcome) {
    const waitSeconds = Math.max(1, wait_seconds ?? 1)
    if (granted < claims.length) refusedUntil.set(key_id, performance.now() + waitSeconds * 1000)
    claims.forEach(({ resolve }, index) => {
      const remaining = Math.max(0, permitsMax - used + granted - 1 - index)
      resolve(
        index < granted
          ? { granted: true, remaining, waitSeconds: 0 }
          : { granted: false, remaining: 0, waitSeconds },
      )
    })
  }

  async function ask(batch: Map<string, Claim[]>) {
    try {
      const outcomes = await database.rows('claimPermits', {
        key_ids: [...batch.keys()],
        wanted: [...batch.values()].map(claims => claims.length),
        permits_max: permitsMax,
        at: null,
      })
      for (const outcome of outcomes) settle(batch.get(outcome.key_id) ?? [], outcome)
      if (outcomes.length < batch.size) throw new Error('a key got no row from claim_permits')
    } catch (error) {
      for (const { reject } of [...batch.values()].flat()) reject(error)
    }
  }

  async function askAll() {
    asking = true
    while (waiting.size > 0) {
      const batch = waiting
      waiting = new Map()
      await ask(batch)
    }
    asking = false
  }

  return {
    permitsMax,
    claim(keyId) {
      const refused = refusal(keyId)
      if (refused) return refused
      return new Promise((resolve, reject) => {
        const claims = waiting.get(keyId) ?? []
        claims.push({ resolve, reject })
        waiting.set(keyId, claims)
        if (!asking) void askAll()
      })
    },
  }
}
