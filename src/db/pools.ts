// The two pools of a service: one for files that are planned once, one for those planned with the values at hand.
// Planning is a fifth of what PostgreSQL does for a page of 50 leads (97 of 468 us), and half for a single one (80 of 166).
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
