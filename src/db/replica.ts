// Lists and single rows from a streaming replica (DATABASE_READ_URL). It may be behind, so it answers the files whose head
// says so (@replica answers): none of keys, of the limit, of webhooks, nor the feed, because a client may hold a cursor from
// the primary that the replica does not know yet. While it is away the primary answers.
import { errorCodeOf, isDatabaseAway } from '../lib/error_code.ts'
import { withTimeout } from '../lib/timeout.ts'
import { openPool, type PoolOptions } from './connect.ts'
import { type Database, openDatabase } from './database.ts'
import type { Queries, QueryName } from './queries.ts'
import { schemaVersion } from './schema_files.ts'

const lookEveryMs = 1_000
// The longest wait for a replica that stopped answering: this plus lookEveryMs.
const answerWithinMs = 1_000

type ReplicaOptions = {
  pool: PoolOptions
  queries: Queries
  primary: Database
  /** It is not used from now on; called once until it is back. */
  onAway(reason: string): void
  onBack(): void
}

const reasonOf = (error: unknown) => (error as Error).message || errorCodeOf(error)

/** The statement's own fault, or its time was up: the primary would do no better. */
const isFinal = (error: unknown) => /^(|22...|57014)$/.test(errorCodeOf(error))

/** The primary's database, but for what the replica answers. Never fails: until the first look has found it the primary answers. */
export function openReplica({ queries, primary, onAway, onBack, ...options }: ReplicaOptions) {
  const pool = openPool(options.pool)
  const replica = openDatabase(pool, queries)
  let state: 'unknown' | 'here' | 'away' = 'unknown'
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false

  /** Why it is not to be read from; undefined: it is. */
  async function findFault(): Promise<string | undefined> {
    const [found] = await withTimeout(replica.rows('getReplicaState', {}), answerWithinMs)
    const [own] = await primary.rows('getReplicaState', {})
    // A wrong address must not show the rows of another workspace.
    if (found?.database !== own?.database) return 'it is no replica of this database'
    // Promoted, it is the primary, or gets nothing new from it: an erased person would stay.
    if (!found?.standby) return 'it is no standby'
    // It follows a migration when it has replayed it.
    return found.schema_version === schemaVersion ? undefined : 'its schema is another version'
  }

  function lose(reason: string) {
    if (state !== 'away') onAway(reason)
    state = 'away'
    // What waits for it fails now, and its address may lead to another server by then.
    pool.renew()
  }

  async function look() {
    const reason = await findFault().catch(reasonOf)
    if (closed) return
    if (reason !== undefined) lose(reason)
    else if (state !== 'here') onBack()
    if (reason === undefined) state = 'here'
    timer = setTimeout(look, lookEveryMs)
  }

  async function read<Answer>(name: QueryName, ask: (from: Database) => Promise<Answer>) {
    if (state !== 'here' || !queries[name].mayBeBehind) return await ask(primary)
    return await ask(replica).catch(error => {
      if (isFinal(error)) throw error
      if (state === 'here' && !closed && isDatabaseAway(error)) lose(reasonOf(error))
      return ask(primary)
    })
  }

  void look()
  const database: Database = {
    json: (name, args, bytesMax) => read(name, from => from.json(name, args, bytesMax)),
    rows: (name, args) => read(name, from => from.rows(name, args)),
  }
  return {
    database,
    async close() {
      closed = true
      clearTimeout(timer)
      await pool.end()
    },
  }
}
