// What rows share: the server, its databases, the load process, and what must be stopped in the end.
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { progress, progressOf } from '../src/cli/command.ts'
import { migrateDatabase } from '../src/cli/database.ts'
import { type Sql, withConnection } from '../src/db/connect.ts'
import { openDatabase } from '../src/db/database.ts'
import { queries } from '../src/db/queries.ts'
import { migrations, readFunctions } from '../src/db/schema_files.ts'
import { loadDemo } from '../src/demo/load.ts'
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts'
import { scopes } from '../src/model/scope.ts'
import { createApiKey } from '../src/operations/keys.ts'
import { withDatabaseName } from '../test/support/database/server.ts'
import { startLoad } from './load/load.ts'
import { benchDir, type Running } from './processes.ts'

export type Options = {
  quick: boolean
  rounds: number
  seconds: number
  /** Leads in a database. */
  sizes: { small: number; medium: number; large: number }
}

export type BenchDatabase = { url: string; keys: string[] }

export type Bench = Awaited<ReturnType<typeof openBench>>

/** A session of the benchmark's own, next to what it measures. */
export const withSql = <Value>(url: string, work: (sql: Sql) => Promise<Value>): Promise<Value> =>
  withConnection({ url, applicationName: 'bench' }, work)

// Far below the limit of each, as clients are.
const keysTotal = 2_000

// A changed migration or function makes other databases.
const texts = [...migrations, ...readFunctions()].map(({ sha256 }) => sha256)
const version = `bench_${createHash('sha256').update(texts.join()).digest('hex').slice(0, 8)}_`

/** Under a passing name until it is complete. */
async function makeDatabase(server: Sql, serverUrl: string, name: string, leads: number) {
  const half = `${name}_half`
  const url = withDatabaseName(serverUrl, half)
  const size = `${leads.toLocaleString('en')} leads`
  progress(`Making the database of ${size}; it is kept for later runs.`)
  await server.unsafe(`drop database if exists ${half}`)
  await server.unsafe(`create database ${half}`)
  await migrateDatabase(url)
  await withSql(url, async sql => {
    await loadDemo(sql, leads, progressOf(size))
    // What autovacuum would otherwise do in the middle of a round.
    await sql.unsafe('vacuum (analyze)')
    await sql.unsafe('checkpoint')
  })
  await server.unsafe(`alter database ${half} rename to ${name}`)
}

/** Keys are shown once, so every run makes its own and removes those of the run before. */
const renewKeys = (url: string): Promise<string[]> =>
  withSql(url, async sql => {
    const keys: string[] = []
    await sql.begin(async transaction => {
      const inside = transaction as unknown as Sql
      await inside`delete from api_keys where label = 'bench'`
      const database = openDatabase(inside, queries)
      const input = { label: 'bench', scopes: [...scopes] }
      while (keys.length < keysTotal) keys.push((await createApiKey(database, input)).key)
    })
    await sql`truncate rate_windows`
    await sql.unsafe('vacuum (analyze) api_keys, rate_windows')
    return keys
  })

async function openBenchDatabase(serverUrl: string, leads: number, purpose: string) {
  const first = `${version}${leads}`
  const name = purpose ? `${first}_${purpose}` : first
  await withSql(serverUrl, async server => {
    const rows = await server`select datname from pg_database where datname like 'bench\\_%'`
    const names = rows.map(row => row.datname as string)
    for (const old of names.filter(one => !one.startsWith(version)))
      await server.unsafe(`drop database ${old}`)
    if (!names.includes(first)) await makeDatabase(server, serverUrl, first, leads)
    if (purpose && !names.includes(name))
      await server.unsafe(`create database ${name} template ${first} strategy file_copy`)
  })
  const url = withDatabaseName(serverUrl, name)
  return { url, keys: await renewKeys(url) }
}

export async function openBench(options: Options) {
  mkdirSync(benchDir, { recursive: true })
  const server = await startEmbeddedPostgres({ dataDir: benchDir })
  const load = startLoad()
  const databases = new Map<string, BenchDatabase>()
  const kept: Running[] = []
  const stopKept = async () => {
    for (const running of kept.splice(0)) await running.stop()
  }
  return {
    options,
    load,
    /** Made on first use and kept; `purpose` gives a copy of its own to a row that changes it. */
    async database(leads: number, purpose = '') {
      const name = `${leads} ${purpose}`
      const database = databases.get(name) ?? (await openBenchDatabase(server.url, leads, purpose))
      databases.set(name, database)
      return database
    },
    /** Stopped when the row is over, whatever happens; or before, by the row itself. */
    async keep(started: Promise<Running>) {
      const running = await started
      kept.push(running)
      return running
    },
    stopKept,
    async close() {
      await stopKept()
      await load.stop()
      await server.stop()
    },
  }
}
