// The program from outside: whatever runs it and whichever PostgreSQL it is on, it does all of this. Nothing here
// knows more than an address, a command line and the tables that writers write.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { connect, type Sql } from '../../src/db/connect.ts'
import { eventTypes } from '../../src/model/event_type.ts'
import { scopes } from '../../src/model/scope.ts'
import { password } from '../support/browser/dashboard.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { administer, withDatabaseName } from '../support/database/server.ts'
import { deliveriesOf } from '../support/delivery/delivery.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import {
  missing,
  type Runtime,
  run,
  type ServingProgram,
  startProgram,
} from '../support/process/program.ts'
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts'
import { type MailServer, useMailServer } from '../support/smtp/server.ts'
import { smtpUser } from '../support/smtp/session.ts'
import { until } from '../support/until.ts'

// The limit is met with a key of its own.
const limit = 150
const unknownId = '00000000-0000-4000-8000-000000000000'
// With them come the rows that break things, which are more.
const demoLeads = 10

type Place = {
  runtime: Runtime
  name: string
  env: Record<string, string>
  serving: ServingProgram
  base: string
  key: string
  sql: Sql
  receiver: Receiver
  mailServer: MailServer
}

/** With a password, over TLS that begins in the middle. */
function mailSettings({ mailServer }: Place): Record<string, string> {
  const { user, password } = smtpUser
  const named = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`
  return {
    SMTP_URL: `smtp://${named}@localhost:${mailServer.port('right')}?tls=required`,
    NOTICE_FROM: 'workspace@example.com',
    NOTICE_TO: 'owner@example.com',
  }
}

const overridden = 'signals/list_signals.sql'

/** An override that shows in the answers. */
async function writeOverride(dir: string): Promise<string> {
  const text = await Bun.file(join(import.meta.dir, '../../sql', overridden)).text()
  await Bun.write(
    join(dir, 'sql', overridden),
    text.replace(' listed.title,', " 'Aus SQL_DIR: ' || listed.title as title,"),
  )
  return join(dir, 'sql')
}

/** Registers the suite; `server` gives the address of a PostgreSQL whose user may create databases. */
export function blackBox(runtime: Runtime, where: string, server: () => Promise<string>): void {
  const left = missing(runtime)
  if (left !== undefined) {
    test.skip(`${runtime} on ${where}: left out, because ${left}`, () => {})
    return
  }
  describe(`${runtime} on ${where}`, () => {
    const at = { runtime, mailServer: useMailServer() } as Place
    const dir = makeDataDir('blackbox')
    let admin: Sql
    beforeAll(async () => {
      const url = await server()
      admin = administer(url)
      at.name = `wda_test_blackbox_${crypto.randomUUID().slice(0, 8)}`
      await admin.unsafe(`create database ${at.name} template template0`)
      at.receiver = await startReceiver()
      writeFileSync(join(dir, 'ca.pem'), `${at.receiver.ca}\n${at.mailServer.ca()}`)
      const DATABASE_URL = withDatabaseName(url, at.name)
      at.env = {
        DATABASE_URL,
        DATA_DIR: dir,
        SQL_DIR: await writeOverride(dir),
        DASHBOARD_PASSWORD: password,
        RATE_LIMIT_PER_MINUTE: String(limit),
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        WEBHOOK_CA_FILE: join(dir, 'ca.pem'),
        WEBHOOK_RETRY_DELAYS: '0.1,0.2,0.3,0.4',
        ...mailSettings(at),
      }
      const options = { url: DATABASE_URL, connectionsMax: 2, statementTimeoutMs: 20_000 }
      at.sql = connect({ ...options, applicationName: 'test' })
      await setUp(at)
    }, 60_000)
    afterAll(async () => {
      at.serving?.kill('SIGKILL')
      await at.receiver.stop()
      await at.sql.end({ timeout: 1 })
      await admin.unsafe(`drop database if exists ${at.name} with (force)`)
      await admin.end()
      removeDataDir(dir)
    })
    tryReading(at)
    tryErrors(at)
    tryFeed(at)
    tryHooks(at)
    tryMail(at)
    tryOthers(at)
    tryCommands(at)
    // The binary, which is the sources on Bun, and PostgreSQL 18 have it in test/process/redact.test.ts, with incomes to remove.
    if (runtime === 'Deno' || where !== 'PostgreSQL 18') tryRedacting(at)
    tryEnd(at)
  })
}

