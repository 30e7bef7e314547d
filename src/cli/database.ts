// Which database a command works on: DATABASE_URL, else the embedded server of DATA_DIR, running or not.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { migrateDatabase, requireMigrated } from '../api/start.ts'
import { type Config, dataFile } from '../config/settings.ts'
import { type Sql, withConnection } from '../db/connect.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { explain } from '../db/faults.ts'
import { loadQueries } from '../db/override.ts'
import type { Queries } from '../db/queries.ts'
import { startEmbeddedPostgres } from '../embedded/postgres.ts'
import { errorCodeOf, isDatabaseAway, lockNotAvailable } from '../lib/error_code.ts'
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
