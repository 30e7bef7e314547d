// Which database a command works on: DATABASE_URL, else the embedded server of DATA_DIR, running or not.
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { migrateDatabase, requireMigrated } from '../api/start.ts'
import { dataFile } from '../config/data_dir.ts'
import type { Config } from '../config/settings.ts'
import { type Sql, withConnection } from '../db/connect.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { explain } from '../db/faults.ts'
import { loadQueries } from '../db/override.ts'
import type { Queries } from '../db/queries.ts'
import { whenDatabaseAnswers } from '../db/wait.ts'
import { startEmbeddedPostgres } from '../embedded/postgres.ts'
import { errorCodeOf, isDatabaseAway, lockNotAvailable } from '../lib/error_code.ts'
import { progress } from './output.ts'

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

// So that commands find it while a service runs on the embedded server.
const addressFile = (config: Config) => dataFile(config, 'database_url')

const applicationName = 'workspace-data-api command'

const answers = (url: string): Promise<boolean> =>
  withConnection({ url, applicationName }, sql => sql`select 1`).then(
    () => true,
    () => false,
  )

async function runningEmbedded(config: Config): Promise<string | undefined> {
  const file = addressFile(config)
  if (!existsSync(file)) return undefined
  const url = readFileSync(file, 'utf8')
  return (await answers(url)) ? url : undefined
}

/** Starts the embedded server, which belongs to this process alone until close. */
async function startEmbedded(config: Config): Promise<OpenDatabase> {
  const server = await startEmbeddedPostgres({ dataDir: config.DATA_DIR, onProgress: progress })
  writeFileSync(addressFile(config), server.url, { mode: 0o600 })
  chmodSync(addressFile(config), 0o600)
  return {
    url: server.url,
    embedded: true,
    lost: server.lost,
    async close() {
      rmSync(addressFile(config), { force: true })
      await server.stop()
    },
  }
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

type CommandDatabase = { sql: Sql; database: Database; queries: Queries }

type Limits = {
  lockTimeoutMs?: number
  /** Brings a database of DATABASE_URL to this program's schema; others throw where it is not. The embedded one always is brought. */
  migrates?: boolean
}

const explainFailure = (url: string) => (error: Error) => {
  if (!isDatabaseAway(error)) throw explain(error, url)
  throw new Error(
    `The connection to the database was lost (${error.message || errorCodeOf(error)}). If the command changes something, its last change may or may not have been made: check before you run it again.`,
    { cause: error },
  )
}

/**
 * For a command: a migrated database, with the queries of SQL_DIR in their places. Joins the embedded server
 * of a running service. Always closes what it opened.
 */
export async function withDatabase<Result>(
  config: Config,
  work: (opened: CommandDatabase) => Promise<Result>,
  { migrates = false, ...limits }: Limits = {},
): Promise<Result> {
  const url = config.DATABASE_URL ?? (await runningEmbedded(config))
  const opening = url ? Promise.resolve(external(url)) : startEmbedded(config)
  // A command that is ended must not leave the server behind that it started, also when it is asked twice.
  const end = () => void opening.then(opened => opened.close()).finally(() => process.exit(1))
  if (!url) for (const signal of stopSignals()) process.on(signal, end)
  const server = await opening
  try {
    const prepare =
      migrates || config.DATABASE_URL === undefined ? migrateDatabase : requireMigrated
    // A failure is reported at once, in a sentence: the operator who typed the command does not want to wait.
    await whenDatabaseAnswers(server.url, () => prepare(server.url), {
      patienceMs: 0,
      stopped: new Promise(() => {}),
      onAway() {},
    })
    const options = { url: server.url, applicationName, ...limits }
    return await withConnection(options, async sql => {
      const queries = await loadQueries(sql, config.SQL_DIR)
      return await work({ sql, database: openDatabase(sql, queries), queries }).catch(
        explainFailure(server.url),
      )
    })
  } finally {
    await server.close()
  }
}

const lockTimeoutMs = 3_000

/** For a command that answers at once: it does not wait for a lock without end. */
export const withReadyDatabase = <Result>(
  config: Config,
  work: (opened: CommandDatabase) => Promise<Result>,
): Promise<Result> =>
  withDatabase(config, work, { lockTimeoutMs }).catch(error => {
    if (errorCodeOf(error) !== lockNotAvailable) throw error
    throw new Error(
      'Another session holds what this command needs in a transaction that does not end; try again.',
    )
  })
