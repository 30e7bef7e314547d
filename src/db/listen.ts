// The one LISTEN connection of a process. A notification is a hint, never the only way to learn something:
// what was notified while the connection was down is lost, so every (re)connection calls onEstablished,
// where subscribers read their state anew. A ping finds the connection that died without a word.
import { errorCodeOf } from '../lib/error_code.ts'
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

const reconnectDelayMaxMs = 2_000

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
  let established = false
  let closed = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0

  const later = (step: () => Promise<void>, milliseconds: number) => {
    if (!closed) timer = setTimeout(() => void step(), milliseconds)
  }

  async function lose(reason: string) {
    const lost = sql
    sql = undefined
    clearTimeout(timer)
    if ((established || failures === 0) && !closed) options.onLost?.(reason)
    established = false
    failures += 1
    later(establish, Math.min(50 * 2 ** failures, reconnectDelayMaxMs))
    await lost?.end({ timeout: 0 }).catch(() => {})
  }

  async function establish() {
    const opened = options.open({
      onNotify: options.onNotify,
      onClose: () => {
        if (sql === opened) void lose('the connection ended')
      },
    })
    sql = opened
    try {
      for (const channel of channels)
        await withTimeout(opened`listen ${opened(channel)}`, pingTimeoutMs)
      if (options.onSession) await withTimeout(options.onSession(opened), pingTimeoutMs)
    } catch (error) {
      if (sql === opened) await lose((error as Error).message || errorCodeOf(error))
      return
    }
    if (closed || sql !== opened) return
    established = true
    failures = 0
    options.onEstablished()
    later(ping, pingIntervalMs)
  }

  async function ping() {
    const asked = sql
    try {
      await withTimeout(Promise.resolve(asked && asked`select 1`), pingTimeoutMs)
      if (sql === asked) later(ping, pingIntervalMs)
    } catch (error) {
      if (sql === asked) await lose((error as Error).message || errorCodeOf(error))
    }
  }

  const first = establish()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      // postgres.js 3.4.9 does not cancel the timer of a connection that is ended while it is made: the process
      // of a start that fails would linger for 3 s (docs/development/upstream.md).
      await first
      await sql?.end({ timeout: 0 }).catch(() => {})
    },
  }
}
