// The command feed advance, while a process leads and after it has ended.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { runHere } from '../support/process/commands.ts'

const database = useDatabase()
const advance = (...args: string[]) =>
  runHere(['feed', 'advance', ...args], { DATABASE_URL: database.url })

test('feed advance refuses while a process leads, unless it is forced', async () => {
  const { sql } = database
  await sql`update leader set worker = gen_random_uuid(), lease_until = now() + interval '5 seconds'`
  const refused = await advance()
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.said).toStartWith('A worker runs. Stop all processes first, ')
  for (const args of [['--force'], []]) {
    const advanced = await advance(...args)
    const [{ head } = {}] = await sql`select head from feed_state`
    expect([advanced.code, advanced.out]).toEqual([0, `the feed goes on after cursor ${head}`])
    await sql`update leader set lease_until = '-infinity'`
  }
})
