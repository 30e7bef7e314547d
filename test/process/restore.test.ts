// A workspace restored from a backup by the commands of docs/operations/backup.md, next to an extension that only a superuser may
// create: keys, secrets and deliveries are there, and readers of the feed who are ahead of the backup miss nothing that comes.
// On PostgreSQL 15, because its pg_dump is the one that is usually here.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { startService } from '../../src/api/start.ts'
import { migrateDatabase } from '../../src/cli/database.ts'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { scopes } from '../../src/model/scope.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { startWorker } from '../../src/worker/start.ts'
import { startPostgres15 } from '../blackbox/postgres_15.ts'
import { read } from '../repo/sources.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import type { TestDatabase } from '../support/database/database.ts'
import { administer, withDatabaseName } from '../support/database/server.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { bearer, quietLog, sendTo, type TestReply } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { run } from '../support/process/program.ts'
import { until } from '../support/until.ts'
import { writeWorkspace } from './smoke.ts'

setDefaultTimeout(60_000)

const page = read('docs/operations/backup.md')
const commands = [...page.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm)].map(
  ([, text = '']) => text,
)
const dump = commands.find(text => text.includes('pg_dump ')) ?? ''
const restore = (commands.find(text => text.includes('pg_restore ')) ?? '').replace(
  'bun start',
  'echo started',
)

const server = Bun.which('pg_dump') ? await startPostgres15() : undefined
const whole = test.skipIf(!server)
const hooks = useHooks({} as TestDatabase)
const dir = makeDataDir('restore')
const dirOf = (name: string) => join(dir, name)
const url = server?.url ?? ''
const ownerUrl = withDatabaseName(url || 'postgres://x/x', 'restored').replace(
  'postgres@',
  'workspace_owner@',
)

type Api = { send(path: string, init?: RequestInit): Promise<TestReply>; sql: Sql }

/** Runs a service with its worker on a workspace, which is a database and a data directory, and stops both. */
async function serving<Result>(at: string, dataDir: string, work: (api: Api) => Promise<Result>) {
  const config = testConfig({ ...hooks.settings, SECRETS_KEY: '', DATA_DIR: dataDir })
  const service = await startService(config, at, quietLog())
  const worker = await startWorker(config, at, quietLog())
  const sql = administer(at)
  const send = (path: string, init: RequestInit = {}) =>
    sendTo(`${service.url}/api/v1`, path, { ...bearer(key), ...init })
  try {
    return await work({ send, sql })
  } finally {
    await sql.end()
    await Promise.all([worker.stop(), service.stop()])
  }
}

const addLead = (sql: Sql, name: string) => sql`insert into leads (name) values (${name})`

const namesAfter = async ({ send }: Api, after: number) => {
  const { body } = await send(`/events?types=lead.created&limit=200&after=${after}`)
  return (body.data ?? []).map((event: { data: { name: string } }) => event.data.name) as string[]
}

/** Waits until the feed holds a lead, and returns the head by then. */
const headWith = (api: Api, name: string, after = 0) =>
  until(async () =>
    (await namesAfter(api, after)).includes(name)
      ? Number((await api.send('/events?limit=1')).headers.get('x-feed-head'))
      : undefined,
  )

const received = async (name: string) => {
  const requests = await hooks.receiver.requests('/ok/restored')
  return requests.find(({ body }) => body.includes(`"${name}"`))
}

const shell = (command: string, at: string) => {
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: at }
  const { exitCode, stdout, stderr } = Bun.spawnSync(['bash', '-c', command], { cwd: dir, env })
  return { exitCode, out: stdout.toString(), said: stderr.toString() }
}

const asAdmin = async (...statements: string[]) => {
  const sql = administer(url)
  for (const statement of statements) await sql.unsafe(statement)
  await sql.end()
}

let key = ''
let secret = ''
/** What a reader of the feed held when the database was lost. */
let held = 0

beforeAll(async () => {
  if (!server) return
  for (const name of ['before', 'after', 'elsewhere']) mkdirSync(dirOf(name))
  await migrateDatabase(url)
  const sql = administer(url)
  await sql`create extension pg_stat_statements`
  await writeWorkspace(sql)
  key = (await createApiKey(openDatabase(sql, queries), { label: 'CRM', scopes: [...scopes] })).key
  await sql.end()
  await serving(url, dirOf('before'), async api => {
    const target_url = hooks.receiver.url('/ok/restored')
    const body = JSON.stringify({ target_url, event_types: ['lead.created'] })
    secret = (await api.send('/hooks', { method: 'POST', body })).body.data.signing_secret
    await addLead(api.sql, 'Before')
    await headWith(api, 'Before')
  })
  expect(shell(dump, url)).toMatchObject({ exitCode: 0 })
  held = await serving(url, dirOf('before'), async api => {
    for (const lead of ['Lost 1', 'Lost 2', 'Lost 3']) await addLead(api.sql, lead)
    return await headWith(api, 'Lost 3')
  })
  await asAdmin('create role workspace_owner login')
})
afterAll(async () => {
  await server?.stop()
  removeDataDir(dir)
})

const emptied = [
  'drop database if exists restored',
  'create database restored owner workspace_owner template template0',
]

whole('the commands of the page restore it as an owner who is no superuser', async () => {
  await asAdmin(...emptied)
  expect(shell(restore, ownerUrl)).toEqual({ exitCode: 0, out: 'started\n', said: '' })
})

whole(
  'without the secrets_key of the backup it does not start; with it keys open and webhooks sign as before',
  async () => {
    const start = serving(ownerUrl, dirOf('elsewhere'), async () => {})
    await expect(start).rejects.toThrow('SECRETS_KEY must hold the key')
    copyFileSync(join(dirOf('before'), 'secrets_key'), join(dirOf('after'), 'secrets_key'))
    const sql = administer(ownerUrl)
    await addLead(sql, 'Waiting')
    await sql.end()
    await serving(ownerUrl, dirOf('after'), async api => {
      expect((await api.send('/kontakte')).body.meta.count).toBe(1)
      const { body, headers } = await until(() => received('Waiting'))
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({
        event_type: 'lead.created',
      })
    })
  },
)

whole('a reader ahead of it misses nothing new: the feed advances by itself, once', async () => {
  await serving(ownerUrl, dirOf('after'), async api => {
    await addLead(api.sql, 'New')
    const first = await headWith(api, 'New', held)
    expect(await namesAfter(api, held)).toEqual(['Waiting', 'New'])
    await addLead(api.sql, 'Newer')
    expect((await headWith(api, 'Newer', held)) - first).toBeLessThan(10)
    // One that is behind reads on across the jump.
    expect((await namesAfter(api, 0)).slice(-4)).toEqual(['Before', 'Waiting', 'New', 'Newer'])
  })
})

whole('the very same database, set back, advances on command', async () => {
  const sql = administer(ownerUrl)
  const headOf = async () => (await sql`select head::float8 as head from feed_state`)[0]?.head
  const before = await headOf()
  const { code, out } = await run('the binary', ['feed', 'advance'], { DATABASE_URL: ownerUrl })
  const head = await headOf()
  expect([code, out]).toEqual([0, `the feed goes on after cursor ${head}`])
  expect(head).toBeGreaterThan(before + 1_000)
  await sql.end()
  await serving(ownerUrl, dirOf('after'), async api => {
    await addLead(api.sql, 'Last')
    expect(await headWith(api, 'Last', before)).toBe(head + 1)
  })
})
