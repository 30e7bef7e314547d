// A limit for a database that stops answering. The server cannot enforce statement_timeout once it is unreachable; only a new
// pool helps.
import { TimeoutError, withTimeout } from '../lib/timeout.ts'
import { type Database, databaseThrough } from './database.ts'

/** Settles as the work does, or fails with TimeoutError after the limit and has the pool opened anew. */
export type Deadline = <Value>(work: Promise<Value>) => Promise<Value>

export const openDeadline =
  (limitMs: number, renew: () => void): Deadline =>
  async work => {
    try {
      return await withTimeout(work, limitMs)
    } catch (error) {
      if (error instanceof TimeoutError) renew()
      throw error
    }
  }

/** The database; each statement is given up at the deadline. */
export const withDeadline = (database: Database, deadline: Deadline): Database =>
  databaseThrough((_name, send) => deadline(send(database)))

/** Replaces the pool's connections when requests time out and nothing has answered for as long as one may take. */
export function silenceWatch(renew: () => void, requestTimeoutMs: number) {
  let answeredAt = performance.now()
  const onAnswer = () => {
    answeredAt = performance.now()
  }
  return {
    onAnswer,
    onTimeout() {
      if (performance.now() - answeredAt < requestTimeoutMs) return
      onAnswer()
      renew()
    },
  }
}
