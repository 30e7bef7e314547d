// The databases that are measured: one per number of leads, made once and kept in the embedded server.
import { createHash } from 'node:crypto'
import { migrateDatabase } from '../src/api/start.ts'
import { progress, progressOf } from '../src/cli/output.ts'
import type { Sql } from '../src/db/connect.ts'
import { openDatabase } from '../src/db/database.ts'
import { readFunctions } from '../src/db/functions.ts'
import { migrations, schemaVersion } from '../src/db/migrations.ts'
import { queries } from '../src/db/queries.ts'
import { scopes } from '../src/model/scope.ts'
import { createApiKey } from '../src/operations/keys.ts'
import { withDatabaseName } from '../test/support/database/server.ts'
import { until } from '../test/support/until.ts'
import { loadLeads } from './load_leads.ts'
import { startServiceProcess } from './processes.ts'
import { withSql } from './session.ts'

export type BenchDatabase = { url: string; leads: number; keys: string[] }

// At 240 requests a minute each, enough for 8,000 requests/s.
export const keysTotal = 2_000

const prefix = 'bench_'
const settleTimeoutMs = 300_000
// A changed migration or function makes another schema under the same number.
const texts = [...migrations, ...readFunctions()].map(({ sha256 }) => sha256)
const digest = createHash('sha256').update(texts.join())
const version = `${prefix}v${schemaVersion}_${digest.digest('hex').slice(0, 8)}_`

/** Lets the service bring the demo data's events into the feed, which would otherwise happen in a round. */
async function settle(url: string, leads: number) {
  const service = await startServiceProcess({ url, leads, keys: [] })
  try {
    await withSql(url, sql =>
      until(
        async () => (await sql`select total from count_unsequenced(1)`)[0]?.total === 0,
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
  const url = withDatabaseName(serverUrl, half)
  progress(`Making the database of ${leads.toLocaleString('en')} leads; it is kept for later runs.`)
  await server.unsafe(`drop database if exists ${half}`)
  await server.unsafe(`create database ${half}`)
  await migrateDatabase(url)
  await loadLeads(url, leads, progressOf(`${leads.toLocaleString('en')} leads`))
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
      while (keys.length < keysTotal) keys.push((await createApiKey(database, input)).key)
    })
    await sql`truncate rate_windows`
    await sql.unsafe('vacuum (analyze) api_keys, rate_windows')
    return keys
  })
}

/** One for a purpose is a copy, which takes a second where making it takes a minute. */
export async function openBenchDatabase(
  serverUrl: string,
  leads: number,
  purpose = '',
): Promise<BenchDatabase> {
  const first = `${version}${leads}`
  const name = purpose ? `${first}_${purpose}` : first
  await withSql(serverUrl, async server => {
    const rows = await server`select datname from pg_database where datname like ${`${prefix}%`}`
    const names = rows.map(row => row.datname as string)
    for (const old of names.filter(one => !one.startsWith(version)))
      await server.unsafe(`drop database ${old}`)
    if (!names.includes(first)) await make(server, serverUrl, first, leads)
    if (purpose && !names.includes(name))
      await server.unsafe(`create database ${name} template ${first} strategy file_copy`)
  })
  const url = withDatabaseName(serverUrl, name)
  return { url, leads, keys: await renewKeys(url) }
}
