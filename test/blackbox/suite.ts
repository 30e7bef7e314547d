// The program from outside: whatever runs it and whichever PostgreSQL it is on, it does all of this. Nothing here
// knows more than an address, a command line and the tables that writers write.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { eventTypes } from '../../src/model/event_type.ts'
import { password } from '../support/browser/dashboard.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { openTestPool, type TestDatabase } from '../support/database/database.ts'
import { administer, withDatabaseName } from '../support/database/server.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import { missing, type Runtime, run, type ServingProgram } from '../support/process/program.ts'
import { useWorkspace } from '../support/process/workspace.ts'
import { smtpUser, useMailServer } from '../support/smtp/server.ts'
import { until } from '../support/until.ts'

// The limit is met with a key of its own.
const limit = 150
const unknownId = '00000000-0000-4000-8000-000000000000'
// With them come the rows that break things, which are more.
const demoLeads = 10
const overridden = 'signals/list_signals.sql'

/** From an empty database to one with demo data, by commands alone. Call at the top of a suite. */
function useDemoDatabase(runtime: Runtime, server: () => Promise<string>): TestDatabase {
  const database = { name: `wda_test_blackbox_${crypto.randomUUID().slice(0, 8)}` } as TestDatabase
  const administered = async (statement: string) => {
    const sql = administer(await server())
    await sql.unsafe(statement).finally(() => sql.end())
  }
  beforeAll(async () => {
    await administered(`create database ${database.name} template template0`)
    database.url = withDatabaseName(await server(), database.name)
    database.sql = openTestPool(database.url, 2)
    const env = { DATABASE_URL: database.url }
    const migrated = await run(runtime, ['migrate'], env)
    expect([migrated.code, migrated.said]).toEqual([0, ''])
    expect(migrated.out).toMatch(/^the database is at schema \d+$/)
    const loaded = await run(runtime, ['demo', '--leads', String(demoLeads)], env)
    expect([loaded.code, loaded.out]).toEqual([0, `loaded demo data with ${demoLeads} leads`])
  }, 60_000)
  afterAll(async () => {
    await database.sql.end({ timeout: 1 })
    await administered(`drop database if exists ${database.name} with (force)`)
  })
  return database
}

type EventOnWire = { id: string; cursor: number; event_type: string; data: { name?: string } }

