// The files of an embedded server of a test: made once per run and copied, and its end without a word.
import { join } from 'node:path'
import type { EmbeddedPostgres } from '../../../src/embedded/postgres.ts'
import { readPidFile } from '../../../src/embedded/server.ts'

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
