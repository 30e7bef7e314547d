// Starts the PostgreSQL server on a cluster and reports when it is ready.

import { type ChildProcess, spawn } from 'node:child_process'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { giveTo, type Home } from './home.ts'
import { clearPidFile, endServer, readPidFile } from './pid_file.ts'
import { cleanEnv, isTrueWithin } from './process.ts'

export type Server = {
  port: number
  /** Resolves when it ends, for whatever reason. */
  ended: Promise<void>
  /** The file it writes to. */
  log: string
  stop(): Promise<void>
}

/** Replaying its log after a kill can take this long on a slow disk; normal is a tenth of a second. */
const readyLimitMs = 180_000
const retryLimitMs = 60_000
const logBytesMax = 16 * 1024 * 1024

/** Another program took the port, or server processes from before a kill are still ending. */
const passing = /Address already in use|is still in use|lock file .* already exists/

export async function startServer(
  home: Home,
  binaries: Binaries,
  onProgress: (sentence: string) => void,
): Promise<Server> {
  const log = join(home.path, 'log')
  const lastTry = Date.now() + retryLimitMs
  for (;;) {
    await clearPidFile(home.cluster, onProgress)
    const port = await freePort()
    const logStart = await rotate(log)
    const child = await launch(home, binaries, port, log)
    const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
    const ready = await isTrueWithin(() => isOver(child) || isReady(child, home), readyLimitMs)
    if (ready && !isOver(child)) return { port, ended, log, stop: () => endChild(child) }
    await endChild(child)
    const said = (await readFile(log)).subarray(logStart).toString()
    if (Date.now() > lastTry || !passing.test(said)) throw notStarted(said, log)
    await pause(50)
  }
}

async function launch(home: Home, binaries: Binaries, port: number, log: string) {
  const output = await open(log, 'a', 0o600)
  try {
    await giveTo(log, home.account)
    const child = spawn(binaries.postgres, ['-D', home.cluster, ...settings(port)], {
      ...home.account,
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
const sharedBuffersMinMb = 128
const sharedBuffersMaxMb = 512

function sharedBuffersMb(): number {
  const quarter = (process.constrainedMemory?.() || totalmem()) / 4 / 2 ** 20
  return Math.floor(Math.min(sharedBuffersMaxMb, Math.max(sharedBuffersMinMb, quarter)))
}

function settings(port: number): string[] {
  const chosen = {
    port,
    listen_addresses: '127.0.0.1',
    // The path of a socket file may be at most 107 bytes long, so there is none.
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: `${sharedBuffersMb()}MB`,
    // Of a statement that failed, its text and the row it was about may hold a name or an income.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  }
  return Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function isReady(child: ChildProcess, home: Home): Promise<boolean> {
  const file = await readPidFile(home.cluster)
  return file?.pid === child.pid && file?.status === 'ready'
}

function isOver(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined) await endServer(child.pid, () => !isOver(child))
}

function notStarted(said: string, log: string): Error {
  const fatal = [...said.matchAll(/FATAL: +(.*)/g)].at(-1)?.[1]
  const reason = fatal ?? `not ready within ${readyLimitMs / 1000} s`
  return new Error(`PostgreSQL did not start (${reason}): see ${log}, or set DATABASE_URL.`)
}

/** Free now; when another program is faster, PostgreSQL ends and the next port is tried. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** Answers the byte where new lines will begin. */
async function rotate(log: string): Promise<number> {
  const bytes = (await stat(log).catch(() => undefined))?.size ?? 0
  if (bytes <= logBytesMax) return bytes
  await rename(log, `${log}.old`)
  return 0
}
