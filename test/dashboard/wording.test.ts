// What pages say in words: numbers of one and of many, in both languages; an empty start; a webhook without a name; an answer in
// HTML.
import { beforeEach, expect, test } from 'bun:test'
import { doneNotice } from '../../src/dashboard/done.ts'
import { duration } from '../../src/dashboard/parts.ts'
import { de } from '../../src/dashboard/texts/de.ts'
import { en } from '../../src/dashboard/texts/en.ts'
import {
  cookieFrom,
  dashboardSettings,
  mainOf,
  type Session,
  signIn,
} from '../support/browser/dashboard.ts'
import { emptyFeed } from '../support/database/empty_feed.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)
let session: Session
beforeEach(async () => {
  await emptyFeed(api.sql)
  session = await signIn(api)
})

/** What a page says, a space for each tag. */
async function main(path: string): Promise<string> {
  const { text } = await session.get(path)
  const [, own = ''] = /<main[^>]*>(.*)<\/main>/s.exec(text) ?? []
  return own.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
}

const countedOf = (texts: typeof de) =>
  Object.entries(texts.webhooks.done).flatMap(([name, said]) =>
    typeof said === 'function' ? [name] : [],
  )

test.each([
  { texts: de, many: '123.456' },
  { texts: en, many: '123,456' },
])('what was done is one or many, in $texts.language', ({ texts, many }) => {
  const said = (name: string, count: number) =>
    String(doneNotice({ texts, done: { name, count } } as never))
  const names = countedOf(texts)
  expect(names).toContain('missed')
  for (const name of names) {
    expect([name, said(name, 0)]).not.toEqual([name, expect.stringMatching(/>\s*0 /)])
    expect([name, said(name, 1)]).not.toEqual([name, expect.stringMatching(/\b1 /)])
    expect([name, said(name, 123_456)]).toEqual([name, expect.stringContaining(many)])
  }
})

test('without a webhook nothing is said to be well', async () => {
  for (const path of ['/dashboard', '/dashboard/webhooks']) {
    const text = await main(path)
    expect([path, text]).not.toEqual([path, expect.stringMatching(/Alles läuft|in Ordnung/)])
  }
})

test('a webhook without a name is its host, once', async () => {
  await factory.hook(api.sql, { label: null, target_url: 'https://crm.example.com/hook' })
  const text = await main('/dashboard/webhooks')
  expect(text.match(/crm\.example\.com/g)).toEqual(['crm.example.com'])
  expect(text).toContain('crm.example.com ohne Namen')
})

test('of an answer in HTML the owner reads its words, and finds the rest below', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  await factory.event(api.sql, { cursor: 1 })
  const { no } = await factory.position(api.sql, id, { cursor: 1 })
  const excerpt = '<html><head><style>b{}</style></head><body><h1>Gesperrt</h1></body></html>'
  await factory.attempt(api.sql, { no, cursor: 1, outcome: 'f', status: 403, excerpt })
  await factory.failure(api.sql, { no, cursor: 1 })
  const trouble = await main(`/dashboard/webhooks/${id}`)
  expect(trouble).toContain('Gesperrt')
  expect(trouble).not.toContain('&lt;h1')
  expect(await main(`/dashboard/webhooks/${id}/deliveries/1`)).toMatch(/Gesperrt .*&lt;h1&gt;/)
})

test('a test event is said to be invented, and an event to hold personal data', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const { no } = await factory.position(api.sql, id, { cursor: 1 })
  await factory.event(api.sql, { cursor: 1 })
  const { cursor } = await factory.testEvent(api.sql, { no, cursor: -5 })
  await factory.attempt(api.sql, { no, cursor: 1 })
  await factory.attempt(api.sql, { no, cursor })
  const path = `/dashboard/webhooks/${id}/deliveries`
  expect(await main(`${path}/1`)).toContain('Enthält personenbezogene Daten.')
  const invented = await main(`${path}/-5`)
  expect(invented).toContain('Ein erfundenes Beispiel')
  expect(invented).not.toContain('personenbezogene')
})