/** Registers the suite; `server` gives the address of a PostgreSQL whose user may create databases. */
export function blackBox(runtime: Runtime, where: string, server: () => Promise<string>): void {
  const left = missing(runtime)
  if (left !== undefined) {
    test.skip(`${runtime} on ${where}: left out, because ${left}`, () => {})
    return
  }
  describe(`${runtime} on ${where}`, () => {
    const mailServer = useMailServer()
    const sqlDir = makeDataDir('blackbox-sql')
    const database = useDemoDatabase(runtime, server)
    const { user, password: mailPassword } = smtpUser
    const named = `${encodeURIComponent(user)}:${encodeURIComponent(mailPassword)}`
    const workspace = useWorkspace(
      () => ({
        SQL_DIR: sqlDir,
        DASHBOARD_PASSWORD: password,
        RATE_LIMIT_PER_MINUTE: String(limit),
        // With a password, over TLS that begins in the middle.
        SMTP_URL: `smtp://${named}@localhost:${mailServer.port('right')}?tls=required`,
        NOTICE_FROM: 'workspace@example.com',
        NOTICE_TO: 'owner@example.com',
      }),
      database,
      runtime,
    )
    const { command, receiver } = workspace
    let serving: ServingProgram
    let base = ''
    beforeAll(async () => {
      appendFileSync(workspace.env.WEBHOOK_CA_FILE ?? '', `\n${mailServer.ca()}`)
      const text = await Bun.file(join(import.meta.dir, '../../sql', overridden)).text()
      await Bun.write(
        join(sqlDir, overridden),
        text.replace(' listed.title,', " 'Aus SQL_DIR: ' || listed.title as title,"),
      )
      serving = await workspace.start()
      base = `${serving.url}/api/v1`
    }, 60_000)
    afterAll(() => removeDataDir(sqlDir))

    const get = (path: string) => sendTo(base, path, bearer(workspace.key))
    const post = (body: string) =>
      sendTo(base, '/hooks', { ...bearer(workspace.key), method: 'POST', body })
    const makeKey = async (scopes: string) =>
      (await command('keys', 'create', '--label', 'test', '--scopes', scopes)).out

    test('every resource answers as documented, lists and single ones', async () => {
      const leads = (await get('/leads?limit=200&include_archived=true')).body
      expect(leads.meta.count).toBeGreaterThanOrEqual(demoLeads)
      const [first] = leads.data
      expect((await get(`/leads/${first.id.toUpperCase()}`)).body.data).toEqual(first)
      const search = encodeURIComponent(first.name.slice(1).toUpperCase())
      const found = await get(`/leads?include_archived=true&search=${search}`)
      expect(found.body.data.map((lead: { id: string }) => lead.id)).toContain(first.id)
      const [{ lead_id } = {}] = await database.sql`select lead_id from lead_analyses limit 1`
      expect((await get(`/leads/${lead_id}/analysis`)).body.data.lead_id).toBe(lead_id)
      const [{ kontakt_key: key }] = (await get('/kontakte?limit=1')).body.data
      const kontakt = `/kontakte/${encodeURIComponent(key)}`
      for (const path of [kontakt, `${kontakt}/haushalt`])
        expect((await get(path)).body.data.canonical_key).toBe(key)
      const from = '2000-01-01T00:00:00%2B01:00'
      const [appointment] = (await get(`/appointments?from=${from}`)).body.data
      const meeting = await get(`/meetings/${appointment.id}/intelligence`)
      expect(meeting.body.data.appointment).toEqual(appointment)
      expect((await get('/schemas/analysis')).status).toBe(200)
      expect((await get('/hooks/sample')).body.data.length).toBe(eventTypes.length)
    })

    test('a query of SQL_DIR stands in for the one built in', async () => {
      const { data } = (await get('/signals?limit=3')).body
      expect(data.length).toBe(3)
      for (const { title } of data) expect(title).toStartWith('Aus SQL_DIR: ')
    })

    test('HEAD has no body, other methods are refused, the head of a request may be large', async () => {
      const as = (method: string) => sendTo(base, '/leads', { ...bearer(workspace.key), method })
      const [head, put] = [await as('HEAD'), await as('PUT')]
      expect([head.status, head.text]).toEqual([200, ''])
      expect([put.status, put.body.error.code]).toEqual([405, 'invalid_request'])
      const long = await get(`/leads?search=${'x'.repeat(60_000)}`)
      expect([200, 400]).toContain(long.status)
      expect(long.body.api_version).toBe('v1')
    })

    test('errors have their status, code and envelope', async () => {
      const inside = '{"target_url":"https://10.0.0.1","event_types":["lead.created"]}'
      const replies: [ReturnType<typeof get>, status: number, code: string][] = [
        [get('/leads/17'), 400, 'invalid_id'],
        [get('/leads?search=%00'), 400, 'invalid_request'],
        [get('/events?after=9007199254740991'), 400, 'invalid_cursor'],
        [post('{'), 400, 'invalid_json'],
        [post(inside), 400, 'invalid_subscription'],
        [sendTo(base, '/leads'), 401, 'missing_token'],
        [sendTo(base, '/leads', bearer('wda_nobody')), 401, 'invalid_token'],
        [get(`/leads/${unknownId}`), 404, 'not_found'],
        [get('/nowhere'), 404, 'not_found'],
        [post(`"${'x'.repeat(70_000)}"`), 413, 'invalid_request'],
      ]
      for (const [reply, status, code] of replies)
        expect(await reply).toMatchObject({ status, body: { api_version: 'v1', error: { code } } })
    })

    test('a key gets its scopes and no more requests than its limit', async () => {
      const key = await makeKey('read:leads')
      const ask = (path: string) => sendTo(base, path, bearer(key))
      expect((await ask('/signals')).body.error.code).toBe('missing_scope')
      const replies = await Promise.all(
        Array.from({ length: limit + 5 }, () => ask('/leads?limit=1')),
      )
      const refused = replies.filter(({ status }) => status === 429)
      expect(refused.length).toBeWithin(5, 7)
      expect(refused[0]?.body.error.code).toBe('rate_limited')
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeWithin(1, 62)
    })

    async function readFeed(): Promise<EventOnWire[]> {
      const events: EventOnWire[] = []
      for (let after = ''; ; ) {
        const { data, meta } = (await get(`/events?limit=200${after}`)).body
        if (data.length === 0) return events
        events.push(...data)
        after = `&after=${meta.next_cursor}`
      }
    }

    test('the feed has every event once, in ascending order', async () => {
      const leads = async () =>
        (await readFeed()).filter(({ event_type }) => event_type === 'lead.created').length
      const [row] = await database.sql`select count(*)::integer as count from leads`
      await until(async () => (await leads()) === row?.count, 10_000)
      const events = await readFeed()
      const cursors = events.map(({ cursor }) => cursor)
      expect(cursors).toEqual(cursors.toSorted((one, other) => one - other))
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    }, 20_000)

    test('the stream goes on where the client was, and follows what comes', async () => {
      const last = (await readFeed()).at(-1)?.cursor
      const abort = new AbortController()
      const response = await fetch(`${base}/events?types=lead.created`, {
        headers: {
          authorization: `Bearer ${workspace.key}`,
          accept: 'text/event-stream',
          'last-event-id': String(last),
        },
        signal: abort.signal,
      })
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      await database.sql`insert into leads (name) values ('Strom Eins'), ('Strom Zwei')`
      let text = ''
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true })
        if (text.split('\ndata: ').length > 2 && text.endsWith('\n\n')) break
      }
      abort.abort()
      const messages = [...text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id, data = '']) => ({
        id: Number(id),
        event: JSON.parse(data) as EventOnWire,
      }))
      expect(messages.map(({ event }) => event.data.name)).toEqual(['Strom Eins', 'Strom Zwei'])
      expect(messages.map(({ id }) => id)).toEqual(messages.map(({ event }) => event.cursor))
    }, 20_000)

    test('a change of a row reaches the subscriber, signed, again after a 503', async () => {
      await receiver.answer('/ok/blackbox', 503)
      const hook = await workspace.subscribe('/ok/blackbox', ['lead.created'])
      await database.sql`insert into leads (name) values ('Erika Beispiel')`
      await until(async () => (await receiver.requests(hook.path)).length > 0)
      await receiver.heal(hook.path)
      await until(async () => (await workspace.deliveries(hook, 'delivered')).length > 0, 10_000)
      const requests = await receiver.requests(hook.path)
      const shown = await command('hooks', 'deliveries', hook.id, '--state', 'delivered')
      expect(JSON.parse(shown.out)).toMatchObject({ attempts: requests.length })
      const { body = '', headers = {} } = requests.at(-1) ?? {}
      const event = new Webhook(hook.secret).verify(body, headers)
      expect(event).toMatchObject({ event_type: 'lead.created', data: { name: 'Erika Beispiel' } })
      expect(event).not.toHaveProperty('cursor')
      const hmac = new Bun.CryptoHasher('sha256', hook.secret)
      hmac.update(`${headers['x-service-timestamp']}.${body}`)
      expect(headers['x-service-signature']).toBe(`v1=${hmac.digest('hex')}`)
      const listed = JSON.parse((await command('hooks', 'list')).out)
      expect(listed).toMatchObject({ id: hook.id, active: true, event_types: ['lead.created'] })
      await workspace.unsubscribe()
      expect((await get('/hooks')).body.data).toEqual([])
    }, 20_000)

    test('a notice goes out by e-mail, encrypted and with the password', async () => {
      await database.sql`insert into owner_notices default values`
      await until(() => mailServer.mails.length > 0, 15_000)
      expect(mailServer.mails).toMatchObject([
        { to: ['owner@example.com'], user: smtpUser.user, encrypted: true },
      ])
    })

    const tool = async (method: string, params = {}) => {
      const response = await fetch(`${serving.url}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${workspace.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
      return ((await response.json()) as any).result
    }

    test('the tools answer what REST answers', async () => {
      expect((await tool('tools/list')).tools).toHaveLength(8)
      const args = { name: 'search_leads', arguments: { query: 'schmidt', limit: 5 } }
      const { structuredContent } = await tool('tools/call', args)
      const { data } = (await get('/leads?search=schmidt&limit=5')).body
      expect(structuredContent.data).toEqual(data)
    })

    test('the owner signs in and sees that all is well; no one else does', async () => {
      const signIn = (given: string) =>
        fetch(`${serving.url}/dashboard/sign-in`, {
          method: 'POST',
          redirect: 'manual',
          headers: { origin: serving.url },
          body: new URLSearchParams({ password: given }),
        })
      expect((await signIn('falsch')).status).not.toBe(303)
      const [cookie = ''] = (await signIn(password)).headers.getSetCookie()
      const page = (path: string, headers = { cookie: cookie.split(';')[0] ?? '' }) =>
        fetch(serving.url + path, { redirect: 'manual', headers })
      const overview = await page('/dashboard')
      const text = await overview.text()
      expect([overview.status, /class="(notice good|steps)"/.test(text)]).toEqual([200, true])
      expect(text).not.toContain('class="notice bad"')
      const assets = [...text.matchAll(/(?:href|src)="(\/dashboard\/assets\/[^"]+)"/g)]
      expect(assets.length).toBeGreaterThan(1)
      for (const [, path = ''] of assets) expect((await page(path)).status).toBe(200)
      expect((await page('/dashboard/keys')).status).toBe(200)
      expect((await page('/dashboard/keys', { cookie: '' })).status).toBe(303)
    })

    test('the description is served, with the page that shows it', async () => {
      const served = (await sendTo(base, '/openapi.json')).body
      expect(JSON.parse((await command('openapi')).out).paths).toEqual(served.paths)
      const page = await (await fetch(`${serving.url}/docs`)).text()
      const assets = [...page.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => path)
      expect(assets.length).toBeGreaterThan(1)
      for (const path of [...assets, '/healthz', '/readyz'])
        expect((await fetch(serving.url + path)).status).toBe(200)
    })

    test('the commands work while the service runs', async () => {
      const [config, keys, again, unknown] = await Promise.all([
        command('config'),
        command('keys', 'list'),
        command('demo'),
        command('serv'),
      ])
      expect(config.out).toMatch(/^DATABASE_URL=.* {2}# environment$/m)
      expect(keys.out).toContain(workspace.key.slice(0, 12))
      expect([again.code, again.out]).toEqual([1, ''])
      expect(unknown.code).toBe(2)
      expect(unknown.said).toStartWith('There is no command serv.')
      const doomed = await makeKey('read:leads')
      expect((await sendTo(base, '/leads', bearer(doomed))).status).toBe(200)
      expect((await command('keys', 'revoke', doomed)).code).toBe(0)
      await until(async () => (await sendTo(base, '/leads', bearer(doomed))).status === 401)
    }, 30_000)

    test('SIGTERM lets a delivery under way end, and the process with it', async () => {
      await receiver.hold('/ok/slow')
      const hook = await workspace.subscribe('/ok/slow', ['lead.created'])
      await database.sql`insert into leads (name) values ('Letzte')`
      await until(async () => (await receiver.requests('/ok/slow')).length === 1)
      serving.kill('SIGTERM')
      await until(() => serving.output().includes('"stopping"'))
      await receiver.release('/ok/slow')
      expect(await serving.exited).toBe(0)
      expect(await workspace.deliveries(hook, 'delivered')).toEqual([1])
      // The demo's own events and every fault would be here.
      expect(serving.output()).not.toContain('"level":"error"')
      expect(serving.output()).not.toMatch(/^\s+at /m)
    }, 30_000)
  })
}
