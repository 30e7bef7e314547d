// The databases that are measured: one per number of leads, made once and kept in the embedded server.
import { createHash } from 'node:crypto'
import { progress, progressBar } from '../../src/commands/output.ts'
import { connect, type Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { migrations, schemaVersion } from '../../src/db/migrations.ts'
import { queries } from '../../src/db/queries.ts'
import { loadDemo } from '../../src/demo/load.ts'
import { scopes } from '../../src/model/scope.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { migrateDatabase } from '../../src/service.ts'
import { until } from '../support/until.ts'
import { startService } from './processes.ts'

export type BenchDatabase = { url: string; leads: number; keys: string[] }

// At 240 requests a minute each, enough for 8,000 requests/s.
export const keysTotal = 2_000

const prefix = 'bench_'
const settleTimeoutMs = 300_000
// A changed migration makes another schema under the same number.
const digest = createHash('sha256').update(migrations.map(({ sha256 }) => sha256).join())
const version = `${prefix}v${schemaVersion}_${digest.digest('hex').slice(0, 8)}_`

const open = (url: string) =>
  connect({ url, connectionsMax: 1, applicationName: 'bench', statementTimeoutMs: 0 })

export async function withSql<Value>(
  url: string,
  work: (sql: Sql) => Promise<Value>,
): Promise<Value> {
  const sql = open(url)
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

const named = (url: string, name: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** Lets the service bring the demo data's events into the feed, which would otherwise happen in a round. */
async function settle(url: string, leads: number) {
  const service = await startService({ url, leads, keys: [] })
  try {
    await withSql(url, sql =>
      until(
        async () => (await sql`select from event_outbox limit 1`).length === 0,
        settleTimeoutMs,
      ),
    )
  } finally {
    await service.stop()
  }
}

/** Under a passing name until it is complete. */
async function make(server: Sql, serverUrl: string, name: string, leads: number) {
  const half = `${name}_half`
  const url = named(serverUrl, half)
  progress(`Making the database of ${leads.toLocaleString('en')} leads; it is kept for later runs.`)
  await server.unsafe(`drop database if exists ${half}`)
  await server.unsafe(`create database ${half}`)
  await migrateDatabase(url)
  await withSql(url, sql =>
    loadDemo(sql, leads, progressBar(`${leads.toLocaleString('en')} leads`)),
  )
  await settle(url, leads)
  await withSql(url, async sql => {
    // What autovacuum would otherwise do in the middle of a round.
    await sql.unsafe('vacuum (analyze)')
    await sql.unsafe('checkpoint')
  })
  await server.unsafe(`alter database ${half} rename to ${name}`)
}

/** Keys are shown once, so every run makes its own and removes those of the run before. */
async function renewKeys(url: string): Promise<string[]> {
  return await withSql(url, async sql => {
    const keys: string[] = []
    await sql.begin(async transaction => {
      const inside = transaction as unknown as Sql
      await inside`delete from api_keys where label = 'bench'`
      const database = openDatabase(inside, queries)
      const input = { label: 'bench', scopes: [...scopes] }
      while (keys.length < keysTotal) keys.push(await createApiKey(database, input))
    })
    await sql`truncate rate_windows`
    await sql.unsafe('vacuum (analyze) api_keys, rate_windows')
    return keys
  })
}

export async function openBenchDatabase(
  serverUrl: string,
  leads: number,
  purpose = '',
): Promise<BenchDatabase> {
  const name = `${version}${leads}${purpose && `_${purpose}`}`
  await withSql(serverUrl, async server => {
    const rows = await server`select datname from pg_database where datname like ${`${prefix}%`}`
    const names = rows.map(row => row.datname as string)
    for (const old of names.filter(one => !one.startsWith(version)))
      await server.unsafe(`drop database ${old}`)
    if (!names.includes(name)) await make(server, serverUrl, name, leads)
  })
  const url = named(serverUrl, name)
  return { url, leads, keys: await renewKeys(url) }
}
