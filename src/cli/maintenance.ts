// What an operator does to a database now and then, and what the program tells about itself.
import { apiDocument } from '../api/docs/document.ts'
import { environment, printConfig, publicUrlOf } from '../config/settings.ts'
import { grantWorkspaceRoles } from '../db/roles.ts'
import { schemaVersion } from '../db/schema_files.ts'
import { isEmpty, loadDemo } from '../demo/load.ts'
import { goWithoutProxy } from '../lib/proxy.ts'
import { hasSeveralAddresses } from '../model/erasure.ts'
import { targetHost } from '../model/target_url.ts'
import { eraseKontakt, findHoldings } from '../operations/erasure.ts'
import { resolveKontaktKey } from '../operations/kontakte.ts'
import { redactStored } from '../redaction/redact.ts'
import { type Command, progress, progressOf, UsageError, write, writeJson } from './command.ts'
import { withDatabase } from './database.ts'

const migrate: Command = {
  line: 'migrate',
  does: "brings the database to this version's schema",
  async run(_given, config) {
    await withDatabase(config, async () => {}, { patient: true, migrates: true })
    write(`the database is at schema ${schemaVersion}`)
  },
}

const roles: Command = {
  line: 'roles [--prefix P]',
  does: 'makes or updates the roles of least privilege',
  async run({ options: { prefix = 'workspace' } }, config) {
    if (!/^[a-z][a-z0-9_]{0,39}$/.test(prefix))
      throw new UsageError(
        '--prefix takes 1 to 40 lower-case letters, digits and underscores, beginning with a letter.',
      )
    const granted = { prefix, statementTimeoutMs: config.STATEMENT_TIMEOUT_MS }
    await withDatabase(config, ({ sql }) => grantWorkspaceRoles(sql, granted), { patient: true })
    const names = ['api', 'worker', 'dba', 'dashboard', 'writer'].map(name => `${prefix}_${name}`)
    write(`${names.join(', ')} are up to date; docs/operations/rights.md has the next steps.`)
  },
}

export const demoLeads = 500
const leadsMax = 1_000_000

const demo: Command = {
  line: 'demo [--leads N]',
  does: 'loads demo data into an empty database',
  async run({ options }, config) {
    const leads = Number(options.leads ?? demoLeads)
    if (!Number.isInteger(leads) || leads < 1 || leads > leadsMax)
      throw new UsageError(`--leads takes a whole number from 1 to ${leadsMax}.`)
    const load: Parameters<typeof withDatabase>[1] = async ({ sql }) => {
      if (!(await isEmpty(sql)))
        throw new Error('The database holds leads already; demo data goes into an empty one only.')
      await loadDemo(sql, leads, progressOf('demo data'))
    }
    await withDatabase(config, load, { patient: true, migrates: true })
    write(`loaded demo data with ${leads} leads`)
  },
}

const redact: Command = {
  line: 'redact',
  does: 'removes raw income from rows that are stored already',
  run: (_given, config) =>
    withDatabase(
      config,
      async ({ sql, queries }) => {
        const tables = await redactStored(sql, queries, progressOf('income'))
        for (const { table, seen, changed } of tables)
          write(`${table}: ${changed} of ${seen} rows changed`)
      },
      { patient: true },
    ),
}

const erase: Command = {
  line: 'erase KEY [--yes]',
  does: 'shows what is stored of a person and which webhooks received it; with --yes erases all of it',
  run: ({ places: [identity = ''], flags }, config) =>
    withDatabase(config, async ({ database }) => {
      if ((await resolveKontaktKey(database, identity)) === null)
        throw new UsageError('That is no email address, phone number or id of a lead.')
      const found = await (flags.yes ? eraseKontakt : findHoldings)(database, identity)
      if (found === null) throw new Error('Nothing is stored of this person.')
      // The path of an address may hold a secret of the receiver's.
      const recipients = found.recipients.map(({ target_url, ...recipient }) => ({
        ...recipient,
        host: target_url === null ? 'deleted' : targetHost(target_url),
      }))
      writeJson({ erased: flags.yes === true, ...found, recipients }, 2)
      if (flags.yes) return
      if (hasSeveralAddresses(found))
        progress(
          'Several e-mail addresses: if they are different people, such as two with one phone, erase by the address of the right one. If several belong to that as well, they are merged into one contact.',
        )
      progress('Nothing was erased: --yes erases all of this for good.')
    }),
}

const advance: Command = {
  line: 'feed advance',
  does: 'moves the feed beyond every cursor it can have given out, after the same database was set back',
  run: (_given, config) =>
    withDatabase(config, async ({ database }) => {
      const [advanced] = await database.rows('updateFeedHead', {})
      write(`the feed goes on after cursor ${advanced?.head}`)
    }),
}

// A service that listens on every address listens on this one.
const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1', '[::]': '::1' }

/** For the image's health check, which has no curl. */
const health: Command = {
  line: 'health',
  does: 'asks the service of this configuration whether it is ready; with ROLES=worker it asks nothing',
  async run(_given, { ROLES, PORT, HOST }) {
    if (!ROLES.includes('api')) return write('a worker alone answers no requests')
    if (PORT === 0) throw new UsageError('health needs the PORT that the service listens on.')
    const url = `${publicUrlOf({ HOST: loopback[HOST] ?? HOST, PUBLIC_URL: undefined }, PORT)}/readyz`
    goWithoutProxy(['*'])
    const response = await fetch(url, { signal: AbortSignal.timeout(3_000) }).catch(() => {
      throw new Error(`Nothing answers at ${url}.`)
    })
    const body = (await response.json().catch(() => null)) as { error?: { message: string } } | null
    if (body === null) throw new Error(`What answers at ${url} is not this service.`)
    if (!response.ok) throw new Error(body.error?.message ?? `${url} answers ${response.status}.`)
    write('ready')
  },
}

const config: Command = {
  line: 'config',
  does: 'prints every setting with its value, secrets masked, and where it is from',
  run: (_given, settings) => write(printConfig(settings, environment())),
}

const openapi: Command = {
  line: 'openapi',
  does: 'prints the API description',
  run(_given, settings) {
    const url = publicUrlOf(settings, settings.PORT)
    write(JSON.stringify(apiDocument(url, settings.RATE_LIMIT_PER_MINUTE), null, 2))
  },
}

export const schemaCommands = [migrate, roles, demo]
export const dataCommands = [redact, erase, advance]
export const aboutCommands = [health, config, openapi]
