// The peers: their package is installed on first use, and never by the product's own install.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { progress } from '../../src/commands/output.ts'
import { queries } from '../../src/db/queries.ts'
import type { BenchDatabase } from './databases.ts'
import { withTypes } from './pgbench.ts'
import { type Running, start } from './processes.ts'

const folder = join(import.meta.dir, 'peers')

async function install(): Promise<void> {
  if (existsSync(join(folder, 'node_modules'))) return
  progress('Installing the peers.')
  const child = Bun.spawn([process.execPath, 'install', '--frozen-lockfile'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const errors = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`the peers cannot be installed: ${errors.trim()}`)
}

/** Throws when there is no Node.js: the peer runs where its users run it. */
export async function startFastify({ url }: BenchDatabase, poolMax: number): Promise<Running> {
  const node = Bun.which('node')
  if (!node) throw new Error('there is no Node.js for Fastify')
  await install()
  const { file } = queries.listLeads
  return await start({
    command: [node, join(folder, 'fastify_pg.mjs')],
    path: '/api/v1/leads?limit=1',
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: url,
      POOL_MAX: String(poolMax),
      STATEMENT: withTypes(file.statement, file, () => '$n'),
    },
    output: `fastify_${poolMax}.log`,
  })
}
