// migrate | roles | demo | redact | feed advance: what an operator does to a database now and then.
import { schemaVersion } from '../db/migrations.ts'
import { grantWorkspaceRoles } from '../db/roles.ts'
import { isEmpty, loadDemo } from '../demo/load.ts'
import { forgetProgress, redactStored } from '../redaction/redact.ts'
import { type Command, onDatabase } from './command.ts'
import { withDatabase } from './database.ts'
import { progressOf, UsageError, write } from './output.ts'

export const migrateCommand: Command = {
  line: 'migrate',
  does: "brings the database to this version's schema",
  async run(_given, config) {
    await withDatabase(config, async () => {}, { migrates: true })
    write(`the database is at schema ${schemaVersion}`)
  },
}

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

export const rolesCommand: Command = {
  line: 'roles [--prefix P]',
  does: 'makes or updates the roles of least privilege',
  async run({ options: { prefix = 'workspace' } }, config) {
    if (!prefixForm.test(prefix))
      throw new UsageError(
        '--prefix takes 1 to 40 lower-case letters, digits and underscores, beginning with a letter.',
      )
    await withDatabase(config, async ({ sql }) => {
      await grantWorkspaceRoles(sql, { prefix, statementTimeoutMs: config.STATEMENT_TIMEOUT_MS })
    })
    write(nextSteps(prefix))
  },
}

export const demoLeads = 500
const leadsMax = 1_000_000

export const demo: Command = {
  line: 'demo [--leads N]',
  does: 'loads demo data into an empty database',
  async run({ options }, config) {
    const leads = Number(options.leads ?? demoLeads)
    if (!Number.isInteger(leads) || leads < 1 || leads > leadsMax)
      throw new UsageError(`--leads takes a whole number from 1 to ${leadsMax}.`)
    const load = async ({ sql }: Parameters<Parameters<typeof withDatabase>[1]>[0]) => {
      if (!(await isEmpty(sql)))
        throw new Error('The database holds leads already; demo data goes into an empty one only.')
      await loadDemo(sql, leads, progressOf('demo data'))
    }
    await withDatabase(config, load, { migrates: true })
    write(`loaded demo data with ${leads} leads`)
  },
}

export const redact: Command = {
  line: 'redact [--restart]',
  does: 'removes raw income from rows that are stored already',
  async run({ flags }, config) {
    await withDatabase(config, async ({ sql, queries }) => {
      if (flags.restart) await forgetProgress(sql, queries)
      const tables = await redactStored(sql, queries, progressOf('income'))
      for (const { table, seen, changed } of tables)
        write(`${table}: ${changed} of ${seen} rows changed`)
    })
  },
}

export const advance = onDatabase(
  'feed advance',
  'moves the feed beyond every cursor it can have given out, after the same database was set back',
  () => async database => {
    const [advanced] = await database.rows('updateFeedHead', {})
    write(`the feed goes on after cursor ${advanced?.head}`)
  },
)
