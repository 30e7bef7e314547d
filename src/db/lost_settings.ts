// Whether a session has what it asked for when it connected. A pooler in between may drop that; then the role that logs
// in has to bring it along (sql/roles/grant_roles.sql).
import { type PoolOptions, sessionSettings } from './connect.ts'
import type { Database } from './database.ts'

/** The names of settings that the sessions of a pool lack. */
export async function lostSettings(database: Database, options: PoolOptions): Promise<string[]> {
  const wanted = sessionSettings(options)
  const args = { names: Object.keys(wanted), values: Object.values(wanted) }
  const [lost] = await database.list('getLostSettings', args)
  return lost?.names ?? []
}
