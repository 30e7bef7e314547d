// The commands feed repair and feed advance, while a worker runs and after it has ended.
import { expect, test } from 'bun:test'
import { startWorker } from '../../src/worker/start.ts'
import { useDatabase } from '../support/database/database.ts'
import { quietLog } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { run } from '../support/process/program.ts'
import { until } from '../support/until.ts'

const database = useDatabase()

test.each(['repair', 'advance'])(
  'feed %s refuses while a worker runs, unless it is forced',
  async name => {
    const feed = (...args: string[]) =>
      run('Bun', ['feed', name, ...args], { DATABASE_URL: database.url })
    const worker = await startWorker(testConfig(), database.url, quietLog())
    try {
      await until(async () => (await database.sql`select from hook_workers`).length === 1)
      expect(await feed()).toEqual({
        code: 1,
        out: '',
        said: 'Workers that run: 1. Stop all processes first, and start them afterwards; one that was killed counts for ten seconds. --force goes on all the same.',
      })
      const forced = await feed('--force')
      const [{ head } = {}] = await database.sql`select head from feed_state`
      expect([forced.code, forced.out]).toEqual([0, `the feed goes on after cursor ${head}`])
    } finally {
      await worker.stop()
    }
    expect((await feed()).code).toBe(0)
  },
  30_000,
)

test('another argument is a mistake, whether there is a database or not', async () => {
  const { code, said } = await run('Bun', ['feed', 'advance', '--again'], {
    DATABASE_URL: 'postgres://u@127.0.0.1:1/x',
  })
  expect([code, said]).toEqual([2, '--again is no option of this command, which takes --force.'])
})
