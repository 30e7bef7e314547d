// What was committed against what was read and received.
import type { Sql } from '../../../src/db/connect.ts'
import type { Hook } from '../delivery/delivery.ts'
import type { DisturbanceKind } from './disturbances.ts'
import { countDoubled } from './doubled.ts'
import type { ChaosReader } from './reader.ts'
import type { Receipts } from './receipts.ts'
import type { Writers } from './writers.ts'

export type Recovery = { kind: DisturbanceKind; at: number; harmedAt: number; recoveryMs: number }

export type Verdict = {
  /** Leads that were committed, each of which is one event. */
  events: number
  /** Commits whose outcome no client knew, and pages of the feed that failed. */
  unknownCommits: number
  readErrors: number
  recoveries: Recovery[]
  /** Doubled: taken again by a receiver that had taken it. */
  doubledByKills: number
  /** Requests for one event by one subscription, at most. */
  requestsMost: number
  /** Everything in here is to be 0. */
  faults: Faults
}

type Faults = {
  /** Acknowledged and gone. */
  commitsLost: number
  eventsLost: number
  eventsDoubled: number
  eventsOutOfOrder: number
  /** Never committed. */
  eventsInvented: number
  deliveriesLost: number
  deliveriesUndone: number
  doubledOtherwise: number
  /** Of recorded attempts, above five. */
  attemptsTooMany: number
  processesLost: number
}

type Evidence = {
  sql: Sql
  writers: Writers
  reader: ChaosReader
  receipts: Receipts
  recoveries: Recovery[]
  hooks: readonly Hook[]
  /** Processes that ended by themselves. */
  lost: number
}

const attemptsMax = 5

const countOf = async (sql: Sql, condition: string): Promise<number> => {
  const [row] = await sql.unsafe(`select count(*)::integer as count from ${condition}`)
  return row?.count
}

function judgeFeed({ reader: { seen }, writers: { committed } }: Evidence) {
  const read = new Set(seen.map(({ object_id }) => object_id))
  return {
    eventsLost: [...committed.keys()].filter(id => !read.has(id)).length,
    eventsDoubled: seen.length - read.size,
    eventsOutOfOrder: seen.filter(({ cursor }, place) => cursor <= (seen[place - 1]?.cursor ?? 0))
      .length,
    eventsInvented: [...read].filter(id => !committed.has(id)).length,
  }
}

/** When the recorded attempts of each subscription began. */
const listRecorded = (sql: Sql, hooks: readonly Hook[]): Promise<number[][]> =>
  Promise.all(
    hooks.map(async ({ id }) => {
      const rows = await sql`
        select extract(epoch from started_at)::double precision * 1000 as begun
        from hook_attempts join hook_positions using (no) where subscription_id = ${id}`
      return rows.map(({ begun }) => begun)
    }),
  )

async function judgeDeliveries({ sql, hooks, receipts, writers, recoveries }: Evidence) {
  const { byPath, lastUse } = receipts
  const kills = recoveries
    .filter(({ kind }) => kind === 'process killed')
    .map(({ harmedAt }) => harmedAt)
  const recorded = await listRecorded(sql, hooks)
  const bySubscription = hooks.map(({ path }) =>
    [...writers.committed.keys()].map(id => byPath.get(path)?.get(id) ?? []),
  )
  const all = bySubscription.flat()
  const doubled = bySubscription.flatMap((events, place) =>
    events.map(event => countDoubled(event, { kills, lastUse, recorded: recorded[place] ?? [] })),
  )
  const sum = (member: 'byKills' | 'otherwise') =>
    doubled.reduce((total, one) => total + one[member], 0)
  return {
    deliveriesLost: all.filter(receipts => !receipts.some(({ taken }) => taken)).length,
    doubledOtherwise: sum('otherwise'),
    doubledByKills: sum('byKills'),
    requestsMost: Math.max(...all.map(({ length }) => length)),
  }
}

export async function judgeChaos(evidence: Evidence): Promise<Verdict> {
  const { sql, writers, reader, recoveries, lost } = evidence
  const events = writers.committed.size
  const { doubledByKills, requestsMost, ...deliveries } = await judgeDeliveries(evidence)
  return {
    events,
    unknownCommits: writers.unknown(),
    readErrors: reader.errors(),
    recoveries,
    doubledByKills,
    requestsMost,
    faults: {
      commitsLost: events - (await countOf(sql, 'leads')),
      ...judgeFeed(evidence),
      ...deliveries,
      deliveriesUndone: await countOf(sql, 'hook_failures'),
      attemptsTooMany: await countOf(sql, `hook_attempts where attempt > ${attemptsMax}`),
      processesLost: lost,
    },
  }
}
