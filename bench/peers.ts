// The peers' packages: installed on first use, and never by the product's own install.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { progress } from '../src/cli/output.ts'

export const peersFolder = join(import.meta.dir, 'peers')

/** Once: `marker` is a package that is there afterwards. */
export async function install(folder: string, marker: string, more: string[] = []): Promise<void> {
  if (existsSync(join(folder, 'node_modules', marker))) return
  progress(`Installing ${marker} and what belongs to it.`)
  const child = Bun.spawn([process.execPath, 'install', '--frozen-lockfile', ...more], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const errors = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${marker} cannot be installed: ${errors.trim()}`)
}

export const installPeers = (): Promise<void> => install(peersFolder, 'pg-boss')

/** A newer Node.js than the machine's may be needed, so the peers bring one. */
export function bundledNode(folder: string): string {
  const modules = join(folder, 'node_modules')
  const name = readdirSync(modules).find(one => /^node-(bin-)?(linux|darwin)-/.test(one))
  if (!name) throw new Error('the peers bring no Node.js for this machine')
  return join(modules, name, 'bin/node')
}
