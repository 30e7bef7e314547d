// Lists and single rows from a streaming replica (DATABASE_READ_URL). It may be behind, so it answers the files whose head
// says so (@replica answers): none of keys, of the limit, of webhooks, nor the feed, because a client may hold a cursor from
// the primary that the replica does not know yet. While it is away the primary answers.
import { errorCodeOf, isDatabaseAway } from '../lib/error_code.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
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

/** The statement's own fault, or its time was up: the primary would do no better. */
const isFinal = (error: unknown) => /^(|22...|57014)$/.test(errorCodeOf(error))

/** The primary's database, but for what the replica answers. Never fails: until the first look has found it the primary answers. */
export function openReplica({ queries, primary, onAway, onBack, ...options }: ReplicaOptions) {
  const pool = openPool(options.pool)
  const replica = openDatabase(pool, queries)
  /** Undefined until the first look. */
  let isHere: boolean | undefined

  /** Throws where it is not to be read from. */
  async function check() {
    const [found] = await withTimeout(replica.rows('getReplicaState', {}), answerWithinMs)
    const [own] = await primary.rows('getReplicaState', {})
    // A wrong address must not show the rows of another workspace.
    if (found?.database !== own?.database) throw new Error('it is no replica of this database')
    // Promoted, it is the primary, or gets nothing new from it: an erased person would stay.
    if (!found?.standby) throw new Error('it is no standby')
    // It follows a migration when it has replayed it.
    if (found.schema_version !== schemaVersion) throw new Error('its schema is another version')
  }

  function lose(error: unknown) {
    if (isHere !== false) onAway((error as Error).message || errorCodeOf(error))
    isHere = false
    // What waits for it fails now, and its address may lead to another server by then.
    pool.renew()
  }

  async function read<Answer>(name: QueryName, ask: (from: Database) => Promise<Answer>) {
    if (!isHere || !queries[name].mayBeBehind) return await ask(primary)
    return await ask(replica).catch(error => {
      if (isFinal(error)) throw error
      if (isHere && isDatabaseAway(error)) lose(error)
      return ask(primary)
    })
  }

  const loop = startPollLoop({
    async step() {
      await check()
      if (!isHere) onBack()
      isHere = true
      return lookEveryMs
    },
    onFailure: lose,
  })
  const database: Database = {
    json: (name, args, bytesMax) => read(name, from => from.json(name, args, bytesMax)),
    rows: (name, args) => read(name, from => from.rows(name, args)),
  }
  return {
    database,
    async close() {
      await loop.stop()
      await pool.end()
    },
  }
}
