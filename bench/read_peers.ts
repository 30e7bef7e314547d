// The peers that read: how each is started, and how each is asked for the same rows.
import { join } from 'node:path'
import { queries } from '../src/db/queries.ts'
import type { BenchDatabase } from './databases.ts'
import { directus } from './directus.ts'
import { getRequest } from './load/plan.ts'
import { installPeers, peersFolder } from './peers.ts'
import { withTypes } from './pgbench.ts'
import { postgraphile } from './postgraphile.ts'
import { start } from './processes.ts'
import type { ReadKind, ReadPeer } from './read_peer.ts'

const { listLeads, getLead } = queries

/** The service's own statements, for peers that are given statements. */
const statements = () =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries({
        list: listLeads,
        one: getLead,
      }).map(([name, file]) => [name, withTypes(file.statement, file, () => '$n')]),
    ),
  )

const base = '/api/v1/leads'

export const restPaths: Record<ReadKind, (value: string) => string> = {
  list: () => `${base}?limit=50`,
  search: text => `${base}?limit=50&search=${encodeURIComponent(text)}`,
  one: id => `${base}/${id}`,
}

const restRequest = (kind: ReadKind, value: string) => getRequest(restPaths[kind](value))

const settings = ({ url }: BenchDatabase, poolMax: number) => ({
  NODE_ENV: 'production',
  DATABASE_URL: url,
  POOL_MAX: String(poolMax),
  STATEMENTS: statements(),
})

export const fastify: ReadPeer = {
  name: 'Fastify',
  // Where its users run it, on the machine's own Node.js.
  async start(database, poolMax) {
    const node = Bun.which('node')
    if (!node) throw new Error('there is no Node.js for Fastify')
    await installPeers()
    return await start({
      command: [node, join(peersFolder, 'fastify_pg.mjs')],
      path: restPaths.list(''),
      env: settings(database, poolMax),
      output: `fastify_${poolMax}.log`,
    })
  },
  request: restRequest,
}

const hono: ReadPeer = {
  name: 'Hono',
  async start(database, poolMax) {
    await installPeers()
    return await start({
      command: [process.execPath, join(peersFolder, 'hono_postgres.ts')],
      path: restPaths.list(''),
      env: settings(database, poolMax),
      output: `hono_${poolMax}.log`,
    })
  },
  request: restRequest,
}

export const readPeers: ReadPeer[] = [fastify, hono, postgraphile, directus]
