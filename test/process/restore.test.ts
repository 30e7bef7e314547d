// A workspace restored from a backup: keys, households, secrets and deliveries are there, and readers of the feed who
// are ahead of the backup go on without missing what comes.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { startService } from '../../src/api/start.ts'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { scopes } from '../../src/model/scope.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { startWorker } from '../../src/worker/start.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import {
  createDatabase,
  databaseUrl,
  dropDatabase,
  type TestDatabase,
} from '../support/database/database.ts'
import { haushalt } from '../support/database/factory.ts'
import { administer } from '../support/database/server.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { bearer, quietLog, sendTo, type TestReply } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { run } from '../support/process/program.ts'
import { until } from '../support/until.ts'
import { backupMethods } from './backup.ts'
import { writeWorkspace } from './smoke.ts'

// Its receiver and settings alone: each workspace has a database of its own.
const hooks = useHooks({} as TestDatabase)

/** Lives in a database and a data directory: all there is to back up. */
type Workspace = { url: string; dataDir: string }

const emptyKey = { SECRETS_KEY: '' }
const configOf = ({ dataDir }: Workspace) =>
  testConfig({ ...hooks.settings, ...emptyKey, DATA_DIR: dataDir })

type Api = { send(path: string, init?: RequestInit): Promise<TestReply>; sql: Sql }

/** Runs a service with its worker on a workspace, and stops both. */
async function serving<Result>(
  workspace: Workspace,
  key: string,
  work: (api: Api) => Promise<Result>,
  { worker = true } = {},
): Promise<Result> {
  const config = configOf(workspace)
  const service = await startService(config, workspace.url, quietLog())
  const running = worker ? await startWorker(config, workspace.url, quietLog()) : undefined
  const sql = administer(workspace.url)
  const send = (path: string, init: RequestInit = {}) =>
    sendTo(`${service.url}/api/v1`, path, { ...bearer(key), ...init })
  try {
    return await work({ send, sql })
  } finally {
    await sql.end()
    await Promise.all([running?.stop(), service.stop()])
  }
}

const addLead = (sql: Sql, name: string) => sql`insert into leads (name) values (${name})`

/** Waits until the feed holds a lead, and returns the head by then. */
const headWith = (api: Api, name: string, after = '') =>
  until(async () => {
    const { body } = await api.send(`/events?types=lead.created&limit=200${after}`)
    const found = body.data?.some((event: { data: { name: string } }) => event.data.name === name)
    return found ? (body.meta.next_cursor as number) : undefined
  })

/** A workspace with rows of every kind. */
let filled: string
beforeAll(async () => {
  filled = await createDatabase()
  const sql = administer(databaseUrl(filled))
  await writeWorkspace(sql)
  for (let number = 1; number <= 6; number += 1)
    await haushalt(sql, { kontakt_key: `email:kontakt${number}@example.org` })
  await sql.end()
}, 60_000)
afterAll(() => dropDatabase(filled))