const command = (at: Place, ...args: string[]) => run(at.runtime, args, at.env)
const get = (at: Place, path: string) => sendTo(at.base, path, bearer(at.key))
const makeKey = async (at: Place, named: readonly string[]) =>
  (await command(at, 'keys', 'create', '--label', 'test', '--scopes', named.join(','))).out

/** From an empty database to a service with demo data, by commands alone. */
async function setUp(at: Place) {
  const migrated = await command(at, 'migrate')
  expect([migrated.code, migrated.said]).toEqual([0, ''])
  expect(migrated.out).toMatch(/^the database is at schema \d+$/)
  const loaded = await command(at, 'demo', '--leads', String(demoLeads))
  expect([loaded.code, loaded.out]).toEqual([0, `loaded demo data with ${demoLeads} leads`])
  at.key = await makeKey(at, scopes)
  expect(at.key).toMatch(/^wda_[0-9A-Za-z]{49}$/)
  at.serving = await startProgram(at.runtime, at.env)
  at.base = `${at.serving.url}/api/v1`
}

function tryReading(at: Place) {
  test('it lives and is ready', async () => {
    for (const path of ['/healthz', '/readyz'])
      expect((await sendTo(at.serving.url, path)).status).toBe(200)
  })

  test('every resource answers as documented, lists and single ones', async () => {
    const leads = (await get(at, '/leads?limit=200&include_archived=true')).body
    expect(leads.meta.count).toBeGreaterThanOrEqual(demoLeads)
    const [first] = leads.data
    expect((await get(at, `/leads/${first.id.toUpperCase()}`)).body.data).toEqual(first)
    const search = encodeURIComponent(first.name.slice(1).toUpperCase())
    const found = await get(at, `/leads?include_archived=true&search=${search}`)
    expect(found.body.data.map((lead: { id: string }) => lead.id)).toContain(first.id)
    const [row] = await at.sql`select lead_id from lead_analyses limit 1`
    const lead_id = row?.lead_id
    expect((await get(at, `/leads/${lead_id}/analysis`)).body.data.lead_id).toBe(lead_id)

    const kontakte = (await get(at, '/kontakte?limit=200')).body.data
    const key = kontakte.map((one: { kontakt_key: string }) => one.kontakt_key)[0]
    for (const path of [
      `/kontakte/${encodeURIComponent(key)}`,
      `/kontakte/${encodeURIComponent(key)}/haushalt`,
    ])
      expect((await get(at, path)).body.data.canonical_key).toBe(key)

    const appointments = (await get(at, '/appointments?from=2000-01-01T00:00:00%2B01:00')).body.data
    expect(appointments.length).toBeGreaterThan(0)
    const meeting = await get(at, `/meetings/${appointments[0].id}/intelligence`)
    expect(meeting.body.data.appointment).toEqual(appointments[0])
    expect((await get(at, '/schemas/analysis')).status).toBe(200)
    expect((await get(at, '/hooks/sample')).body.data.length).toBe(eventTypes.length)
  })

  test('a query of SQL_DIR stands in for the one built in', async () => {
    const { data } = (await get(at, '/signals?limit=3')).body
    expect(data.length).toBe(3)
    for (const { title } of data) expect(title).toStartWith('Aus SQL_DIR: ')
  })

  test('HEAD has no body, other methods are refused, the head of a request may be large', async () => {
    const head = await sendTo(at.base, '/leads', { ...bearer(at.key), method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    const put = await sendTo(at.base, '/leads', { ...bearer(at.key), method: 'PUT' })
    expect([put.status, put.body.error.code]).toEqual([405, 'invalid_request'])
    const long = await get(at, `/leads?search=${'x'.repeat(60_000)}`)
    expect([200, 400]).toContain(long.status)
    expect(long.body.api_version).toBe('v1')
  })
}

function tryErrors(at: Place) {
  const subscribe = (body: string) => (): Promise<unknown> =>
    sendTo(at.base, '/hooks', { ...bearer(at.key), method: 'POST', body })
  const on = (path: string) => () => get(at, path)
  const cases: [status: number, code: string, send: () => Promise<unknown>][] = [
    [400, 'invalid_id', on('/leads/17')],
    [400, 'invalid_request', on('/signals?status=closed')],
    [400, 'invalid_request', on('/leads?search=%00')],
    [400, 'invalid_cursor', on('/events?after=9007199254740991')],
    [400, 'invalid_types', on('/events?types=lead.lost')],
    [400, 'unknown_event_type', on('/hooks/sample?type=lead.lost')],
    [400, 'invalid_json', subscribe('{')],
    [400, 'missing_target_url', subscribe('{}')],
    [400, 'invalid_event_types', subscribe('{"target_url":"https://hooks.example.com"}')],
    [
      400,
      'invalid_subscription',
      subscribe('{"target_url":"https://10.0.0.1","event_types":["lead.created"]}'),
    ],
    [401, 'missing_token', () => sendTo(at.base, '/leads')],
    [401, 'invalid_token', () => sendTo(at.base, '/leads', bearer('wda_nobody'))],
    [404, 'not_found', on(`/leads/${unknownId}`)],
    [404, 'not_found', on('/nowhere')],
    [413, 'invalid_request', subscribe(`"${'x'.repeat(70_000)}"`)],
  ]
  test('errors have their status, code and envelope', async () => {
    for (const [status, code, send] of cases)
      expect(await send()).toMatchObject({ status, body: { api_version: 'v1', error: { code } } })
  })

  test('a key gets its scopes and no more requests than its limit', async () => {
    const key = await makeKey(at, ['read:leads'])
    const ask = (path: string) => sendTo(at.base, path, bearer(key))
    expect(await ask('/signals')).toMatchObject({
      status: 403,
      body: { error: { code: 'missing_scope' } },
    })
    const replies = await Promise.all(
      Array.from({ length: limit + 5 }, () => ask('/leads?limit=1')),
    )
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(5)
    expect(refused.length).toBeLessThanOrEqual(6)
    expect(refused[0]?.body.error.code).toBe('rate_limited')
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeWithin(1, 62)
  })
}

type EventOnWire = { id: string; cursor: number; event_type: string; data: { name?: string } }

async function readFeed(at: Place): Promise<EventOnWire[]> {
  const events: EventOnWire[] = []
  for (let after = ''; ; ) {
    const { data, meta } = (await get(at, `/events?limit=200${after}`)).body
    if (data.length === 0) return events
    events.push(...data)
    after = `&after=${meta.next_cursor}`
  }
}

/** Reads a stream until it has brought so many messages. */
async function readStream(
  at: Place,
  headers: Record<string, string>,
  count: number,
  during = async () => {},
) {
  const abort = new AbortController()
  const response = await fetch(`${at.base}/events?types=lead.created`, {
    headers: { authorization: `Bearer ${at.key}`, accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  await during()
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.split('\ndata: ').length > count && text.endsWith('\n\n')) break
  }
  abort.abort()
  return [...text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(match => ({
    id: Number(match[1]),
    event: JSON.parse(match[2] ?? '') as EventOnWire,
  }))
}

function tryFeed(at: Place) {
  test('the feed has every event once, in ascending order', async () => {
    const leads = async () =>
      (await readFeed(at)).filter(({ event_type }) => event_type === 'lead.created').length
    const [row] = await at.sql`select count(*)::integer as count from leads`
    await until(async () => (await leads()) === row?.count, 10_000)
    const events = await readFeed(at)
    const cursors = events.map(({ cursor }) => cursor)
    expect(cursors).toEqual(cursors.toSorted((one, other) => one - other))
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  }, 20_000)

  test('the stream goes on where the client was, and follows what comes', async () => {
    const last = (await readFeed(at)).at(-1)?.cursor
    const messages = await readStream(at, { 'last-event-id': String(last) }, 2, async () => {
      await at.sql`insert into leads (name) values ('Strom Eins'), ('Strom Zwei')`
    })
    expect(messages.map(({ event }) => event.data.name)).toEqual(['Strom Eins', 'Strom Zwei'])
    expect(messages.map(({ id }) => id)).toEqual(messages.map(({ event }) => event.cursor))
  }, 20_000)
}

function tryHooks(at: Place) {
  test('a change of a row reaches the subscriber, signed, again after a 503, and every attempt is kept', async () => {
    const target_url = at.receiver.url('/ok/blackbox')
    await at.receiver.answer('/ok/blackbox', 503)
    const { status, body } = await sendTo(at.base, '/hooks', {
      ...bearer(at.key),
      method: 'POST',
      body: JSON.stringify({ target_url, event_types: ['lead.created'], label: 'CRM' }),
    })
    expect(status).toBe(201)
    const { id, signing_secret } = body.data
    await at.sql`insert into leads (name) values ('Erika Beispiel')`
    await at.receiver.waitFor(requests => requests.length > 0)
    await at.receiver.heal('/ok/blackbox')
    const attempts = async () =>
      [
        ...(await at.sql`select status from hook_attempts where subscription_id = ${id} order by started_at`),
      ].map(row => row.status)
    await until(async () => (await attempts()).at(-1) === 200)
    expect(new Set((await attempts()).slice(0, -1))).toEqual(new Set([503]))
    const request = (await at.receiver.requests('/ok/blackbox')).at(-1)
    const event = new Webhook(signing_secret).verify(request?.body ?? '', request?.headers ?? {})
    expect(event).toMatchObject({ event_type: 'lead.created', data: { name: 'Erika Beispiel' } })
    const hmac = new Bun.CryptoHasher('sha256', signing_secret)
    hmac.update(`${request?.headers['x-service-timestamp']}.${request?.body}`)
    expect(request?.headers['x-service-signature']).toBe(`v1=${hmac.digest('hex')}`)

    const listed = JSON.parse((await command(at, 'hooks', 'list')).out)
    expect(listed).toMatchObject({ id, active: true, label: 'CRM', event_types: ['lead.created'] })
    expect(listed.host).toMatch(/^127\.0\.0\.1:\d+$/)
    const removed = await sendTo(at.base, `/hooks/${id}`, { ...bearer(at.key), method: 'DELETE' })
    expect(removed.body.data).toEqual({ deleted: true })
    expect((await get(at, '/hooks')).body.data).toEqual([])
  }, 20_000)
}

function tryMail(at: Place) {
  test('a notice goes out by e-mail, encrypted and with the password', async () => {
    await at.sql`insert into owner_notices default values`
    await until(() => at.mailServer.mails.length > 0, 15_000)
    expect(at.mailServer.mails).toMatchObject([
      { to: ['owner@example.com'], user: smtpUser.user, encrypted: true },
    ])
  }, 20_000)
}

function tryOthers(at: Place) {
  const tool = async (method: string, params = {}) => {
    const response = await fetch(`${at.serving.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${at.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
    return ((await response.json()) as any).result
  }

  test('the tools answer what REST answers', async () => {
    expect((await tool('tools/list')).tools).toHaveLength(8)
    const args = { name: 'search_leads', arguments: { query: 'schmidt', limit: 5 } }
    const { structuredContent } = await tool('tools/call', args)
    const { data } = (await get(at, '/leads?search=schmidt&limit=5')).body
    expect(structuredContent.data).toEqual(data)
    const lost = { name: 'get_lead', arguments: { lead_id: unknownId } }
    expect((await tool('tools/call', lost)).isError).toBe(true)
  })

  test('the owner signs in and sees that all is well; no one else does', async () => {
    const { url } = at.serving
    const signIn = (given: string) =>
      fetch(`${url}/dashboard/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: url },
        body: new URLSearchParams({ password: given }),
      })
    expect((await signIn('falsch')).status).not.toBe(303)
    const [cookie = ''] = (await signIn(password)).headers.getSetCookie()
    const page = (path: string) =>
      fetch(`${url}${path}`, {
        redirect: 'manual',
        headers: { cookie: cookie.split(';')[0] ?? '' },
      })
    const overview = await page('/dashboard')
    const text = await overview.text()
    expect([overview.status, /class="(notice good|steps)"/.test(text)]).toEqual([200, true])
    expect(text).not.toContain('class="notice bad"')
    const styles = [...text.matchAll(/(?:href|src)="(\/dashboard\/assets\/[^"]+)"/g)]
    expect(styles.length).toBeGreaterThan(1)
    for (const [, path = ''] of styles) expect((await page(path)).status).toBe(200)
    expect((await page('/dashboard/keys')).status).toBe(200)
    expect((await fetch(`${url}/dashboard/keys`, { redirect: 'manual' })).status).toBe(303)
  })

  test('the description is served, with the page that shows it', async () => {
    const served = (await sendTo(at.base, '/openapi.json')).body
    expect(JSON.parse((await command(at, 'openapi')).out).paths).toEqual(served.paths)
    const page = await (await fetch(`${at.serving.url}/docs`)).text()
    const assets = [...page.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => path)
    expect(assets.length).toBeGreaterThan(1)
    for (const path of [...assets, '/llms.txt'])
      expect((await fetch(`${at.serving.url}${path}`)).status).toBe(200)
  })
}

function tryCommands(at: Place) {
  test('the commands work while the service runs', async () => {
    const [config, keys, again, unknown] = await Promise.all([
      command(at, 'config'),
      command(at, 'keys', 'list'),
      command(at, 'demo'),
      command(at, 'serv'),
    ])
    expect(config.out).toMatch(/^DATABASE_URL=.* {2}# environment$/m)
    expect(keys.out).toContain(at.key.slice(0, 12))
    expect([again.code, again.out]).toEqual([1, ''])
    expect([unknown.code, unknown.said]).toEqual([
      2,
      expect.stringMatching(/^There is no command serv\./),
    ])
    const doomed = await makeKey(at, ['read:leads'])
    expect((await sendTo(at.base, '/leads', bearer(doomed))).status).toBe(200)
    expect((await command(at, 'keys', 'revoke', doomed)).code).toBe(0)
    await until(async () => (await sendTo(at.base, '/leads', bearer(doomed))).status === 401)
  }, 30_000)
}

function tryRedacting(at: Place) {
  test('a look at all rows for incomes finds none in what came by the triggers', async () => {
    const { code, out } = await command(at, 'redact')
    expect([code, out]).toEqual([0, expect.stringMatching(/^leads: 0 of \d+ rows changed\n/)])
  }, 30_000)
}

function tryEnd(at: Place) {
  test('SIGTERM lets a delivery and a request under way end, and the process with them', async () => {
    await at.receiver.hold('/ok/slow')
    const { body } = await sendTo(at.base, '/hooks', {
      ...bearer(at.key),
      method: 'POST',
      body: JSON.stringify({
        target_url: at.receiver.url('/ok/slow'),
        event_types: ['lead.created'],
      }),
    })
    await at.sql`insert into leads (name) values ('Letzte')`
    await until(async () => (await at.receiver.requests('/ok/slow')).length === 1)
    at.serving.kill('SIGTERM')
    await until(() => at.serving.output().includes('"stopping"'))
    await at.receiver.release('/ok/slow')
    expect(await at.serving.exited).toBe(0)
    expect(await deliveriesOf(at.sql, body.data.id)).toMatchObject([{ state: 'delivered' }])
    // The demo's own events and every fault would be here.
    expect(at.serving.output()).not.toContain('"level":"error"')
    expect(at.serving.output()).not.toMatch(/^\s+at /m)
  }, 30_000)
}
