// Directus as a peer that reads: its own tables lie in a schema of their own next to the workspace's, its administrator
// asks, so that it checks no permissions, and it caches nothing, as it comes. A package of its own: it is as large as
// all the others.
import { join } from 'node:path'
import type { BenchDatabase } from './databases.ts'
import { getRequest } from './load/plan.ts'
import { bundledNode, install, peersFolder } from './peers.ts'
import { benchDir, start } from './processes.ts'
import { leadFields, productReach, type ReadKind, type ReadPeer } from './read_peer.ts'
import { withSql } from './session.ts'

const folder = join(peersFolder, 'directus')
const program = join(folder, 'node_modules/@directus/api/dist/cli/run.js')
// It introspects the database and loads some thousand files.
const readyMs = 120_000
const token = 'bench-token'

const command = (name: string) => [
  bundledNode(folder),
  '--import',
  join(folder, 'no_sandbox.mjs'),
  program,
  name,
]

const settings = ({ url }: BenchDatabase, poolMax: number) => ({
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  DB_CLIENT: 'pg',
  DB_CONNECTION_STRING: url,
  DB_SEARCH_PATH: 'array:directus,public',
  DB_POOL__MIN: '0',
  DB_POOL__MAX: String(poolMax),
  SECRET: 'a secret of the benchmark, and of nothing else',
  ADMIN_EMAIL: 'admin@example.org',
  ADMIN_PASSWORD: 'bench-password',
  ADMIN_TOKEN: token,
  EXTENSIONS_PATH: benchDir,
  STORAGE_LOCAL_ROOT: benchDir,
  SERVE_APP: 'false',
  // It would answer 503 while its event loop is busy, as it is under all load that is measured.
  PRESSURE_LIMITER_ENABLED: 'false',
  TELEMETRY: 'false',
  LOG_LEVEL: 'error',
})

/** Makes its tables, once for a database. */
async function bootstrap(database: BenchDatabase): Promise<void> {
  const isMade = await withSql(database.url, async sql => {
    await sql`create schema if not exists directus`
    const [row] = await sql`select to_regclass('directus.directus_settings') is not null as made`
    return row?.made as boolean
  })
  if (isMade) return
  const child = Bun.spawn(command('bootstrap'), {
    env: { PATH: process.env.PATH, ...settings(database, 4) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const errors = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`Directus: ${errors.trim().split('\n')[0]}`)
}

const filter = (column: string, operator: string, value: string) =>
  `&${encodeURIComponent(`filter[${column}][${operator}]`)}=${encodeURIComponent(value)}`

const fields = `fields=${leadFields.join()}`
const page = `/items/leads?${fields}&limit=50&sort=-created_at,-id${filter('archived_at', '_null', 'true')}`

const paths: Record<ReadKind, (value: string) => string> = {
  list: () => page,
  search: text => page + filter('search_text', '_contains', text),
  one: id => `/items/leads/${id}?${fields}`,
}

export const directus: ReadPeer = {
  name: 'Directus',
  reach: productReach,
  async start(database, poolMax) {
    // Nothing is built: what would have to be is not used, see no_sandbox.mjs.
    await install(folder, '@directus/api', ['--ignore-scripts'])
    await bootstrap(database)
    return await start({
      command: command('start'),
      path: '/server/ping',
      env: settings(database, poolMax),
      output: `directus_${poolMax}.log`,
      readyMs,
    })
  },
  request: (kind, value) => getRequest(paths[kind](value), token),
}
