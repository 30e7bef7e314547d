// Writes events at a steady rate, one transaction each, over several connections, in a process of its own.
// Each carries the moment it was made, which is before its commit. Says on stdout how it went, and when each commit
// was confirmed.
import { connect } from '../../src/db/connect.ts'
import { openClock } from '../clock.ts'
import { emitStatement } from '../subscriptions.ts'

export type WriterPlan = {
  url: string
  perSecond: number
  total: number
  connections: number
  eventTypes: string[]
}

export type Written = {
  seconds: number
  /** Milliseconds behind the plan, the worst. */
  lateMs: number
  /** Of each event its `t`, and when its writer heard that it was committed; Unix milliseconds. */
  commits: [t: number, committedAt: number][]
}

const plan = JSON.parse(process.argv[2] ?? '') as WriterPlan
const { url, perSecond, total, connections, eventTypes } = plan
const pools = Array.from({ length: connections }, () =>
  connect({ url, connectionsMax: 1, applicationName: 'bench writer', statementTimeoutMs: 0 }),
)
await Promise.all(pools.map(sql => sql`select 1`))

const now = openClock()
const commits: Written['commits'] = []
const from = performance.now()
let started = 0
let lateMs = 0

async function write(sql: (typeof pools)[number]) {
  while (started < total) {
    const number = started
    started += 1
    const dueAt = from + (number * 1_000) / perSecond
    const early = dueAt - performance.now()
    if (early > 0) await Bun.sleep(early)
    lateMs = Math.max(lateMs, performance.now() - dueAt)
    const eventType = eventTypes[number % eventTypes.length] ?? ''
    const t = now()
    await sql.unsafe(emitStatement(eventType), [t], { prepare: true })
    commits.push([t, now()])
  }
}

await Promise.all(pools.map(write))
const written: Written = { seconds: (performance.now() - from) / 1_000, lateMs, commits }
await Promise.all(pools.map(sql => sql.end()))
process.stdout.write(JSON.stringify(written))
