// What each page says, over webhooks in every state.
import { beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { openKeyUsage } from '../../src/operations/key_usage.ts'
import {
  dashboardSettings,
  mainOf,
  press,
  readMain,
  type Session,
  signIn,
  visitor,
} from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { insertRow } from '../support/database/factory.ts'
import { quietLog, useService } from '../support/http/service.ts'

const settings: Record<string, string> = {
  ...dashboardSettings,
  RATE_LIMIT_PER_MINUTE: '240',
  HOOKS_MAX: '10',
}
const api = useService(settings)
let german: Session
let english: Session

type Ids = Record<'well' | 'failing' | 'paused' | 'byOwner' | 'open' | 'lead', string>
const ids = {} as Ids
let key: string

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
const failure = { outcome: 'f', status: 401, error_class: 'status', excerpt: 'Bad <b>token</b>' }

/** An event of each lead at cursors 1 to 6, all of which every webhook has got but those that it failed. */
beforeAll(async () => {
  const { sql } = api
  ids.lead = (await factory.lead(sql, { name: 'Susanne Maier', email: 's.maier@example.org' })).id
  for (let n = 2; n <= 6; n += 1)
    await factory.lead(sql, { name: `Person ${n}`, email: `p${n}@example.org` })
  await sql`insert into event_cursors (cursor, log_id, event_type)
    select row_number() over (order by log_id), log_id, event_type from events where event_type = 'lead.created'`
  const hook = async (label: string, columns: factory.Columns = {}) => {
    const common = { label, cursor: 6, created_at: minutesAgo(3_000) }
    return (await factory.hook(sql, { ...common, ...columns })).id
  }
  ids.well = await hook('CRM')
  ids.failing = await hook('Zapier', { consecutive_failures: 3, failing_since: minutesAgo(20) })
  const paused = { active: false, paused_at: minutesAgo(10) }
  ids.paused = await hook('Auswertung', { ...paused, consecutive_failures: 10, cursor: 4 })
  ids.byOwner = await hook('Altes CRM', { ...paused, pause_reason: 'wird umgestellt' })
  ids.open = await hook('Make')
  const attempt = (subscription_id: string, cursor: number, columns: factory.Columns = {}) => {
    const started_at = minutesAgo(10 - cursor)
    return factory.attempt(sql, { subscription_id, cursor, started_at, ...columns })
  }
  for (let cursor = 1; cursor <= 6; cursor += 1) await attempt(ids.well, cursor)
  for (const cursor of [4, 5, 6]) {
    await attempt(ids.failing, cursor, failure)
    await factory.outstanding(sql, { subscription_id: ids.failing, cursor, due_at: null })
  }
  await attempt(ids.paused, 4, { outcome: 'f', status: null, error_class: 'dns' })
  await factory.outstanding(sql, { subscription_id: ids.paused, cursor: 4, due_at: null })
  await attempt(ids.open, 3, failure)
  await attempt(ids.open, 6)
  await factory.outstanding(sql, { subscription_id: ids.open, cursor: 3, due_at: null })
  const [row] = await sql`select id from api_keys`
  key = row?.id
  const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
  const used = { '': 40, invalid_cursor: 2, missing_scope: 9, rate_limited: 5 }
  for (const [code, requests] of Object.entries(used)) {
    const last = { last_at: minutesAgo(requests), last_route: 'GET /leads' }
    await insertRow(sql, 'key_usage', { key_id: key, hour, code, requests, ...last })
  }
  german = await signIn(api)
  english = await signIn(api, 'en')
})

/** A page's address; a name in braces is the id of a webhook of the tests, or of the lead. */
const addressOf = (path: string) =>
  `/dashboard${path}`.replace(/\{(\w+)\}/, (_, name) => ids[name as keyof Ids])

/** What the German page says. */
const pages: Record<string, (string | RegExp)[]> = {
  '/sign-in': [
    /Passwort vergessen\? .*DASHBOARD_PASSWORD/,
    // A password manager keeps a password under a name.
    /name="user" value="127\.0\.0\.1:\d+" autocomplete="username"/,
  ],
  '': [
    '3 Webhooks brauchen Ihre Aufmerksamkeit',
    '„Auswertung“ beheben',
    // What has arrived by now, not how many attempts it took.
    /Angekommen 23 von 30 Zustellungen/,
    /Auswertung: Der Name der Adresse lässt sich nicht auflösen/,
    /56 in 24 Stunden, davon 11 abgelehnt und 5 über der Grenze/,
    'Susanne Maier',
  ],
  '/keys': [
    'Grenze: 240 Anfragen in der Minute. Darüber waren 5',
    'Häufigster Grund einer Ablehnung: Recht fehlt (missing_scope)',
    /Zuletzt abgelehnt vor 2 Min\. *: GET \/leads *, unbekannter Cursor \(invalid_cursor\)/,
    '40 beantwortet',
  ],
  '/webhooks': [
    // Those that need the owner come first.
    /Auswertung.*nach Fehlern angehalten Adresse nicht auffindbar.*Beheben.*Zapier.*schlägt fehl Zugang abgelehnt.*Make.*nicht alles zugestellt.*CRM.*in Ordnung/,
    /Altes CRM.*von Ihnen angehalten/,
  ],
  '/webhooks/new?for=zapier': ['Catch Hook', 'Neuer Lead'],
  '/webhooks/{well}': ['in Ordnung', 'zugestellt', 'Person 6', 'Testereignis senden'],
  '/webhooks/{failing}': [
    'Antwort 401. Der Server verlangt eine Anmeldung',
    /Warum.*Bad/,
    /1?.*Adresse prüfen.*Testen.*Abwarten/,
    'fehlgeschlagen (3)',
  ],
  '/webhooks/{paused}': [
    'Die Ursache liegt vermutlich an der Adresse',
    /Adresse prüfen.*Testen.*Wieder einschalten 3 Ereignisse sind aufgehoben/,
    '2 weitere Ereignisse warten, bis Sie den Webhook einschalten',
  ],
  '/webhooks/{byOwner}': ['wird umgestellt', 'Einschalten und alles nachliefern'],
  '/webhooks/{open}': [
    'Eine Zustellung ist endgültig fehlgeschlagen',
    'Noch einmal senden',
    'Verwerfen',
  ],
  '/events': ['Neuer Lead', 'Susanne Maier', 'Termine und Gespräche'],
  '/events?group=signals': ['Keine Ereignisse dieser Art', 'Neuer Vertriebsimpuls'],
  '/events?q=person': ['Welche Person meinen Sie?', 'Person 2', 'Ereignisse zeigen'],
  '/events?about=1': ['Ereignisse zu Susanne Maier', 'Gespeichertes ansehen oder löschen'],
  '/events/4': [
    /Zapier fehlgeschlagen.*401: Zugang abgelehnt/,
    /Auswertung fehlgeschlagen nach Fehlern angehalten Adresse nicht auffindbar/,
    /CRM zugestellt.*200/,
    'Verlauf bei „CRM“ (Versuche: 1)',
  ],
  '/privacy': ['Name, E-Mail-Adresse, Telefonnummer oder Lead-Nummer'],
  '/privacy?lead={lead}': [
    'Alles über Susanne Maier löschen',
    'E-Mail: s.maier@example.org',
    /CRM hooks\.example\.com 1 erhalten/,
  ],
  '/system': [
    /Datenbank antwortet in \d+\sms/,
    'zuletzt zugestellt',
    '240 Anfragen in der Minute',
    '5 von höchstens 10',
    'E-Mails sind möglich, sobald der Betreiber einen Mailserver einstellt',
  ],
}

test.each(Object.entries(pages))('/dashboard%s', async (path, said) => {
  const texts: string[] = []
  for (const own of [german, english]) {
    const language = own === german ? 'de' : 'en'
    const isSignIn = path === '/sign-in'
    const reader = isSignIn ? visitor(api, '', language) : own
    const { status, text } = await reader.get(addressOf(path))
    expect([status, /lang="(\w+)"/.exec(text)?.[1]]).toEqual([200, language])
    expect(mainOf(text)).not.toMatch(/undefined|\[object|NaN/)
    // The reader of the API.
    if (!isSignIn) expect(text).toContain('href="/docs"')
    texts.push(`${mainOf(text)} ${text}`)
  }
  for (const one of said) expect(texts[0]).toMatch(one)
  expect(mainOf(texts[1] ?? '')).not.toBe(mainOf(texts[0] ?? ''))
})

test('a webhook to a host that does not resolve is made, and the page reports it', async () => {
  const fields = {
    label: 'Tippfehler',
    target_url: 'https://crm.invalid/in',
    type: 'lead.created',
  }
  const { status, text } = await german.submit('/dashboard/webhooks/new', fields)
  const said = mainOf(text)
  expect([status, said.includes('Der Name crm.invalid lässt sich zurzeit nicht auflösen')]).toEqual(
    [200, true],
  )
  expect(said).toMatch(/whsec_[\w+/]{43}=/)
  // The next step has its button here.
  expect(text).toMatch(/action="\/dashboard\/webhooks\/[\w-]+\/test"/)
  const [row] = await api.sql`select id from hook_subscriptions where label = 'Tippfehler'`
  const tested = await german.submit(`/dashboard/webhooks/${row?.id}/test`, {
    type: 'lead.created',
  })
  expect(mainOf(tested.text)).toContain(
    'Das Testereignis ist nicht angekommen. Der Name der Adresse lässt sich nicht auflösen',
  )
  await press(german, `/dashboard/webhooks/${row?.id}/delete`, { sure: 'yes' })
})

const again = 'subscription_id = id and due_at is not null'
// What is sent to a webhook, what the page says then, and what holds for its row.
const acts: [act: string, fields: Record<string, string>, said: string, check: string][] = [
  ['{well}/pause', { reason: 'Umzug' }, 'ist angehalten', "not active and pause_reason = 'Umzug'"],
  ['{well}/reactivate', {}, 'wieder eingeschaltet', 'active and cursor = 6'],
  [
    '{well}/events',
    { label: 'CRM 2', type: 'lead.archived', version: 'now' },
    'Die Änderung ist gespeichert',
    "label = 'CRM 2' and event_types = '{lead.archived}'",
  ],
  [
    '{well}/address',
    { target_url: 'https://new.example.com/in' },
    'Testen Sie sie als Nächstes',
    "target_url = 'https://new.example.com/in' and label = 'CRM 2'",
  ],
  ['{well}/replay', { since: '2026-01-01T00:00' }, 'noch einmal gesendet', 'cursor = 0'],
  [
    '{failing}/redeliver',
    { all: 'yes' },
    '3 Zustellungen werden noch einmal gesendet',
    `(select count(*) = 3 from hook_outstanding where ${again})`,
  ],
  [
    '{open}/redeliver',
    { cursor: '3', from: 'event' },
    'Die Zustellung wird noch einmal gesendet',
    `exists (select from hook_outstanding where ${again} and cursor = 3)`,
  ],
  [
    '{paused}/dismiss',
    {},
    '',
    'not exists (select from hook_outstanding where subscription_id = id)',
  ],
  ['{paused}/pause', {}, 'Der Webhook ist angehalten', "not active and pause_reason = ''"],
  ['{paused}/reactivate', { from: 'head' }, 'steht in der API hinter Cursor 4', 'cursor = 6'],
  ['{byOwner}/delete', { sure: 'yes' }, 'Der Webhook ist gelöscht', 'deleted_at is not null'],
]

test.each(acts)(
  '%s is done, and shown where it was asked for',
  async (act, fields, said, check) => {
    const path = addressOf(`/webhooks/${act}`)
    const id = path.split('/').at(-2) ?? ''
    const [row] = await api.sql`select version from hook_subscriptions where id = ${id}`
    const given = fields.version ? { ...fields, version: String(row?.version) } : fields
    expect(await press(german, path, given)).toContain(said)
    const holds = `select (${check}) as done from hook_subscriptions where id = $1`
    expect((await api.sql.unsafe(holds, [id]))[0]?.done).toBe(true)
  },
)

test('a secret is rotated, shown once, and switched to', async () => {
  const path = addressOf('/webhooks/{open}')
  expect((await german.submit(`${path}/rotate`)).text).toMatch(/whsec_[\w+/]{43}=/)
  expect(await readMain(german, path)).toContain('wird noch mit dem bisherigen signiert')
  const switched = await press(german, `${path}/switch`)
  expect(switched).toContain('Ab jetzt wird mit dem neuen Geheimnis signiert')
})

test('requests of keys are counted by hour and outcome, each process adding its own', async () => {
  const database = openDatabase(api.sql, queries)
  const line = { request_id: 'r', method: 'GET', route: '/events', duration_ms: 1, key_id: key }
  for (const log of [quietLog(), quietLog()]) {
    const usage = openKeyUsage(log, database)
    log.event('request', { ...line, status: 200 })
    log.event('request', { ...line, status: 400, code: 'invalid_types' })
    log.event('request', { ...line, status: 404 })
    log.event('request', { ...line, status: 200, key_id: undefined as never })
    await Promise.all([usage.record(), usage.record()])
  }
  const rows =
    await api.sql`select code, requests, last_route from key_usage where last_route = 'GET /events' order by code`
  const counted = rows.map(({ code, requests }) => [code, requests])
  expect(counted).toEqual([
    ['', 42],
    ['404', 2],
    ['invalid_types', 2],
  ])
})
