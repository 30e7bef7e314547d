// Writers that know what they committed: each repeats its transaction until it is.
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../../src/db/connect.ts'
import { inTransaction, openPool } from '../../../src/db/connect.ts'
import { errorCodeOf } from '../../../src/lib/error_code.ts'
import type { Random } from '../fuzz/seeded.ts'

export type Writers = {
  /** Leads whose transaction was committed, and when that was begun. */
  committed: ReadonlyMap<string, number>
  /** Commits whose outcome was not known at first. */
  unknown(): number
  /** Resolves when what was begun is committed. */
  stop(): Promise<void>
  /** Ends the connections, whatever was begun. */
  abandon(): Promise<void>
}

const retryMs = 20
const uniqueViolation = '23505'

class RolledBack extends Error {}

/** Milliseconds since 1970 of a clock that never goes back, as the receiver's. */
export const now = (): number => performance.timeOrigin + performance.now()

export function startWriters(count: number, url: string, random: Random): Writers {
  const { sql } = openPool({
    url,
    connectionsMax: count,
    applicationName: 'writer',
    statementTimeoutMs: 10_000,
  })
  const committed = new Map<string, number>()
  let unknown = 0
  let stopped = false
  let abandoned = false

  /** Whether it is committed; false: not, or unknown. */
  async function attempt(ids: string[], giveUp: boolean): Promise<boolean> {
    let complete = false
    const work = async (transaction: Sql) => {
      for (const id of ids)
        await transaction`insert into leads (id, name) values (${id}, 'Erika Beispiel')`
      if (giveUp) throw new RolledBack()
      complete = true
    }
    return await inTransaction(sql, work).then(
      () => true,
      error => {
        if (complete) unknown += 1
        // An earlier try, whose outcome was unknown, had been committed; this one waited for it.
        return errorCodeOf(error) === uniqueViolation
      },
    )
  }

  async function write() {
    const ids = Array.from({ length: 1 + random.below(3) }, () => randomUUID())
    if (random.below(8) === 0) {
      await attempt(ids, true)
      return
    }
    let begunAt = now()
    while (!(await attempt(ids, false)) && !abandoned) {
      await Bun.sleep(retryMs)
      begunAt = now()
    }
    for (const id of ids) committed.set(id, begunAt)
  }

  async function writeOn() {
    while (!stopped) {
      await write()
      await Bun.sleep(30 + random.below(60))
    }
  }

  const writing = Promise.all(Array.from({ length: count }, writeOn))
  return {
    committed,
    unknown: () => unknown,
    async stop() {
      stopped = true
      await writing
    },
    async abandon() {
      stopped = true
      abandoned = true
      await sql.end({ timeout: 0 })
    },
  }
}
