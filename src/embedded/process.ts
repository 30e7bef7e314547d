// Facts about operating system processes, and running short ones to their end.

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** Whom to run as; an empty one is ourselves. Bun, Deno and Node drop supplementary groups too. */
export type Account = { uid?: number; gid?: number }

export type ExitResult = { ok: boolean; output: string }

type RunOptions = { account?: Account; input?: string; limitMs?: number }

/** Nothing of our environment may steer PostgreSQL, so it gets only this. */
export const cleanEnv = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export function runProgram(
  command: string,
  args: string[],
  options: RunOptions = {},
): Promise<ExitResult> {
  const { account = {}, input = '', limitMs = 10_000 } = options
  const started = new Promise<ExitResult>(resolve => {
    const child = execFile(
      command,
      args,
      // Our own working directory may be closed to that account.
      { ...account, cwd: '/', env: cleanEnv, timeout: limitMs, killSignal: 'SIGKILL' },
      (error, out, err) =>
        resolve({ ok: !error, output: `${out}${err}`.trim() || (error?.message ?? '') }),
    )
    child.stdin?.on('error', () => {}).end(input)
  })
  // Deno throws for a program that may not be run, where Bun reports it to the callback.
  return started.catch((error: Error) => ({ ok: false, output: error.message }))
}

/** When a running process began, in a unit of its own system; undefined when it has ended. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
    // The name in parentheses may hold spaces; the state comes after it, the start 19 later.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields?.[0] === 'Z' ? undefined : fields?.[19]
  }
  const { ok, output } = await runProgram('ps', ['-o', 'state=,lstart=', '-p', `${pid}`])
  return ok && !output.startsWith('Z') ? `${Date.parse(output.replace(/^\S+/, ''))}` : undefined
}

/** The words a process was started with; empty once it has ended, also when not yet reaped. */
export async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  }
  return (await runProgram('ps', ['-o', 'command=', '-p', `${pid}`])).output
}

export async function isTrueWithin(
  condition: () => boolean | Promise<boolean>,
  limitMs: number,
): Promise<boolean> {
  const deadline = Date.now() + limitMs
  while (!(await condition())) {
    if (Date.now() > deadline) return false
    await pause(10)
  }
  return true
}