for (const { name, missing, copy } of await backupMethods()) {
  describe.skipIf(missing !== undefined)(`restored from ${name}${missing ?? ''}`, () => {
    const before = {} as Workspace
    const after = {} as Workspace
    const databases: string[] = []
    let key: string
    let hook: { id: string; signing_secret: string }
    /** What a reader of the feed held when the database was lost. */
    let held: number

    beforeAll(async () => {
      before.dataDir = makeDataDir('before')
      after.dataDir = makeDataDir('after')
      const source = await createDatabase(filled)
      databases.push(source)
      before.url = databaseUrl(source)
      const sql = administer(before.url)
      key = (await createApiKey(openDatabase(sql, queries), { label: 'CRM', scopes: [...scopes] }))
        .key
      await sql.end()
      await serving(before, key, async api => {
        const target_url = hooks.receiver.url(`/ok/${source}`)
        const { body } = await api.send('/hooks', {
          method: 'POST',
          body: JSON.stringify({ target_url, event_types: ['lead.created'] }),
        })
        hook = body.data
        await addLead(api.sql, 'Before')
        await headWith(api, 'Before')
      })
      const restored = await copy(source)
      databases.push(restored)
      after.url = databaseUrl(restored)
      copyFileSync(join(before.dataDir, 'secrets_key'), join(after.dataDir, 'secrets_key'))
      held = await serving(before, key, async api => {
        for (const lead of ['Lost 1', 'Lost 2', 'Lost 3']) await addLead(api.sql, lead)
        return await headWith(api, 'Lost 3')
      })
    }, 60_000)

    afterAll(async () => {
      for (const database of databases) await dropDatabase(database)
      for (const { dataDir } of [before, after]) removeDataDir(dataDir)
    })

    test('a reader ahead of it misses nothing new: the feed advances by itself, once', async () => {
      const ahead = `/events?after=${held}`
      await serving(
        after,
        key,
        async api => {
          // Without a sequencer the feed cannot advance, and the reader's cursor stays good.
          const { status, body } = await api.send(ahead)
          expect([status, body.data, body.meta.next_cursor]).toEqual([200, [], held])
        },
        { worker: false },
      )
      await serving(after, key, async api => {
        await until(async () => (await api.send(ahead)).status === 200)
        expect((await api.send(ahead)).body.data).toEqual([])
        await addLead(api.sql, 'New')
        await headWith(api, 'New', `&after=${held}`)
        const { data } = (await api.send(ahead)).body
        expect(data.map((event: { data: { name: string } }) => event.data.name)).toEqual(['New'])
        // One that is behind reads on across the jump.
        const { body } = await api.send('/events?types=lead.created&limit=200')
        const names = body.data.map((event: { data: { name: string } }) => event.data.name)
        expect(names.slice(-2)).toEqual(['Before', 'New'])
      })
      await serving(after, key, async api => {
        await addLead(api.sql, 'Newer')
        const before = await headWith(api, 'New', `&after=${held}`)
        expect((await headWith(api, 'Newer', `&after=${held}`)) - before).toBeLessThan(10)
      })
    }, 60_000)

    test('what waited to be delivered is delivered after the restore', async () => {
      const path = new URL(hooks.receiver.url(`/ok/${databases[0]}`)).pathname
      const sql = administer(after.url)
      await addLead(sql, 'Waiting')
      await sql.end()
      await serving(after, key, () =>
        until(async () =>
          (await hooks.receiver.requests(path)).some(({ body }) => body.includes('"Waiting"')),
        ),
      )
    }, 60_000)

    test('its keys open, its data is served, and its webhooks sign with the secrets they had', async () => {
      const path = new URL(hooks.receiver.url(`/ok/${databases[0]}`)).pathname
      await serving(after, key, async api => {
        expect((await api.send('/kontakte')).body.meta.count).toBeGreaterThan(5)
        expect((await api.send('/hooks')).body.data[0].id).toBe(hook.id)
        await addLead(api.sql, 'Signed')
        const request = await until(async () =>
          (await hooks.receiver.requests(path)).find(({ body }) => body.includes('"Signed"')),
        )
        const verified = new Webhook(hook.signing_secret).verify(request.body, request.headers)
        expect(verified).toMatchObject({ event_type: 'lead.created' })
      })
    }, 60_000)

    test('without the secrets_key of the backup it does not start', async () => {
      const elsewhere = { url: after.url, dataDir: makeDataDir('elsewhere') }
      try {
        const start = serving(elsewhere, key, async () => {})
        await expect(start).rejects.toThrow('SECRETS_KEY must hold the key')
      } finally {
        removeDataDir(elsewhere.dataDir)
      }
    })
  })
}

test('the very same database, set back, advances on command', async () => {
  const database = await createDatabase(filled)
  const workspace = { url: databaseUrl(database), dataDir: makeDataDir('set_back') }
  const sql = administer(workspace.url)
  try {
    // As if these cursors had been given out here.
    await sql`update feed set identity = database_identity()`
    const [{ head: before } = {}] = await sql`select head from feed_state`
    const advanced = await run('the binary', ['feed', 'advance'], { DATABASE_URL: workspace.url })
    const [{ head } = {}] = await sql`select head from feed_state`
    expect(head).toBeGreaterThan(before + 1_000_000_000_000)
    expect(advanced).toEqual({ code: 0, out: `the feed goes on after cursor ${head}`, said: '' })
    const { key } = await createApiKey(openDatabase(sql, queries), {
      label: 'CRM',
      scopes: [...scopes],
    })
    await serving(workspace, key, async api => {
      await addLead(api.sql, 'New')
      await headWith(api, 'New', `&after=${before}`)
      const { data } = (await api.send(`/events?after=${before}`)).body
      expect(data[0].cursor).toBe(head + 1)
    })
  } finally {
    await sql.end()
    await dropDatabase(database)
    removeDataDir(workspace.dataDir)
  }
}, 60_000)
