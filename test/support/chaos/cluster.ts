// PostgreSQL that ends, crashes and is replaced by its standby, behind an address that stays: two hosts, of which at
// most one takes writes.

import { migrateDatabase } from '../../../src/api/start.ts'
import type { Sql } from '../../../src/db/connect.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/embedded/postgres.ts'
import { crash, useMadeCluster } from '../database/cluster.ts'
import { makeDataDir, removeDataDir } from '../database/data_dir.ts'
import { administer } from '../database/server.ts'
import { startStandby } from '../database/standby.ts'
import { openTcpProxy, type TcpProxy } from '../database/tcp_proxy.ts'
import { until } from '../until.ts'

export type Cluster = {
  /** Both hosts. */
  url: string
  /** Runs `work` on the primary. */
  onPrimary<Value>(work: (sql: Sql) => Promise<Value>): Promise<Value>
  /** Ends the primary, in order or without a word, and starts it again; returns when it had ended (Unix milliseconds). */
  restart(how: 'fast' | 'immediate'): Promise<number>
  /** The primary crashes for good, and a standby that every commit waited for takes its place; returns when it crashed. */
  failOver(): Promise<number>
  remove(): Promise<void>
}

type Node = { dataDir: string; server: EmbeddedPostgres }

async function startPrimary(): Promise<Node> {
  const dataDir = makeDataDir('chaos')
  useMadeCluster(dataDir)
  const server = await startEmbeddedPostgres({ dataDir })
  await migrateDatabase(server.url)
  return { dataDir, server }
}

async function onServer<Value>({ server }: Node, work: (sql: Sql) => Promise<Value>) {
  const sql = administer(server.url)
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** From here on a commit is on both. */
const waitForStandby = (primary: Node) =>
  onServer(primary, async sql => {
    /** Resolves when the standby, in that state, has what is written now. */
    const reached = async (state: 'async' | 'sync') => {
      const [now] = await sql`select pg_current_wal_lsn()::text as lsn`
      await until(async () => {
        const [row] = await sql`
          select from pg_stat_replication
          where state = 'streaming' and sync_state = ${state} and flush_lsn >= ${now?.lsn}::text::pg_lsn`
        return row
      }, 20_000)
    }
    // Else all commits would wait until it has come so far.
    await reached('async')
    await sql`alter system set synchronous_standby_names = '*'`
    await sql`select pg_reload_conf()`
    await reached('sync')
    // What was committed while no client waited for it.
    await reached('sync')
  })

const remove = async ({ server, dataDir }: Node) => {
  await server.stop()
  removeDataDir(dataDir)
}

export async function startCluster(): Promise<Cluster> {
  let primary = await startPrimary()
  const nodes = [primary]
  const nowhere = new URL(primary.server.url)
  nowhere.port = '1'
  // The first leads to the primary; they take turns.
  const proxies: TcpProxy[] = [
    await openTcpProxy(primary.server.url),
    await openTcpProxy(nowhere.href),
  ]
  const [first = '', second = ''] = proxies.map(({ url }) => url)

  function leadTo(url: string) {
    const [current, other] = proxies.splice(0) as [TcpProxy, TcpProxy]
    current.leadTo(nowhere.href)
    other.leadTo(url)
    proxies.push(other, current)
  }

  return {
    url: first.replace('@', `@127.0.0.1:${new URL(second).port},`),
    onPrimary: work => onServer(primary, work),
    async restart(how) {
      if (how === 'fast') await primary.server.stop()
      else await crash(primary.server, primary.dataDir)
      const endedAt = Date.now()
      primary.server = await startEmbeddedPostgres({ dataDir: primary.dataDir })
      proxies[0]?.leadTo(primary.server.url)
      return endedAt
    },
    async failOver() {
      const old = primary
      const dataDir = makeDataDir('chaos')
      const standby = { dataDir, server: await startStandby(old.server, old.dataDir, dataDir) }
      nodes.push(standby)
      await waitForStandby(old)
      await crash(old.server, old.dataDir)
      const crashedAt = Date.now()
      await onServer(standby, sql => sql`select pg_promote()`)
      primary = standby
      leadTo(primary.server.url)
      nodes.splice(nodes.indexOf(old), 1)
      await remove(old)
      return crashedAt
    },
    async remove() {
      for (const proxy of proxies) proxy.close()
      for (const node of nodes) await remove(node)
    },
  }
}
