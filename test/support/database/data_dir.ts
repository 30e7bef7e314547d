// The data directory of an embedded server of a test, and its files, which are made once per run and copied. Others may enter it: in a closed one the server's
// files would go below /var/lib, when root runs the tests, and stay there.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddedPostgres } from '../../../src/embedded/postgres.ts'
import { readPidFile } from '../../../src/embedded/server.ts'

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
function scratchParent(): string {
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

export const clusterOf = (dataDir: string): string => join(dataDir, 'postgres/cluster')

const variable = 'TEST_CLUSTER'

/** `cp`, because it keeps owners and modes, which PostgreSQL insists on. */
function copy(from: string, to: string): void {
  const { exitCode, stderr } = Bun.spawnSync(['cp', '-a', from, to])
  if (exitCode !== 0) throw new Error(`${from} could not be copied: ${stderr}`)
}

/** Keeps the files of a server that has stopped; this process and those it starts copy them. */
export function keepMadeCluster(dataDir: string): void {
  const kept = join(dataDir, 'made')
  copy(join(dataDir, 'postgres'), kept)
  process.env[variable] = kept
}

/**
 * Puts a cluster with a migrated database into a new data directory, where the first start is not what is tested: that
 * takes a tenth of making one. On a server that was given there is none, and the start makes it.
 */
export function useMadeCluster(dataDir: string): void {
  const kept = process.env[variable]
  if (kept !== undefined) copy(kept, join(dataDir, 'postgres'))
}

/** As `pg_ctl stop -m immediate`: what is not on the disk is lost. */
export async function crash(server: EmbeddedPostgres, dataDir: string): Promise<void> {
  const { pid } = (await readPidFile(clusterOf(dataDir))) ?? {}
  if (pid === undefined) throw new Error('the server is not running')
  process.kill(pid, 'SIGQUIT')
  await server.lost
  await server.stop()
}