test('a key without an end is valid without one, and a renewed secret cuts nothing short afterwards', async () => {
  const key = await factory.apiKey(api.sql, { label: 'CRM' })
  expect(await main(`/dashboard/keys/${key.id}`)).toMatch(/ Gültigkeit ohne Ablauf /)
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const before = 'Ein schon laufender Wechsel wird dabei abgebrochen.'
  // Where none runs there is nothing to cut short.
  expect(await main(`/dashboard/webhooks/${id}`)).not.toContain(before)
  const { text } = await session.submit(`/dashboard/webhooks/${id}/rotate`)
  expect(mainOf(text)).toMatch(
    /Neues Geheimnis für „CRM“ .*„Neues Geheimnis jetzt verwenden“\. Nach 24 Stunden gilt von selbst nur noch das neue\./,
  )
  expect(text).not.toContain(before)
  expect(await main(`/dashboard/webhooks/${id}`)).toContain(before)
})

test('what was sent again has as many attempts in the list, in the table and on its page', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const { no } = await factory.position(api.sql, id, { cursor: 1 })
  await factory.event(api.sql, { cursor: 1 })
  await factory.attempt(api.sql, { no, cursor: 1, outcome: 'f', status: 422 })
  await factory.attempt(api.sql, { no, cursor: 1, attempt: 1 })
  const path = `/dashboard/webhooks/${id}`
  expect(await main(path)).toMatch(/zugestellt Neuer Lead – 200 12 ms 2 /)
  expect(await main(`${path}/deliveries/1`)).toContain('2. Versuch: Antwort 200')
  expect((await session.get(`${path}/export`)).text).toMatch(/"200";"12";"2"/)
})

test('what a webhook refused because it is gone is said there, and on no page of another', async () => {
  const [gone, other] = [
    await factory.hook(api.sql, { label: 'Weg' }),
    await factory.hook(api.sql, { label: 'CRM' }),
  ]
  await api.sql`delete from hook_subscriptions where id = ${gone.id}`
  const path = `/dashboard/webhooks/${gone.id}`
  const said = 'Das ging nicht: Den Webhook gibt es nicht mehr.'
  for (const action of ['pause', 'reactivate', 'reactivate-deliver', 'dismiss', 'test', 'switch']) {
    const answer = await session.submit(`${path}/${action}`)
    expect([action, answer.status, answer.location]).toEqual([action, 303, '/dashboard/webhooks'])
    const cookie = `${session.cookie}; ${cookieFrom(answer)}`
    expect((await session.get(answer.location, { cookie })).text).toContain(said)
  }
  // One that went between the action and its page.
  const cookie = `${session.cookie}; wda_done=refused_paused.0`
  const missing = await session.get(path, { cookie })
  expect([missing.status, missing.headers.getSetCookie().join()]).toEqual([
    404,
    expect.stringContaining('wda_done=;'),
  ])
  expect(missing.text).toContain('Das ging nicht: Der Webhook ist angehalten.')
  for (const below of ['', '/edit', '/deliveries/7']) {
    const { text } = await session.get(path + below)
    expect(text).toContain('<p>Den Webhook gibt es nicht mehr.</p>')
    expect(text).toContain('<a href="/dashboard/webhooks">Zur Seite „Webhooks“</a>')
  }
  expect((await session.get(`/dashboard/webhooks/${other.id}/deliveries/7`)).text).toContain(
    `<a href="/dashboard/webhooks/${other.id}">Zurück zur Seite</a>`,
  )
})

test('one second is one', () => {
  expect([de, en].map(({ signIn: { wait } }) => [wait(1), wait(2)])).toEqual([
    [expect.stringContaining(' eine Sekunde '), expect.stringContaining(' 2 Sekunden ')],
    [expect.stringContaining(' one second,'), expect.stringContaining(' 2 seconds,')],
  ])
})

