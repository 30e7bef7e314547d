// What was committed against what was read and received.
import type { Sql } from '../../../src/db/connect.ts'
import type { Kind } from './disturbances.ts'
import type { Reader } from './reader.ts'
import type { Receipt, Receipts } from './receipts.ts'
import type { Writers } from './writers.ts'

export type Recovery = { kind: Kind; at: number; harmedAt: number; recoveryMs: number }

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

export type Faults = {
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
  reader: Reader
  receipts: Receipts
  recoveries: Recovery[]
  /** Of the subscriptions. */
  paths: readonly string[]
  /** Processes that ended by themselves. */
  lost: number
}

const attemptsMax = 5
// What a process had sent and not recorded when it was killed: it records every few milliseconds, but after an outage it
// may wait for a second and more.
const unrecordedMs = 3_000

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

/** Of the times an event was taken after the first, how many follow a process that was killed before it recorded. */
function countDoubled(receipts: Receipt[], kills: number[]) {
  const taken = receipts.filter(receipt => receipt.taken)
  const again = taken.slice(1).map((_, place) => taken[place]?.at ?? 0)
  const byKills = again.filter(at => kills.some(kill => kill > at && kill - at < unrecordedMs))
  return { byKills: byKills.length, otherwise: again.length - byKills.length }
}

function judgeDeliveries({ paths, receipts: { byPath }, writers, recoveries }: Evidence) {
  const kills = recoveries
    .filter(({ kind }) => kind === 'process killed')
    .map(({ harmedAt }) => harmedAt)
  const all = paths.flatMap(path =>
    [...writers.committed.keys()].map(id => byPath.get(path)?.get(id) ?? []),
  )
  const doubled = all.map(receipts => countDoubled(receipts, kills))
  const sum = (member: 'byKills' | 'otherwise') =>
    doubled.reduce((total, one) => total + one[member], 0)
  return {
    deliveriesLost: all.filter(receipts => !receipts.some(({ taken }) => taken)).length,
    doubledOtherwise: sum('otherwise'),
    doubledByKills: sum('byKills'),
    requestsMost: Math.max(...all.map(({ length }) => length)),
  }
}

export async function judge(evidence: Evidence): Promise<Verdict> {
  const { sql, writers, reader, recoveries, lost } = evidence
  const events = writers.committed.size
  const { doubledByKills, requestsMost, ...deliveries } = judgeDeliveries(evidence)
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
