// Writes events at a steady rate, one transaction each, over several connections, in a process of its own. Each carries the
// moment it was made, which is before its commit. Writes on stdout how it went, and when each commit was confirmed.
import { connect } from '../../src/db/connect.ts'
import { emitStatement } from '../subscriptions.ts'
import { openClock } from './clock.ts'

export type WriterPlan = { url: string; perSecond: number; total: number; connections: number }

export type Written = {
  seconds: number
  /** Of each event its `t`, and when its writer learned that it was committed; Unix milliseconds. */
  commits: [t: number, committedAt: number][]
}

if (import.meta.main) {
  const { url, perSecond, total, connections } = JSON.parse(process.argv[2] ?? '') as WriterPlan
  const options = { url, connectionsMax: 1, applicationName: 'bench writer', statementTimeoutMs: 0 }
  const pools = Array.from({ length: connections }, () => connect(options))
  await Promise.all(pools.map(sql => sql`select 1`))

  const now = openClock()
  const commits: Written['commits'] = []
  const from = performance.now()
  let started = 0

  const write = async (sql: (typeof pools)[number]) => {
    while (started < total) {
      const dueAt = from + (started * 1_000) / perSecond
      started += 1
      const early = dueAt - performance.now()
      if (early > 0) await Bun.sleep(early)
      const t = now()
      await sql.unsafe(emitStatement, [t], { prepare: true })
      commits.push([t, now()])
    }
  }

  await Promise.all(pools.map(write))
  const written: Written = { seconds: (performance.now() - from) / 1_000, commits }
  await Promise.all(pools.map(sql => sql.end()))
  await Bun.write(Bun.stdout, JSON.stringify(written))
}
