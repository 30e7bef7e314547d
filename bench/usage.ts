// What processes use of the machine, read from /proc; NaN where there is none.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Sql } from '../src/db/connect.ts'

// What /proc counts in.
const ticksPerSecond = 100

const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0)

type Stat = { parent: number; seconds: number; reapedSeconds: number }

/** With all threads of the process; `reaped` is what its children used that have ended. */
function statOf(pid: number | string): Stat {
  try {
    // Behind the name, which may hold anything: state, parent, 9 numbers, user and system, both again of children.
    const [, after = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const numbers = after.split(' ').map(Number)
    const seconds = (first: number) => sum(numbers.slice(first, first + 2)) / ticksPerSecond
    return { parent: numbers[1] ?? Number.NaN, seconds: seconds(11), reapedSeconds: seconds(13) }
  } catch {
    return { parent: Number.NaN, seconds: Number.NaN, reapedSeconds: Number.NaN }
  }
}

/** Seconds of a core that processes have used so far. */
export const cpuSecondsOf = (pids: readonly number[]): number =>
  sum(pids.map(pid => statOf(pid).seconds))

/** Seconds of a core that all processes of the server behind `sql` have used so far, ended ones too. */
export async function postgresCpuSeconds(sql: Sql): Promise<number> {
  const [row] = await sql`select pg_backend_pid() as pid`
  const { parent } = statOf(row?.pid)
  const { seconds, reapedSeconds } = statOf(parent)
  if (Number.isNaN(seconds)) return Number.NaN
  const children = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(statOf)
    .filter(one => one.parent === parent)
  return seconds + reapedSeconds + sum(children.map(one => one.seconds))
}

/** One line of /proc/PID/status, in bytes. */
function statusOf(pid: number, line: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${line}:\\s*(\\d+)`).exec(status)?.[1]) * 1024
}

const hasProc = existsSync('/proc/self/status')

const residentOf = async (pid: number) =>
  hasProc ? statusOf(pid, 'VmRSS') : Number(await Bun.$`ps -o rss= -p ${pid}`.text()) * 1024

/** Bytes of memory that processes hold (RSS). */
export const memoryOf = async (pids: readonly number[]): Promise<number> =>
  sum(await Promise.all(pids.map(residentOf)))

/** Bytes that they have held at most, each by itself; NaN where there is no /proc. */
export const memoryPeakOf = (pids: readonly number[]): number =>
  hasProc ? sum(pids.map(pid => statusOf(pid, 'VmHWM'))) : Number.NaN
