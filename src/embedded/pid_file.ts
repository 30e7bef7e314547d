// PostgreSQL's own postmaster.pid: reads it, ends the server it names, and sets a stale one right.

import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandLineOf, isTrueWithin } from './process.ts'

type PidFile = { text: string; pid: number; directory: string; status: string }

/** Fast, then immediate, then the one that cannot be refused; with the time each one gets. */
const stopSteps = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 5_000],
] as const

export async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const lines = text.split('\n')
  return {
    text,
    pid: Number(lines[0]),
    directory: lines[1] ?? '',
    status: lines[7]?.trim() ?? '',
  }
}

/** Only for the holder of the lock: a server found here belongs to a process that was killed. */
export async function clearPidFile(
  cluster: string,
  onProgress: (sentence: string) => void,
): Promise<void> {
  const file = await readPidFile(cluster)
  if (file && (await isServer(file))) {
    onProgress(`Stopping the PostgreSQL server that a killed process left (process ${file.pid}).`)
    await endServer(file.pid, () => isServer(file))
  }
  await disownPidFile(cluster)
}

export async function endServer(
  pid: number,
  isRunning: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const [signal, limitMs] of stopSteps) {
    if (!(await isRunning())) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
    if (await isTrueWithin(async () => !(await isRunning()), limitMs)) return
  }
  throw new Error(`PostgreSQL (process ${pid}) does not stop: end it by hand.`)
}

/** The number alone may have passed to another process; that one was not started on these files. */
async function isServer(file: PidFile): Promise<boolean> {
  return file.directory !== '' && (await commandLineOf(file.pid)).includes(file.directory)
}

/**
 * PostgreSQL would not start while any process has the number in a stale file. With the number of
 * its parent, ours, it takes the file for stale, and still checks that no old backend is left,
 * which it could not if the file were removed.
 */
async function disownPidFile(cluster: string): Promise<void> {
  const file = await readPidFile(cluster)
  if (!file) return
  const path = join(cluster, 'postmaster.pid')
  if (file.pid > 0) await writeFile(path, file.text.replace(/^\d+/, `${process.pid}`))
  else await rm(path)
}
