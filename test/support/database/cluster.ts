// The files of an embedded server of a test, and its end without a word.
import { join } from 'node:path'
import { readPidFile } from '../../../src/embedded/pid_file.ts'
import type { EmbeddedPostgres } from '../../../src/embedded/postgres.ts'

export const clusterOf = (dataDir: string): string => join(dataDir, 'postgres/cluster')

/** As `pg_ctl stop -m immediate`: what is not on the disk is lost. */
export async function crash(server: EmbeddedPostgres, dataDir: string): Promise<void> {
  const { pid } = (await readPidFile(clusterOf(dataDir))) ?? {}
  if (pid === undefined) throw new Error('the server is not running')
  process.kill(pid, 'SIGQUIT')
  await server.lost
  await server.stop()
}
