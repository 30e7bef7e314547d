// The command feed advance, next to a worker that runs.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { openTestSequencing } from '../support/feed/sequencing.ts'
import { runHere } from './commands.ts'

const database = useDatabase()

test('feed advance moves the head, and a sequencer that runs goes on after it', async () => {
  const sequencing = openTestSequencing(database.sql)
  const before = await sequencing.look()
  const { code, out } = await runHere(['feed', 'advance'], { DATABASE_URL: database.url })
  const [{ head } = {}] = await database.sql`select head::float8 as head from feed_state`
  expect([code, out]).toEqual([0, `the feed goes on after cursor ${head}`])
  expect(head).toBeGreaterThan(before.head + 1_000_000)
  await database.sql`insert into leads (name) values ('next')`
  expect(await sequencing.look()).toMatchObject({ head_before: head, head: head + 1 })
}, 30_000)
