// Lists and single rows from a streaming replica (DATABASE_READ_URL). It may be behind, so it answers the files whose head
// says so (@replica answers): none of keys, of the limit, of webhooks, nor the feed, because a client may hold a cursor from
// the primary that the replica does not know yet. While it is away the primary answers.
import { errorCodeOf } from '../lib/error_code.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { PoolOptions } from './connect.ts'
import { type Database, databaseThrough, openDatabase } from './database.ts'
import { schemaVersion } from './migrations.ts'
import { openPools } from './pools.ts'
import type { Queries, QueryName } from './queries.ts'

const lookEveryMs = 1_000
// The longest wait for a replica that stopped answering: this plus lookEveryMs.
const answerWithinMs = 1_000

export type ReplicaOptions = {
  pool: PoolOptions
  queries: Queries
  primary: Database
  /** See DatabaseOptions. */
  isCrowded(): boolean
  /** It is not used from now on; called once until it is back. */
  onAway(reason: string): void
  onBack(): void
}

export type Replica = {
  /** The primary's, but for what the replica answers. */
  database: Database
  close(): Promise<void>
}

const reasonOf = (error: unknown) => (error as Error).message || errorCodeOf(error)

/** The statement's own fault, or its time was up: the primary would do no better. */
const isFinal = (error: unknown) => /^(|22...|57014)$/.test(errorCodeOf(error))

/** Not the statement but the server or the way to it. */
const isLost = (error: unknown) =>
  !/^[0-9A-Z]{5}$/.test(errorCodeOf(error)) || /^(08|57P)/.test(errorCodeOf(error))

/** Reads without an answer so far; over a silent connection they would wait for ever. */
function openPendingReads() {
  const waiting = new Set<(error: Error) => void>()
  return {
    /** Settles as the answer does, or when all is given up. */
    until: <Answer>(answer: Promise<Answer>) =>
      new Promise<Answer>((resolve, reject) => {
        waiting.add(reject)
        answer.then(resolve, reject).finally(() => waiting.delete(reject))
      }),
    giveUp(error: Error) {
      for (const reject of waiting) reject(error)
    },
  }
}

/** Opens at once and never fails: until the first look has found it the primary answers. */
export function openReplica({
  pool,
  queries,
  primary,
  isCrowded,
  onAway,
  onBack,
}: ReplicaOptions): Replica {
  const { sql, once, renew, end } = openPools(pool)
  const replica = openDatabase(sql, queries, { once, isCrowded })
  const pendingReads = openPendingReads()
  let state: 'unknown' | 'here' | 'away' = 'unknown'
  let closed = false
  /** Which database the primary is. */
  let own: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function lose(reason: string) {
    if (state === 'away' || closed) return
    state = 'away'
    onAway(reason)
    pendingReads.giveUp(Object.assign(new Error(reason), { code: 'REPLICA_AWAY' }))
    renew()
  }

  /** Why it is not to be read from; undefined: it is. */
  async function findFault(): Promise<string | undefined> {
    try {
      const [found] = await withTimeout(replica.list('getReplicaState', {}), answerWithinMs)
      own ??= (await primary.list('getReplicaState', {}))[0]?.database ?? undefined
      // A wrong address must not show the rows of another workspace.
      if (found?.database !== own) return 'it is no replica of this database'
      // Promoted, it is the primary, or gets nothing new from it: an erased person would stay.
      if (!found?.standby) return 'it is no standby'
      // It follows a migration when it has replayed it.
      return found.schema_version === schemaVersion ? undefined : 'its schema is another version'
    } catch (error) {
      return reasonOf(error)
    }
  }

  async function look() {
    const fault = await findFault()
    if (fault !== undefined) {
      // Its address may lead to another server by now.
      if (state === 'away') renew()
      lose(fault)
    } else if (state !== 'here') {
      state = 'here'
      onBack()
    }
    if (!closed) timer = setTimeout(look, lookEveryMs)
  }

  async function read<Answer>(name: QueryName, ask: (from: Database) => Promise<Answer>) {
    if (state !== 'here' || !queries[name].mayBeBehind) return await ask(primary)
    try {
      return await pendingReads.until(ask(replica))
    } catch (error) {
      if (isFinal(error)) throw error
      if (isLost(error)) lose(reasonOf(error))
      return await ask(primary)
    }
  }

  void look()
  return {
    database: databaseThrough(read),
    async close() {
      closed = true
      clearTimeout(timer)
      await end({ timeout: 1 })
    },
  }
}
