// The command feed repair, while a worker runs and after it has ended.
import { expect, test } from 'bun:test'
import { startWorker } from '../../src/worker/start.ts'
import { useDatabase } from '../support/database/database.ts'
import { quietLog } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { run } from '../support/process/program.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const repair = (...args: string[]) =>
  run('Bun', ['feed', 'repair', ...args], { DATABASE_URL: database.url })

test('it refuses while a worker runs, unless it is forced', async () => {
  const worker = await startWorker(testConfig(), database.url, quietLog())
  try {
    await until(async () => (await database.sql`select from hook_workers`).length === 1)
    expect(await repair()).toEqual({
      code: 1,
      out: '',
      said: 'Workers that run: 1. Stop all processes first, and start them after the repair; one that was killed counts for ten seconds. --force repairs all the same.',
    })
    const forced = await repair('--force')
    expect([forced.code, forced.out]).toEqual([0, 'the feed goes on after cursor 0'])
  } finally {
    await worker.stop()
  }
  expect((await repair()).code).toBe(0)
}, 30_000)

test('another argument is a mistake, whether there is a database or not', async () => {
  const { code, said } = await run('Bun', ['feed', 'advance', '--force'], {
    DATABASE_URL: 'postgres://u@127.0.0.1:1/x',
  })
  expect([code, said]).toEqual([2, '--force is no option of this command, which takes none.'])
})
