// A primary and its streaming standby, each an embedded server with a directory of its own.
import {
  appendFileSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import {
  clusterOf,
  makeDataDir,
  removeDataDir,
  useMadeCluster,
} from '../support/database/data_dir.ts'
import { oneConnection } from '../support/database/database.ts'
import { until } from '../support/until.ts'

const leftOut = /^(postmaster\.(pid|opts)|pg_wal\/.+)$/

/** Files that go meanwhile are not missed: the log that is replayed says so, too. */
async function copyFiles(from: string, to: string, triesLeft = 5): Promise<void> {
  const filter = (path: string) => !leftOut.test(path.slice(from.length + 1))
  await cp(from, to, { recursive: true, filter }).catch(error => {
    if (error.code !== 'ENOENT' || triesLeft === 0) throw error
    return copyFiles(from, to, triesLeft - 1)
  })
}

/** The files of a running server as pg_backup_stop wants them kept. */
async function copyCluster(primary: EmbeddedPostgres, from: string, to: string) {
  const sql = oneConnection(primary.url)
  await sql`select pg_backup_start('standby', true)`
  mkdirSync(join(to, 'postgres'))
  const { uid, gid } = statSync(clusterOf(from))
  await copyFiles(clusterOf(from), clusterOf(to))
  copyFileSync(join(from, 'postgres/password'), join(to, 'postgres/password'))
  const [stopped] = await sql`select labelfile from pg_backup_stop()`
  await sql.end()
  writeFileSync(join(clusterOf(to), 'backup_label'), stopped?.labelfile)
  writeFileSync(join(clusterOf(to), 'standby.signal'), '')
  const { username, password, port } = new URL(primary.url)
  appendFileSync(
    join(clusterOf(to), 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${password}'\n`,
  )
  for (const name of readdirSync(join(to, 'postgres'), { recursive: true, encoding: 'utf8' }))
    chownSync(join(to, 'postgres', name), uid, gid)
}

export async function startPair(prepare: (url: string) => Promise<unknown>) {
  const dirs = [makeDataDir('primary'), makeDataDir('standby')] as const
  useMadeCluster(dirs[0])
  const primary = await startEmbeddedPostgres({ dataDir: dirs[0] })
  await prepare(primary.url)
  await copyCluster(primary, ...dirs)
  const standby = await startEmbeddedPostgres({ dataDir: dirs[1] })
  return {
    primary,
    standby,
    /** Resolves when the standby shows all that is committed now. */
    async caughtUp() {
      const [here, there] = [oneConnection(primary.url), oneConnection(standby.url)]
      const [now] = await here`select pg_current_wal_lsn()::text as lsn`
      await until(async () => {
        const [row] =
          await there`select pg_last_wal_replay_lsn() >= ${now?.lsn}::text::pg_lsn as there`
        return row?.there === true
      })
      await Promise.all([here.end(), there.end()])
    },
    async remove() {
      await Promise.all([primary.stop(), standby.stop()])
      for (const dir of dirs) removeDataDir(dir)
    },
  }
}

export type StandbyPair = Awaited<ReturnType<typeof startPair>>
