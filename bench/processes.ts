// Starts what is measured, each in a process of its own, and waits until it answers; and what processes use of the machine.
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../src/db/connect.ts'
import { until } from '../test/support/until.ts'
import type { BenchDatabase } from './bench.ts'

const root = join(import.meta.dir, '..')
export const benchDir = join(root, '.data/bench')

export type Running = { port: number; pid: number; stop(): Promise<void> }

// As long as the service itself may take.
const stopMaxMs = 15_000
const readyMs = 30_000

export async function freePort(): Promise<number> {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port = 0 } = server
  await server.stop(true)
  return port
}

type Start = { command: string[]; path: string; env: Record<string, string>; output: string }

/** Starts a command that listens on PORT; resolves when `path` answers 200. */
export async function start({ command, path, env, output }: Start): Promise<Running> {
  const port = await freePort()
  const file = openSync(join(benchDir, output), 'w')
  const child = Bun.spawn(command, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), ...env },
    stdio: ['ignore', file, file],
  })
  closeSync(file)
  const stop = async () => {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), stopMaxMs)
    await child.exited
    clearTimeout(late)
  }
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended: see ${output}`)
    return (await fetch(`http://127.0.0.1:${port}${path}`)).ok
  }, readyMs).catch(async error => {
    await stop()
    throw error
  })
  return { port, pid: child.pid, stop }
}

const { start: startScript } = (await Bun.file(join(root, 'package.json')).json()).scripts

/** What the script `start` puts into the environment: how far the heap may grow. */
export const startEnv: Record<string, string> = Object.fromEntries(
  [...startScript.matchAll(/(?<= )(\w+)=(\w+)(?= )/g)].map(([, name, value]) => [name, value]),
)

/** The service as a user starts it, its log in a file. The greatest load is more than keys may ask for. */
export const startServiceProcess = (
  { url }: BenchDatabase,
  env: Record<string, string> = {},
  command = [process.execPath, 'src/main.ts'],
): Promise<Running> =>
  start({
    command,
    path: '/readyz',
    env: { ...startEnv, DATABASE_URL: url, RATE_LIMIT_PER_MINUTE: '1000000', ...env },
    output: 'service.log',
  })

// What /proc counts in.
const ticksPerSecond = 100

type Stat = { parent: number; seconds: number; reapedSeconds: number }

/** With all threads of the process; `reaped` is what its children used that have ended. NaN where there is no /proc. */
function statOf(pid: number | string): Stat {
  try {
    // Behind the name, which may hold anything: state, parent, 9 numbers, user and system, both again of children.
    const [, after = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const numbers = after.split(' ').map(Number)
    const seconds = (first: number) =>
      ((numbers[first] ?? 0) + (numbers[first + 1] ?? 0)) / ticksPerSecond
    return { parent: numbers[1] ?? Number.NaN, seconds: seconds(11), reapedSeconds: seconds(13) }
  } catch {
    return { parent: Number.NaN, seconds: Number.NaN, reapedSeconds: Number.NaN }
  }
}

/** Seconds of a core that a process has used so far. */
export const cpuSecondsOf = (pid: number): number => statOf(pid).seconds

/** Seconds of a core that all processes of the server behind `sql` have used so far, ended ones too. */
export async function postgresCpuSeconds(sql: Sql): Promise<number> {
  const [row] = await sql`select pg_backend_pid() as pid`
  const { parent } = statOf(row?.pid)
  const { seconds, reapedSeconds } = statOf(parent)
  const children = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(statOf)
    .filter(one => one.parent === parent)
  return children.reduce((sum, one) => sum + one.seconds, seconds + reapedSeconds)
}

/** Bytes of memory that a process holds (RSS), or has held at most. */
export function memoryOf(pid: number, line: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${line}:\\s*(\\d+)`).exec(status)?.[1]) * 1024
}
