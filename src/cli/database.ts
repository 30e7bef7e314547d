// Which database a command works on: DATABASE_URL, else the embedded server of DATA_DIR, running or not. Checks
// that its schema is this program's, or migrates it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type Config, dataFile } from '../config/settings.ts'
import { type Sql, withConnection } from '../db/connect.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { migrate, requireSchema } from '../db/migrate.ts'
import { loadQueries } from '../db/override.ts'
import { type Queries, queries } from '../db/queries.ts'
import { explain } from '../db/start_failure.ts'
import { startEmbeddedPostgres } from '../embedded/postgres.ts'
import { ConfigError } from '../lib/config_error.ts'
import { errorCodeOf, isDatabaseAway, lockNotAvailable, readOnly } from '../lib/error_code.ts'
import { progress } from './command.ts'

/** That ask a process to end. A terminal that is closed would leave an embedded server behind; nohup's stays ignored. */
export const stopSignals = (): NodeJS.Signals[] =>
  process.stderr.isTTY ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']

export type OpenDatabase = {
  url: string
  embedded: boolean
  /** Resolves with a sentence when an embedded server ends by itself. */
  lost: Promise<string>
  close(): Promise<void>
}

const applicationName = 'workspace-data-api command'

/** Starts the embedded server, which belongs to this process alone until close. */
async function startEmbedded(config: Config): Promise<OpenDatabase> {
  const server = await startEmbeddedPostgres({ dataDir: config.DATA_DIR, onProgress: progress })
  // So that commands find it while a service runs on it.
  const file = dataFile(config, 'database_url')
  rmSync(file, { force: true })
  writeFileSync(file, server.url, { mode: 0o600 })
  const close = () => {
    rmSync(file, { force: true })
    return server.stop()
  }
  return { url: server.url, embedded: true, lost: server.lost, close }
}

const external = (url: string): OpenDatabase => ({
  url,
  embedded: false,
  lost: new Promise(() => {}),
  close: async () => {},
})

/** For the service: an embedded server must be its own. */
export const openServiceDatabase = async (config: Config): Promise<OpenDatabase> =>
  config.DATABASE_URL ? external(config.DATABASE_URL) : await startEmbedded(config)

/** The embedded server of a service that runs. */
async function findEmbedded(config: Config): Promise<OpenDatabase | undefined> {
  const file = dataFile(config, 'database_url')
  if (!existsSync(file)) return undefined
  const url = readFileSync(file, 'utf8')
  return await withConnection({ url, applicationName }, sql => sql`select 1`).then(
    () => external(url),
    () => undefined,
  )
}

const migrating = { applicationName: 'workspace-data-api migrate' }

/** Applies what is missing to the database at `url`; returns what was applied. */
export const migrateDatabase = (url: string): Promise<string[]> =>
  withConnection({ url, ...migrating }, sql => migrate(sql))

/** Throws where the database at `url` is not at this program's schema. */
const requireMigrated = (url: string): Promise<void> =>
  withConnection({ url, ...migrating }, sql => requireSchema(sql))

type AccessPart = 'api' | 'worker' | 'dashboard'

const neededBy = {
  api: 'ROLES=api needs (the role workspace_api)',
  worker: 'ROLES=worker needs (the role workspace_worker)',
  dashboard: 'the dashboard needs (the role workspace_dashboard)',
}

/**
 * Applies what is missing, for a process that serves. Throws where the login lacks the rights of one of `parts`, which only a
 * request would show, and `readOnly` where one is the worker and the database takes no writes.
 */
export const migrateToServe = (url: string, parts: readonly AccessPart[]): Promise<void> =>
  withConnection({ url, ...migrating }, async sql => {
    await migrate(sql)
    const database = openDatabase(sql, queries)
    const [access] = await database.rows('getLoginAccess', {})
    for (const part of parts)
      if (!access?.[part])
        throw new ConfigError(
          `DATABASE_URL: the login ${access?.login} lacks the rights that ${neededBy[part]}; see docs/operations/rights.md.`,
        )
    if (!parts.includes('worker')) return
    const [readiness] = await database.rows('getReadiness', {})
    if (!readiness?.takes_writes)
      throw Object.assign(new Error('the database takes no writes'), { code: readOnly })
  })

function explainFailure(error: unknown, url: string): unknown {
  if (errorCodeOf(error) === lockNotAvailable)
    return new Error(
      'Another session holds what this command needs in a transaction that does not end. Nothing was changed; try again.',
    )
  if (!isDatabaseAway(error)) return explain(error, url)
  return new Error(
    `The connection to the database was lost (${(error as Error).message || errorCodeOf(error)}). If the command changes something, its last change may or may not have been made: check before you run it again.`,
    { cause: error },
  )
}

// Merges and requests wait for what a command locks, so it does not wait for a writer without end.
const shortLockMs = 3_000

type CommandDatabase = { sql: Sql; database: Database; queries: Queries }

type Options = {
  /** Takes as long as it takes. */
  patient?: boolean
  /** Brings a database of DATABASE_URL to this program's schema; others throw where it is not. The embedded one always is brought. */
  migrates?: boolean
}

/** For a command: a migrated database, with the queries of SQL_DIR in their places. Always closes what it opened. */
export async function withDatabase<Result>(
  config: Config,
  work: (opened: CommandDatabase) => Promise<Result>,
  { patient = false, migrates = config.DATABASE_URL === undefined }: Options = {},
): Promise<Result> {
  const running = config.DATABASE_URL ? undefined : await findEmbedded(config)
  const opening = running ? Promise.resolve(running) : openServiceDatabase(config)
  // A command that is ended must not leave the server behind that it started, also when it is asked twice.
  const end = () => void opening.then(opened => opened.close()).finally(() => process.exit(1))
  if (!config.DATABASE_URL) for (const signal of stopSignals()) process.on(signal, end)
  const { url, close } = await opening
  try {
    // A failure is reported at once, in a sentence: the operator who typed the command does not want to wait.
    const checked: Promise<unknown> = migrates ? migrateDatabase(url) : requireMigrated(url)
    await checked.catch(error => {
      throw explain(error, url)
    })
    const limits = patient ? {} : { lockTimeoutMs: shortLockMs }
    return await withConnection({ url, applicationName, ...limits }, async sql => {
      const queries = await loadQueries(sql, config.SQL_DIR)
      return await work({ sql, database: openDatabase(sql, queries), queries }).catch(error => {
        throw explainFailure(error, url)
      })
    })
  } finally {
    await close()
  }
}
