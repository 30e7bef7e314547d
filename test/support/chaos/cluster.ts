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
  /** Ends the primary, in order or without a word; `start` brings it back. */
  end(how: 'fast' | 'immediate'): Promise<void>
  start(): Promise<void>
  /** A standby that every commit waits for. */
  attachStandby(): Promise<void>
  /** The primary crashes for good, and the standby takes its place. */
  failOver(onCrash: () => void): Promise<void>
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
  let standby: Node | undefined
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
    end: how => (how === 'fast' ? primary.server.stop() : crash(primary.server, primary.dataDir)),
    async start() {
      primary.server = await startEmbeddedPostgres({ dataDir: primary.dataDir })
      proxies[0]?.leadTo(primary.server.url)
    },
    async attachStandby() {
      const dataDir = makeDataDir('chaos')
      standby = { dataDir, server: await startStandby(primary.server, primary.dataDir, dataDir) }
      await waitForStandby(primary)
    },
    async failOver(onCrash) {
      const old = primary
      if (!standby) throw new Error('there is no standby')
      await crash(old.server, old.dataDir)
      onCrash()
      await onServer(standby, sql => sql`select pg_promote()`)
      primary = standby
      standby = undefined
      leadTo(primary.server.url)
      await remove(old)
    },
    async remove() {
      for (const proxy of proxies) proxy.close()
      for (const node of [primary, standby]) if (node) await remove(node)
    },
  }
}
