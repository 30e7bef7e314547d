// Makes the roles that the service, the platform and a DBA log in with. What each may do stands in the script.
import grantRoles from '../../sql/roles/grant_roles.sql' with { type: 'text' }
import prepareRoles from '../../sql/roles/prepare_roles.sql' with { type: 'text' }
import { insufficientPrivilege } from '../lib/error_code.ts'
import { inTransaction, type Sql } from './connect.ts'
import { runQueryFile, runScript } from './database.ts'
import { type QueryFile, readQueryFile } from './query_file.ts'

/** Names the roles for the script. */
export const roleOptionsFile: QueryFile = readQueryFile('roles/prepare_roles', prepareRoles)

type RoleOptions = {
  /** What the names begin with: a cluster of several workspaces needs several sets. */
  prefix: string
  /** How long one statement of a request may run. */
  statementTimeoutMs: number
}

type Refusal = { code?: string; message: string; detail?: string }

/** All or nothing; harmless when done already. Throws with the server's reason when `sql` may not do it. */
export async function grantWorkspaceRoles(sql: Sql, options: RoleOptions): Promise<void> {
  const { prefix: role_prefix, statementTimeoutMs: statement_timeout_ms } = options
  try {
    await inTransaction(sql, async inside => {
      const args = { role_prefix, statement_timeout_ms }
      await runQueryFile(inside, roleOptionsFile, args)
      await runScript(inside, grantRoles)
    })
  } catch (error) {
    const { code, message, detail } = error as Refusal
    if (code !== insufficientPrivilege) throw error
    const reason = [message, detail].filter(Boolean).join(': ')
    throw new Error(`roles changed nothing: ${reason.replace(/\.$/, '')}.`)
  }
}
