// A feed that ages as a test wants it, and what is left of it.
import { beforeEach, expect } from 'bun:test'
import { openDatabase } from '../../../src/db/database.ts'
import { queries } from '../../../src/db/queries.ts'
import { pruneEvents } from '../../../src/worker/pruning.ts'
import type { TestService } from '../http/service.ts'
import { sequenceAll } from './sequencing.ts'

const day = 86_400_000

export const inDays = (days: number) => new Date(Date.now() + days * day)

/** Call at the top of a file, after useService. Every test begins with an empty feed that goes on where the one before ended. */
export function useRetention(api: TestService) {
  const pruning = () => ({ database: openDatabase(api.sql, queries), keepDays: 30 })
  const retention = {
    pruning,
    /** One run, so many days from now. */
    pruneAt: (days: number) => pruneEvents(pruning(), inDays(days)),
    async sequence(...names: string[]) {
      for (const name of names) await api.sql`insert into leads (name) values (${name})`
      await sequenceAll(api.sql)
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
    age: (days: number, name: string | null = null) => api.sql`
      update event_cursors set sequenced_at = ${inDays(-days).toISOString()}
      where ${name}::text is null
        or log_id in (select log_id from events where data ->> 'name' = ${name}::text)`,
  }
  beforeEach(async () => {
    await sequenceAll(api.sql)
    await retention.age(1_000)
    await retention.pruneAt(0)
    expect((await api.send('/events')).body.data).toEqual([])
  })
  return retention
}