test('e-mail is spelled one way, and a contact key is called so', () => {
  const texts = JSON.stringify(en, (_, one) => (typeof one === 'function' ? String(one) : one))
  expect(texts.match(/(?<!-)\bemail\b(?!":)|kontakt key/gi) ?? []).toEqual([])
  expect([de, en].map(({ erasure }) => erasure.recipientsText)).toEqual([
    expect.stringContaining('bekommen oder können sie bekommen haben'),
    expect.stringContaining('have received, or may have received,'),
  ])
})

test('a name that cannot be seen is none, and a long one is shortened in the banner and the overview', async () => {
  const target_url = 'https://crm.example.com/hook'
  for (const label of ['\u200b', ' \u00ad\u2060 ', '\u3164']) {
    const { id } = await factory.hook(api.sql, { label, target_url })
    expect(await main('/dashboard/webhooks')).toContain(' crm.example.com ohne Namen ')
    await api.sql`delete from hook_subscriptions where id = ${id}`
  }
  const family = 'Familie \u{1f468}\u200d\u{1f469}\u200d\u{1f467}'
  const paused = { active: false, paused_at: factory.moment, consecutive_failures: 10 }
  const { id } = await factory.hook(api.sql, { label: family, ...paused })
  const keys = async () => (await session.get('/dashboard/keys')).text
  expect(await keys()).toContain(`Der Webhook „${family}“ ist angehalten.`)
  const label = 'Vertriebssteuerung Süd '.repeat(9).trim().slice(0, 200)
  await factory.hook(api.sql, { label, ...paused })
  const both = await keys()
  expect(both).toContain(`>${family}</a>`)
  expect(both).toContain(`>${label.slice(0, 29)}…</a>`)
  await api.sql`delete from hook_subscriptions where id = ${id}`
  expect(await keys()).toContain(`Der Webhook „${label.slice(0, 59)}…“ ist angehalten.`)
  const overview = await main('/dashboard')
  expect(overview).toContain(`${label.slice(0, 59)}… : angehalten seit`)
  expect(overview).not.toContain(label.slice(0, 61))
})

test('a mistyped address is called so, and a link to another page names it', async () => {
  const page = async (path: string) => (await session.get(path)).text
  const mistyped = await page('/dashboard/webhoks')
  expect(mistyped).toContain('<p>Die Adresse ist vielleicht falsch geschrieben.</p>')
  expect(mistyped).toContain('<a href="/dashboard">Zur Seite „Übersicht“</a>')
  const expired = await page('/dashboard/events/999')
  expect(expired).toContain('Was sie zeigte, ist gelöscht')
  expect(expired).toContain('<a href="/dashboard/events">Zur Seite „Ereignisse“</a>')
})

test('a number stays with its unit, and what was sent is said to have been', async () => {
  expect(duration({ texts: de }, 26)).toBe('26\u00a0ms')
  expect(duration({ texts: de }, 14_321)).toBe('14\u00a0s')
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const { no } = await factory.position(api.sql, id, { cursor: 1 })
  for (const cursor of [1, 2]) await factory.event(api.sql, { cursor })
  await factory.attempt(api.sql, { no, cursor: 1 })
  const path = `/dashboard/webhooks/${id}/deliveries`
  expect(await main(`${path}/1`)).toContain('Was gesendet wurde')
  expect(await main(`${path}/2`)).toContain('Was gesendet wird')
})

test('a field that is refused names the reason, and what a row does names its key', async () => {
  const refused = async (path: string, fields: Record<string, string>) =>
    (await session.submit(path, fields)).text.match(
      /<[^>]*name="(\w+)"[^>]*aria-invalid="true" aria-describedby="mistake [\w-]+"/,
    )?.[1]
  const type = 'lead.created'
  const hooks = '/dashboard/webhooks/new'
  expect(await refused(hooks, { target_url: 'http://a.example.org', type })).toBe('target_url')
  expect(await refused(hooks, { target_url: 'https://a.example.org' })).toBeUndefined()
  expect(await refused('/dashboard/keys', { label: '', scope: 'read:leads' })).toBe('label')
  await factory.apiKey(api.sql, { label: 'Nachtlauf' })
  const { text } = await session.get('/dashboard/keys')
  for (const name of ['Erneuern: Nachtlauf', 'Widerrufen: Nachtlauf'])
    expect(text).toContain(`<summary aria-label="${name}">`)
})

test('an id may be written in capitals', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const path = `/dashboard/webhooks/${id.toUpperCase()}`
  for (const page of ['', '/edit', '/delete'])
    expect([page, (await session.get(path + page)).status]).toEqual([page, 200])
  expect((await session.submit(`${path}/test`, { type: 'lead.created' })).location).toContain(id)
  expect((await session.submit(`${path}/delete`, { name: 'CRM' })).status).toBe(303)
  expect(await api.sql`select from hook_subscriptions where id = ${id}`).toHaveLength(0)
})
