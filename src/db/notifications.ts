// The one LISTEN connection of a process. A notification is a hint, never the only way to learn something:
// what was notified while the connection was down is lost, so every (re)connection calls onEstablished,
// where subscribers read their state anew. A ping finds the connection that died without a word.
import { errorCodeOf } from '../lib/error_code.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Sql } from './connect.ts'
import type { Database } from './database.ts'

export type Listener = { close(): Promise<void> }

type ListenOptions = {
  channels: string[]
  /** Opens a pool of one connection; called again after every loss. */
  open(events: Pick<ListenOptions, 'onNotify'> & { onClose: () => void }): Sql
  onNotify(channel: string, payload: string): void
  /** Its session, for what has to be asked of that one; before it counts as established. Lost where it throws. */
  onSession?(sql: Sql): Promise<void>
  onEstablished(): void
  /** It ended, or could not be made at first; said once until it is there again. */
  onLost?(reason: string): void
  pingIntervalMs?: number
  pingTimeoutMs?: number
}

/** Throws where a session is in another database: it would be notified of other rows, and its locks would be seen by none of ours. */
export async function requireSameDatabase(session: Database, database: Database): Promise<void> {
  const [own] = await database.rows('getReplicaState', {})
  const [heard] = await session.rows('getReplicaState', {})
  if (own?.database !== heard?.database)
    throw new Error('DATABASE_LISTEN_URL leads to another database than DATABASE_URL')
}

/** Listens until closed, over as many connections as it takes; never fails. */
export function openListener(options: ListenOptions): Listener {
  const { channels, pingIntervalMs = 5_000, pingTimeoutMs = 2_000 } = options
  let sql: Sql | undefined
  let isLost = false
  let closed = false

  function lose(error: unknown) {
    const lost = sql
    sql = undefined
    if (!isLost && !closed) options.onLost?.((error as Error).message || errorCodeOf(error))
    isLost = true
    void lost?.end({ timeout: 0 }).catch(() => {})
  }

  async function establish() {
    const opened = options.open({
      onNotify: options.onNotify,
      onClose() {
        if (sql !== opened) return
        lose(new Error('the connection ended'))
        loop.wake()
      },
    })
    sql = opened
    for (const channel of channels)
      await withTimeout(opened`listen ${opened(channel)}`, pingTimeoutMs)
    if (options.onSession) await withTimeout(options.onSession(opened), pingTimeoutMs)
    if (closed || sql !== opened) return
    isLost = false
    options.onEstablished()
  }

  const loop = startPollLoop({
    async step() {
      if (sql) await withTimeout(sql`select 1`, pingTimeoutMs)
      else await establish()
      return pingIntervalMs
    },
    onFailure: lose,
  })
  return {
    async close() {
      closed = true
      // postgres.js 3.4.9 does not cancel the timer of a connection that is ended while it is made: the process
      // of a start that fails would linger for 3 s (docs/development/upstream.md).
      await loop.stop()
      await sql?.end({ timeout: 0 }).catch(() => {})
    },
  }
}
