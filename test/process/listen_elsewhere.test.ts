// DATABASE_LISTEN_URL that leads to another database: there is nothing to hear there, and a lock held there is seen by no
// other process, which would take the subscriptions of a living one.
import { afterEach, expect, test } from 'bun:test'
import { startService } from '../../src/api/start.ts'
import { openLog } from '../../src/observability/log.ts'
import { startWorker } from '../../src/worker/start.ts'
import { useDatabase } from '../support/database/database.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const elsewhere = useDatabase()
const reason = 'DATABASE_LISTEN_URL leads to another database than DATABASE_URL'

const lost: [part: string, reason: string][] = []
const established: string[] = []
const log = openLog('silent')
log.subscribe(({ name, fields }) => {
  if (name === 'listener_lost') lost.push([fields.part, fields.reason])
  if (name === 'listener_established') established.push(fields.part)
})
afterEach(() => {
  lost.length = 0
  established.length = 0
})

const locks = async () =>
  (
    await elsewhere.sql`
      select from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where pg_locks.locktype = 'advisory' and pg_locks.classid = 20230
        and pg_database.datname = current_database()`
  ).length

const starts = {
  api: startService,
  worker: startWorker,
}

test.each(['api', 'worker'] as const)('the %s says so, and does not listen there', async part => {
  const config = testConfig({ DATABASE_LISTEN_URL: elsewhere.url })
  const running = await starts[part](config, database.url, log)
  await until(() => lost.length > 0)
  expect(lost).toEqual([[part, reason]])
  expect({ established, locks: await locks() }).toEqual({ established: [], locks: 0 })
  await running.stop()
})

test.each(['api', 'worker'] as const)(
  'the %s listens at another address of the same',
  async part => {
    const config = testConfig({ DATABASE_LISTEN_URL: `${database.url}?application_name=other` })
    const running = await starts[part](config, database.url, log)
    await until(() => established.length > 0)
    expect({ established, lost }).toEqual({ established: [part], lost: [] })
    await running.stop()
  },
)
