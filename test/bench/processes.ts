// Starts what is measured, each in a process of its own, and waits until it answers.
import { openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { until } from '../support/until.ts'
import type { BenchDatabase } from './databases.ts'

export const root = join(import.meta.dir, '../..')
export const benchDir = join(root, '.data/bench')

export type Running = { port: number; pid: number; stop(): Promise<void> }

type Start = { command: string[]; path: string; env: Record<string, string>; output: string }

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

// What /proc counts in.
const ticksPerSecond = 100

/** Seconds of a core that a process has used so far, with all its threads; NaN where there is no /proc. */
export function cpuSecondsOf(pid: number): number {
  try {
    // Behind the name, which may hold anything: state, then 10 numbers, then user and system.
    const [, after = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const [user, system] = after.split(' ').slice(11, 13).map(Number)
    return ((user ?? Number.NaN) + (system ?? Number.NaN)) / ticksPerSecond
  } catch {
    return Number.NaN
  }
}

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

/** Starts a command that listens on PORT; resolves when `path` answers 200. */
export async function start({ command, path, env, output }: Start): Promise<Running> {
  const port = await freePort()
  const file = openSync(join(benchDir, output), 'w')
  const child = Bun.spawn(command, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), ...env },
    stdio: ['ignore', file, file],
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
  }
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended: see ${output}`)
      return await answers(`http://127.0.0.1:${port}${path}`)
    }, 10_000)
  } catch (error) {
    await stop()
    throw error
  }
  return { port, pid: child.pid, stop }
}

/** The service as a user starts it: every setting at its default, its log in a file. */
export const startService = (
  { url }: BenchDatabase,
  env: Record<string, string> = {},
  command = [process.execPath, 'src/main.ts'],
): Promise<Running> =>
  start({
    command,
    path: '/readyz',
    env: { DATABASE_URL: url, ...env },
    output: 'service.log',
  })

export const startBare = (bodyBytes: number): Promise<Running> =>
  start({
    command: [process.execPath, 'test/bench/load/bare.ts', String(bodyBytes)],
    path: '/',
    env: {},
    output: 'bare.log',
  })
