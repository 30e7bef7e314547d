// One running process per directory. The lock is a folder holding one entry that names its owner;
// an entry whose owner is gone counts for nothing, so a kill needs no cleaning up.

import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startTimeOf } from './process.ts'

export type Lock = { release(): Promise<void> }

/** Owners in another container's process namespace are not seen; PostgreSQL has the same limit. */
export async function acquireLock(dir: string): Promise<Lock> {
  const folder = join(dir, 'lock')
  const entry = `${process.pid}-${await startTimeOf(process.pid)}`
  const prepared = join(dir, `lock-${entry}-${crypto.randomUUID()}`)
  await mkdir(prepared)
  try {
    await writeFile(join(prepared, entry), '')
    while (!(await moveInto(folder, prepared))) await removeEnded(folder, dir)
  } finally {
    await rm(prepared, { recursive: true, force: true })
  }
  return { release: () => rm(join(folder, entry), { force: true }) }
}

/** Replaces an empty or missing folder in one step; the system refuses when it has an entry. */
async function moveInto(folder: string, prepared: string): Promise<boolean> {
  try {
    await rename(prepared, folder)
    return true
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
}

/** Removes by the owner's name, so a slow rival can never remove a newer owner's entry. */
async function removeEnded(folder: string, dir: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    const [pid = '', start] = entry.split('-')
    if ((await startTimeOf(Number(pid))) === start) {
      throw new Error(
        `${dir} is in use by process ${pid}: stop that process first, choose another directory, or set DATABASE_URL.`,
      )
    }
    await rm(join(folder, entry), { force: true })
  }
}
