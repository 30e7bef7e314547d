// Facts about processes of the operating system, and running short ones to their end.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** Whom to run as; an empty one is ourselves. Bun, Deno and Node drop supplementary groups too. */
export type Account = { uid?: number; gid?: number }

type RunOptions = { account?: Account; input?: string; limitMs?: number }

/** Nothing of our environment may steer PostgreSQL, so it gets only this. */
export const cleanEnv = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export function runProgram(
  command: string,
  args: string[],
  { account = {}, input = '', limitMs = 10_000 }: RunOptions = {},
) {
  const ran = new Promise<{ ok: boolean; output: string }>(resolve => {
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
  return ran.catch((error: Error) => ({ ok: false, output: error.message }))
}

/** Its parent, and the words that it was started with; undefined once it has ended, also when not yet reaped. */
export async function findProcess(pid: number) {
  if (process.platform !== 'linux') {
    const { ok, output } = await runProgram('ps', ['-o', 'ppid=,command=', '-p', `${pid}`])
    return ok ? { parent: Number.parseInt(output, 10), command: output } : undefined
  }
  const [command = '', status = ''] = await Promise.all(
    ['cmdline', 'status'].map(name => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
  )
  return command === ''
    ? undefined
    : { parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), command }
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
