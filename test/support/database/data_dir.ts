// A data directory for an embedded server of a test. Others may enter it: in a closed one the server's
// files would go below /var/lib, when root runs the tests, and stay there.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const memoryMin = 4 * 1024 ** 3

/** Containers often mount it so that no program in it runs, and some of these directories hold programs. */
const runsPrograms = (): boolean => {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const options = mounts.findLast(line => line.split(' ')[1] === memory)?.split(' ')[3]
    return options !== undefined && !options.split(',').includes('noexec')
  } catch {
    return false
  }
}

let parent: string | undefined

/** In memory where there is room: a cluster is a thousand small files, and making one on a disk takes twice the work. */
export function scratchParent(): string {
  if (parent === undefined) {
    const hasMemory = existsSync(memory) && runsPrograms()
    const { bavail, bsize } = hasMemory ? statfsSync(memory) : { bavail: 0, bsize: 0 }
    parent = bavail * bsize >= memoryMin ? memory : tmpdir()
  }
  return parent
}

export function makeDataDir(purpose: string): string {
  const dir = mkdtempSync(join(scratchParent(), `workspace-data-api-${purpose}-`))
  chmodSync(dir, 0o755)
  return dir
}

export const removeDataDir = (dir: string): void => rmSync(dir, { recursive: true, force: true })
