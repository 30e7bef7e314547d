// Starts and ends the PostgreSQL server of a cluster. PostgreSQL lets one run at a time; one whose process was killed is ended.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCodeOf } from '../lib/error_code.ts'
import { giveTo, type Home, type Progress } from './home.ts'
import { cleanEnv, findProcess, isTrueWithin } from './process.ts'

/** Replaying its log after a kill can take this long on a slow disk; normal is a tenth of a second. */
const readyLimitMs = 180_000
const retryLimitMs = 60_000
/** Another program took the port, or server processes from before a kill are still ending. */
const passing = /Address already in use|is still in use|lock file .* already exists/

/** PostgreSQL's own postmaster.pid. */
export async function readPidFile(cluster: string) {
  const path = join(cluster, 'postmaster.pid')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const [pid, directory = '', , , , , , status = ''] = text.split('\n')
  return { path, text, pid: Number(pid), directory, status: status.trim() }
}

/** The number alone may have passed to another process; that one was not started on these files. */
async function findServer(cluster: string) {
  const file = await readPidFile(cluster)
  const found = file?.directory ? await findProcess(file.pid) : undefined
  return file && found?.command.includes(file.directory) ? { ...found, pid: file.pid } : undefined
}

/** Fast, then immediate, then the one that cannot be refused; with the time that each one gets. */
const stopSteps = { SIGINT: 20_000, SIGQUIT: 10_000, SIGKILL: 5_000 }

async function endServer(pid: number, isRunning: () => boolean | Promise<boolean>): Promise<void> {
  for (const [signal, limitMs] of Object.entries(stopSteps)) {
    if (!(await isRunning())) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (errorCodeOf(error) !== 'ESRCH') throw error
    }
    if (await isTrueWithin(async () => !(await isRunning()), limitMs)) return
  }
  throw new Error(`PostgreSQL (process ${pid}) does not stop: end it by hand.`)
}

/** Throws when the process that started the server of this cluster is still there. */
async function endOrphan(cluster: string, dataDir: string, onProgress: Progress): Promise<void> {
  const found = await findServer(cluster)
  const owner = Number(/cluster_name=owner-(\d+)/.exec(found?.command ?? '')?.[1])
  // The process that started it is its parent for as long as it lives.
  if (found?.parent === owner)
    throw new Error(
      `${dataDir} is in use by process ${owner}: stop that process first, choose another directory, or set DATABASE_URL.`,
    )
  if (found) {
    onProgress(`Stopping the PostgreSQL server that a killed process left (process ${found.pid}).`)
    await endServer(found.pid, async () => (await findServer(cluster))?.pid === found.pid)
  }
  const left = await readPidFile(cluster)
  // PostgreSQL would not start while any process has the number in a stale file. With the number of its parent, ours, it takes
  // the file for stale, and still checks that no old backend is left, which it could not if the file were removed.
  if (left?.pid) await writeFile(left.path, left.text.replace(/^\d+/, `${process.pid}`))
}

export async function startServer(home: Home, bin: string, dataDir: string, onProgress: Progress) {
  const log = join(home.path, 'log')
  const lastTry = Date.now() + retryLimitMs
  for (;;) {
    await endOrphan(home.cluster, dataDir, onProgress)
    await rename(log, `${log}.old`).catch(() => {})
    const port = await freePort()
    const child = await launch(home, join(bin, 'postgres'), port, log)
    const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
    const isOver = () =>
      child.pid === undefined || child.exitCode !== null || child.signalCode !== null
    const stop = () => endServer(child.pid ?? 0, () => !isOver())
    const ready = await isTrueWithin(() => isOver() || isReady(child, home), readyLimitMs)
    if (ready && !isOver()) return { port, ended, log, stop }
    await stop()
    const written = await readFile(log, 'utf8')
    if (Date.now() > lastTry || !passing.test(written)) throw notStarted(written, log)
    await pause(50)
  }
}

async function launch({ cluster, account }: Home, program: string, port: number, log: string) {
  const output = await open(log, 'w', 0o600)
  try {
    await giveTo(log, account)
    const child = spawn(program, ['-D', cluster, ...settings(port)], {
      ...account,
      cwd: '/',
      env: cleanEnv,
      stdio: ['ignore', output.fd, output.fd],
      // Ctrl-C in the terminal must not reach it; the process that started it stops it in its own order.
      detached: true,
    })
    child.on('error', () => {})
    child.unref()
    return child
  } finally {
    await output.close()
  }
}

// A quarter of the memory, as PostgreSQL advises, within bounds. What the databases do not fill takes none.
const quarterMb = Math.floor((process.constrainedMemory?.() || totalmem()) / 4 / 2 ** 20)

const settings = (port: number): string[] =>
  Object.entries({
    port,
    listen_addresses: '127.0.0.1',
    // The path of a socket file may be at most 107 bytes long, so there is none.
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: `${Math.min(512, Math.max(128, quarterMb))}MB`,
    // Of a statement that failed, its text and the row it was about may hold a name or an income.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    cluster_name: `owner-${process.pid}`,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])

async function isReady(child: ChildProcess, { cluster }: Home): Promise<boolean> {
  const file = await readPidFile(cluster)
  return file?.pid === child.pid && file?.status === 'ready'
}

function notStarted(written: string, log: string): Error {
  const fatal = [...written.matchAll(/FATAL: +(.*)/g)].at(-1)?.[1]
  const reason = fatal ?? `not ready within ${readyLimitMs / 1000} s`
  return new Error(`PostgreSQL did not start (${reason}): see ${log}, or set DATABASE_URL.`)
}

/** Free now; when another program is faster, PostgreSQL ends and the next port is tried. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}
