// The peers: packages that are installed on first use, and never by the product's own install. Each is started in a process of
// its own, as its documentation recommends for production.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { progress } from '../src/cli/command.ts'
import { queries } from '../src/db/queries.ts'
import type { QueryFile } from '../src/db/query_file.ts'
import { Lead } from '../src/model/lead.ts'
import { type BenchDatabase, withSql } from './bench.ts'
import { getRequest, postRequest } from './load/load.ts'
import { type Running, start } from './processes.ts'

const folder = join(import.meta.dir, 'peers')

function install(): void {
  if (existsSync(join(folder, 'node_modules'))) return
  progress('Installing the peers.')
  const command = [process.execPath, 'install', '--frozen-lockfile']
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: folder })
  if (exitCode !== 0) throw new Error(`the peers cannot be installed: ${stderr}`)
}

/** A newer Node.js than the machine's may be needed, so the peers bring one. */
function nodeProgram(): string {
  const modules = join(folder, 'node_modules')
  const name = readdirSync(modules).find(one => /^node-(bin-)?(linux|darwin)-/.test(one))
  if (!name) throw new Error('the peers bring no Node.js for this machine')
  return join(modules, name, 'bin/node')
}

export async function startPeer(
  program: string,
  runtime: 'node' | 'bun',
  path: string,
  { url }: BenchDatabase,
  env: Record<string, string>,
): Promise<Running> {
  install()
  return await start({
    command: [runtime === 'node' ? nodeProgram() : process.execPath, join(folder, program)],
    path,
    env: { NODE_ENV: 'production', DATABASE_URL: url, ...env },
    output: `${program}.log`,
  })
}

export type ReadKind = 'list' | 'search' | 'one'

/** Asks for the page of 50, for those that contain a text, or for the lead of an id. */
type ReadPeer = {
  name: string
  start(database: BenchDatabase): Promise<Running>
  request(kind: ReadKind, value: string): string
}

const base = '/api/v1/leads'

export const restPaths: Record<ReadKind, (value: string) => string> = {
  list: () => `${base}?limit=50`,
  search: text => `${base}?limit=50&search=${encodeURIComponent(text)}`,
  one: id => `${base}/${id}`,
}

/** With the parameters' types written out, for clients that do not send them with the statement. */
const withTypes = ({ statement, parameters }: QueryFile) =>
  statement.replace(/\$(\d)/g, (name, number) => `${name}::${parameters[Number(number) - 1]?.type}`)

const restPeer = (name: string, program: string, runtime: 'node' | 'bun'): ReadPeer => ({
  name,
  start: database =>
    startPeer(program, runtime, restPaths.list(''), database, {
      POOL_MAX: '10',
      STATEMENTS: JSON.stringify({
        list: withTypes(queries.listLeads),
        one: withTypes(queries.getLead),
      }),
    }),
  request: (kind, value) => getRequest(restPaths[kind](value)),
})

// PostGraphile filters and orders by functions where a table's own arguments do not do.
const active = 'archived_at is null order by created_at desc, id desc'
const functions = {
  'active_leads()': `select * from leads where ${active}`,
  'find_leads(term text)': `select * from leads
    where search_text like '%' || search_form(term) || '%' and ${active}`,
}

const graphFields = Object.keys(Lead.properties)
  .map(name => (name === 'id' ? 'rowId' : name.replace(/_(.)/g, (_, one) => one.toUpperCase())))
  .join(' ')

const graphQueries: Record<ReadKind, string> = {
  list: `{activeLeads(first:50){nodes{${graphFields}}}}`,
  search: `query($value:String!){findLeads(term:$value,first:50){nodes{${graphFields}}}}`,
  one: `query($value:UUID!){leadByRowId(rowId:$value){${graphFields}}}`,
}

/** Its schema is the database's, its statements are its own. */
const postgraphile: ReadPeer = {
  name: 'PostGraphile',
  async start(database) {
    await withSql(database.url, async sql => {
      for (const [head, body] of Object.entries(functions))
        await sql.unsafe(
          `create or replace function ${head} returns setof leads language sql stable as $$${body}$$`,
        )
    })
    const path = '/graphql?query=%7B__typename%7D'
    const env = { GRAPHILE_ENV: 'production', POOL_MAX: '10' }
    return await startPeer('postgraphile.mjs', 'node', path, database, env)
  },
  request(kind, value) {
    const variables = kind === 'list' ? {} : { variables: { value } }
    return postRequest('/graphql', JSON.stringify({ query: graphQueries[kind], ...variables }))
  },
}

export const readPeers: ReadPeer[] = [
  restPeer('Fastify', 'fastify_pg.mjs', 'node'),
  restPeer('Hono', 'hono_postgres.ts', 'bun'),
  postgraphile,
]
