// A feed that ages as a test wants it, and what is left of it.
import { beforeEach, expect } from 'bun:test'
import { openDatabase } from '../../../src/db/database.ts'
import { queries } from '../../../src/db/queries.ts'
import { pruneLog, pruneOnce } from '../../../src/worker/pruning.ts'
import type { TestService } from '../http/service.ts'
import { sequenceSettled } from './sequencing.ts'

const day = 86_400_000
// A process that has watched the time all along.
const always = 1e9

export const inDays = (days: number) => new Date(Date.now() + days * day)

/** SQLSTATE, or nothing when it was done. */
export const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    error => (error as { code: string }).code,
  )

/** Call at the top of a file, after useService. Every test begins with an empty feed that goes on where the one before ended. */
export function useRetention(api: TestService) {
  const pruning = () => ({ database: openDatabase(api.sql, queries), keepDays: 30 })
  const write = async (...names: string[]) => {
    for (const name of names) await api.sql`insert into leads (name) values (${name})`
  }
  const retention = {
    pruning,
    pruneAt: (days: number, uptime = always) => pruneOnce(pruning(), inDays(days), uptime),
    pruneLogAt: (days: number) => pruneLog(pruning(), inDays(days)),
    write,
    async sequence(...names: string[]) {
      await write(...names)
      await sequenceSettled(api.sql)
    },
    async namesFrom(query = ''): Promise<string[]> {
      const { data } = (await api.send(`/events${query}`)).body
      return data.map((event: { data: { name: string } }) => event.data.name)
    },
    async bounds() {
      const [row] = await api.sql`
        select head::float8 as head, horizon::float8 as horizon from feed_state`
      return row as unknown as { head: number; horizon: number }
    },
    /** As if an event, or all that is in the feed, had come so many days ago. */
    async age(days: number, name: string | null = null) {
      const at = inDays(-days).toISOString()
      await api.sql`
        update event_cursors set sequenced_at = ${at}
        where ${name}::text is null
          or log_id in (select log_id from events where data ->> 'name' = ${name}::text)`
      await api.sql`
        update events set occurred_at = ${at}
        where ${name}::text is null or data ->> 'name' = ${name}::text`
    },
  }
  beforeEach(async () => {
    await retention.age(1_000)
    for (let runs = 0; runs < 3; runs += 1) {
      await retention.pruneAt(0)
      await retention.pruneLogAt(0)
    }
    expect((await api.send('/events')).body.data).toEqual([])
  })
  return retention
}
