// roles: makes the roles of least privilege, or brings them up to date; says what is left to do by hand.
import type { Config } from '../config/settings.ts'
import { grantWorkspaceRoles } from '../db/roles.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './database.ts'
import { UsageError, write } from './output.ts'

const prefixForm = /^[a-z][a-z0-9_]{0,39}$/

const nextSteps = (prefix: string) => `the roles of this workspace are up to date

  ${prefix}_api        REST and tools: DATABASE_URL of a process with ROLES=api
  ${prefix}_worker     sequencing, delivering, pruning: DATABASE_URL of a process with ROLES=worker
  ${prefix}_dba        reads everything but secrets, writes nothing
  ${prefix}_dashboard  a group: what the dashboard and the commands keys, hooks and erase do
  ${prefix}_writer     a group: for the logins of the platform

Next, in psql:

  \\password ${prefix}_api
  \\password ${prefix}_worker
  \\password ${prefix}_dba
  grant ${prefix}_dashboard to ${prefix}_api;  -- if the API shows the dashboard
  grant ${prefix}_writer to …;  -- each login of the platform
  grant pg_monitor to ${prefix}_dba;  -- as a superuser: pg_stat_activity in full`

export async function roles(config: Config, args: string[]): Promise<void> {
  const { options } = readArguments(args, ['prefix'])
  const { prefix = 'workspace' } = options
  if (!prefixForm.test(prefix))
    throw new UsageError(
      '--prefix takes 1 to 40 lower-case letters, digits and underscores, beginning with a letter.',
    )
  await withDatabase(config, async ({ sql }) => {
    await grantWorkspaceRoles(sql, { prefix, statementTimeoutMs: config.STATEMENT_TIMEOUT_MS })
  })
  write(nextSteps(prefix))
}
