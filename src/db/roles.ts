// Makes the roles that the service, the platform and a DBA log in with. What each may do stands in the script.
import grantRoles from '../../sql/roles/grant_roles.sql' with { type: 'text' }
import prepareRoles from '../../sql/roles/prepare_roles.sql' with { type: 'text' }
import type { Sql } from './connect.ts'
import { runQueryFile, runScript } from './database.ts'
import { type QueryFile, readQueryFile } from './query_file.ts'
import { inTransaction } from './transaction.ts'

/** Tells the script what the roles are called. */
export const roleOptionsFile: QueryFile = readQueryFile('roles/prepare_roles', prepareRoles)

export type RoleOptions = {
  /** What the names begin with: a cluster of several workspaces needs several sets. */
  prefix: string
  /** How long one statement of a request may run. */
  statementTimeoutMs: number
}

const insufficientPrivilege = '42501'

/** All or nothing; harmless when done already. Throws when `sql` is not the owner, or may not make roles. */
export async function grantWorkspaceRoles(sql: Sql, options: RoleOptions): Promise<void> {
  const { prefix: role_prefix, statementTimeoutMs: statement_timeout_ms } = options
  try {
    await inTransaction(sql, async inside => {
      const args = { role_prefix, statement_timeout_ms }
      await runQueryFile(inside, roleOptionsFile, args)
      await runScript(inside, grantRoles)
    })
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    if (code !== insufficientPrivilege) throw error
    throw new Error(
      `roles needs a role that owns the tables and may make roles (createrole): ${message}.`,
    )
  }
}
