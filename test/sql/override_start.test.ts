// SQL_DIR in a running service.
import { expect, test } from 'bun:test'
import { startService } from '../../src/api/start.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { scopes } from '../../src/model/scope.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { startWorker } from '../../src/worker/start.ts'
import { useDatabase } from '../support/database/database.ts'
import { signal } from '../support/database/factory.ts'
import { bearer, quietLog, sendTo } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { changedSignals, oldestFirst, useSqlDirs } from './query_files.ts'

const database = useDatabase()
const sqlDirOf = useSqlDirs()

test('the service answers with the replaced file', async () => {
  await signal(database.sql, { title: 'old', detected_at: '2020-01-01T00:00:00Z' })
  await signal(database.sql, { title: 'new' })
  const { key } = await createApiKey(openDatabase(database.sql, queries), {
    label: 'test',
    scopes: [...scopes],
  })
  const config = testConfig({ SQL_DIR: sqlDirOf(oldestFirst) })
  const service = await startService(config, database.url, quietLog())
  try {
    const reply = await sendTo(`${service.url}/api/v1`, '/signals', bearer(key))
    expect(reply.body.data.map(({ title }: { title: string }) => title)).toEqual(['old', 'new'])
  } finally {
    await service.stop()
  }
})

test('the service does not start with a file that does not fit', async () => {
  const config = testConfig({ SQL_DIR: sqlDirOf(changedSignals('listed.title, ', '')) })
  const start = startService(config, database.url, quietLog())
  await expect(start).rejects.toThrow('signals/list_signals.sql: returns columns')
})

test.each([
  ['worker', [['signals/list_signals']]],
  // The other part says it.
  ['api,worker', []],
])('the worker of a process with ROLES=%s logs %j', async (ROLES, expected) => {
  const logged: string[][] = []
  const log = quietLog()
  log.subscribe(({ name, fields }) => name === 'sql_overridden' && logged.push([...fields.paths]))
  const config = testConfig({ SQL_DIR: sqlDirOf(oldestFirst), ROLES })
  const worker = await startWorker(config, database.url, log)
  await worker.stop()
  expect(logged).toEqual(expected)
})
