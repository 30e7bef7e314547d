// The two pools of a service: one for files that are planned once, one for those planned with the values at hand.
// Planning is a large part of a short read; see docs/decisions/two_pools.md.
import type { PoolOptions, Sql } from './connect.ts'
import { openPool } from './pool.ts'

export type Pools = {
  sql: Sql
  once: Sql
  /** Opens both anew: for a server that has not answered for longer than any statement may take. */
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
  return {
    sql: anew.sql,
    once: once.sql,
    renew() {
      anew.renew()
      once.renew()
    },
    async end(parting) {
      await Promise.all([anew.sql.end(parting), once.sql.end(parting)])
    },
  }
}
