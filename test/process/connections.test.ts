// How many connections a process opens: what docs/operations/postgresql.md has for max_connections.
import { expect, test } from 'bun:test'
import { makeSigningSecret, sealSecret } from '../../src/model/signing_secret.ts'
import { startWorker } from '../../src/worker/start.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { bearer, quietLog, sendTo, useService, useWorker } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const api = useService()
useWorker(api)

const unready = useDatabase()

const counts = async (): Promise<Record<string, number>> => {
  const rows = await api.sql`
    select application_name, count(*)::integer as count from pg_stat_activity
    where datname = current_database() and application_name like 'workspace-data-api%'
    group by application_name`
  return Object.fromEntries(rows.map(row => [row.application_name, row.count]))
}

test('a process under load opens DATABASE_POOL_MAX connections and one that listens, its worker seven', async () => {
  const key = await api.makeKey('read:leads')
  const load = async () => {
    const paths = Array<string>(20).fill('/leads')
    await Promise.all(paths.map(path => sendTo(api.base, path, bearer(key))))
    await api.sql`insert into leads (name) values ('Erika Beispiel')`
    const found = await counts()
    return found['workspace-data-api'] === 4 ? found : undefined
  }
  const found = await until(load)
  expect(found['workspace-data-api listen']).toBe(1)
  const { 'workspace-data-api worker': worker = 0 } = found
  expect(worker).toBeGreaterThanOrEqual(2)
  expect(worker).toBeLessThanOrEqual(7)
  expect(Object.keys(found)).toHaveLength(3)
})

test('a worker that does not start leaves no connection open', async () => {
  const id = crypto.randomUUID()
  const secret = sealSecret(makeSigningSecret(), [Buffer.alloc(32, 1)], id)
  await factory.hook(unready.sql, { id, secret })
  const started = startWorker(testConfig(), unready.url, quietLog())
  await expect(started).rejects.toThrow('SECRETS_KEY must hold the key')
  await until(async () => {
    const rows = await unready.sql`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'workspace-data-api worker'`
    return rows.length === 0
  })
})
