// The pools of a service: one for files that are planned once, one for those planned with the values at hand, and a connection
// for permits.
// Planning is a large part of a short read; see docs/decisions/two_pools.md.
import type { PoolOptions, Sql } from './connect.ts'
import { openPool } from './pool.ts'

export type Pools = {
  sql: Sql
  once: Sql
  /** Every request needs a permit, so none may wait for a slow statement of another. */
  permits: Sql
  /** Opens all anew: for a server that has not answered for longer than any statement may take. */
  renew(): void
  end(parting: { timeout: number }): Promise<void>
}

/** What sets a pool for files that are planned once apart. */
export const plannedOnce = {
  planCacheMode: 'force_generic_plan',
  byIndexOnly: true,
  inIndexOrder: true,
} satisfies Partial<PoolOptions>

export function openPools(options: PoolOptions): Pools {
  const anew = openPool(options)
  const once = openPool({ ...options, ...plannedOnce })
  const permits = openPool({ ...options, ...plannedOnce, connectionsMax: 1 })
  const all = [anew, once, permits]
  return {
    sql: anew.sql,
    once: once.sql,
    permits: permits.sql,
    renew() {
      for (const pool of all) pool.renew()
    },
    async end(parting) {
      await Promise.all(all.map(pool => pool.sql.end(parting)))
    },
  }
}
