// The owner's way through the dashboard, in a real browser: a key for an integration, a webhook that fails, is
// paused, repaired in two clicks and loses nothing, the live feed.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import type { RunningWorker } from '../../src/worker/start.ts'
import { seen, type Tab, timersRun, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, password } from '../support/browser/dashboard.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { bearer, sendTo, useService } from '../support/http/service.ts'
import { dump, plant, tracesIn } from '../support/people/person_data.ts'
import { until } from '../support/until.ts'

const api = useService(dashboardSettings)
const hooks = useHooks(api)
const { receiver } = hooks
const browser = useBrowser()
let worker: RunningWorker
let tab: Tab

beforeAll(async () => {
  worker = await hooks.startWorker()
  tab = await browser.open()
})
afterAll(async () => {
  await tab.context().close()
  await worker.stop()
})

const at = (path: string) => tab.goto(`${api.service.url}${path}`)
const text = () => seen(tab.locator('main'))
const press = (name: string) => tab.getByRole('button', { name, exact: true }).click()

test('the owner signs in', async () => {
  await at('/dashboard')
  await tab.getByLabel('Passwort').fill('nicht das richtige')
  await press('Anmelden')
  expect(await seen(tab.getByRole('alert'))).toBe('Das Passwort stimmt nicht.')
  // The wrong one answered 401, of which browsers make a line in the console.
  tab.complaints.length = 0
  await tab.getByLabel('Passwort').fill(password)
  await press('Anmelden')
  expect(await seen(tab.locator('h1'))).toBe('Übersicht')
  expect(await text()).toContain('Die ersten Schritte')
})

test('a key is made, is shown once, works, and the page tells when it was used', async () => {
  await tab.getByRole('link', { name: 'API-Schlüssel' }).click()
  await tab.getByLabel('Bezeichnung').fill('CRM „Adler“ <b>')
  const write = tab.getByRole('checkbox', { name: /Webhooks einrichten/ })
  expect(await write.isChecked()).toBe(false)
  expect(await text()).toContain('Vorsicht: Wer dieses Recht hat')
  await press('Schlüssel anlegen')
  const key = await seen(tab.locator('.copyable code').first())
  expect(key).toMatch(/^wda_\w{49}$/)
  expect((await sendTo(api.base, '/leads', bearer(key))).status).toBe(200)
  expect((await sendTo(api.base, '/hooks', bearer(key))).status).toBe(403)
  await tab.getByRole('link', { name: 'Ich habe ihn kopiert' }).click()
  const row = tab.getByRole('row').filter({ hasText: 'CRM „Adler“ <b>' })
  expect(await seen(row)).toContain(key.slice(0, 12))
  expect(await row.locator('time').count()).toBe(1)
  expect(await tab.content()).not.toContain(key)
  await row.locator('summary').last().click()
  await row.getByRole('button', { name: 'Ja, widerrufen' }).click()
  await until(async () => (await sendTo(api.base, '/leads', bearer(key))).status === 401)
  expect(await seen(tab.getByRole('row').filter({ hasText: 'Adler' }))).toContain('widerrufen')
})

test('sending the form of a new key again makes no second key', async () => {
  await at('/dashboard/keys')
  await tab.getByLabel('Bezeichnung').fill('nur einmal')
  await press('Schlüssel anlegen')
  await tab.waitForSelector('.copyable')
  tab.once('dialog', dialog => dialog.accept())
  await tab.reload()
  expect(await text()).toContain('schon abgeschickt')
  expect(await text()).toContain('widerrufen Sie ihn und legen Sie einen neuen an')
  await tab.getByRole('link', { name: 'Zurück zur Seite' }).click()
  expect(await seen(tab.locator('h1'))).toBe('API-Schlüssel')
  tab.complaints.length = 0
  const [row] = await api.sql`select count(*) from api_keys where label = 'nur einmal'`
  expect(row?.count).toBe(1)
})

test('a webhook fails until it is paused; the owner reads why, and two clicks deliver all it missed', async () => {
  await receiver.answer('/crm', 410)
  const hook = await hooks.subscribe(receiver.url('/crm'), { label: 'CRM' })
  const ids = await hooks.emit(14)
  await until(async () => (await hooks.state(hook)).active === false, 15_000)
  ids.push(...(await hooks.emit(3)))
  await until(async () => (await hooks.deliveries(hook)).length === 17)

  await at('/dashboard/status')
  expect(await seen(tab.locator('.banner'))).toContain('Der Webhook „CRM“ ist angehalten.')
  await tab.getByRole('link', { name: 'Ansehen und beheben' }).click()
  expect(await text()).toContain('Vermutlich wurde die Automatisierung dort gelöscht')
  const paused = tab.locator('main .notice.bad')
  expect(await seen(paused)).toContain('Zehn Zustellungen nacheinander')
  // How far it is is written a moment after what failed.
  await until(async () => {
    await tab.reload()
    return (await seen(paused)).includes('17 Ereignisse sind noch nicht zugestellt.')
  })
  expect(await text()).toMatch(/\/events\?after=\d+/)
  await tab.getByRole('link', { name: 'Zustellung ansehen' }).click()
  expect(await text()).toContain('status 410')
  expect(await text()).toContain('event_type: signal.opened')
  await tab.goBack()

  await receiver.answer('/crm', 200)
  await press('Wieder einschalten und alles nachliefern')
  expect(await seen(tab.getByRole('status').first())).toContain(
    'Was er nicht bekommen hat, wird nachgeliefert',
  )
  await until(
    async () => (await hooks.deliveries(hook)).every(row => row.state === 'delivered'),
    15_000,
  )
  const accepted = (await receiver.requests('/crm')).slice(-17)
  expect(new Set(accepted.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(ids))
  // That the last of it arrived is written a moment later.
  await until(async () => {
    await tab.reload()
    return (await text()).includes('in Ordnung')
  })
  expect(await tab.locator('.banner').count()).toBe(0)
})

test('a delivery is sent again, and a test event goes out', async () => {
  const hook = await hooks.subscribe(receiver.url('/ok/again'), { label: 'Noch einmal' })
  await hooks.emit(1)
  await hooks.ended(hook, 1)
  await at(`/dashboard/webhooks/${hook.id}`)
  await tab.locator('#live-deliveries tbody th a').click()
  await press('Noch einmal senden')
  await tab.getByText('Die Zustellung ist angekommen.').waitFor()
  await receiver.waitFor(requests => requests.filter(({ path }) => path === hook.path).length === 2)
  await at(`/dashboard/webhooks/${hook.id}`)
  // A double click is one test.
  await tab.getByRole('button', { name: 'Testereignis senden', exact: true }).dblclick()
  const message = tab.locator('[data-done]')
  await message.waitFor()
  const requests = await receiver.waitFor(
    all => all.filter(({ path }) => path === hook.path).length === 3,
  )
  expect(
    new Set(requests.filter(({ path }) => path === hook.path).map(({ body }) => body)).size,
  ).toBe(2)
  // The page tells by itself.
  await until(async () => (await text()).includes('1. Versuch: Antwort 200'))
  await until(async () => (await seen(message)) === 'Das Testereignis ist angekommen.')
  await receiver.answer(hook.path, 410)
  await press('Noch einmal senden')
  await until(async () => (await seen(message)).startsWith('Die Zustellung ist fehlgeschlagen'))
  expect(await message.getAttribute('class')).toBe('notice bad')
})

test('deliveries that failed stay in sight until all of them are sent again', async () => {
  await receiver.answer('/flaky', 401)
  const hook = await hooks.subscribe(receiver.url('/flaky'), {
    label: 'Zapier',
    event_types: ['signal.status_changed'],
  })
  await hooks.emit(3, 'signal.status_changed')
  await hooks.ended(hook, 3)
  await receiver.answer('/flaky', 200)
  await hooks.emit(1, 'signal.status_changed')
  await until(async () => (await hooks.state(hook)).consecutive_failures === 0)
  await at(`/dashboard/webhooks/${hook.id}`)
  expect(await tab.locator('.banner').count()).toBe(0)
  expect(await seen(tab.locator('main .notice').first())).toContain(
    '3 fehlgeschlagene Zustellungen sind noch nicht nachgeholt.',
  )
  await press('Alle noch einmal senden')
  expect(await seen(tab.locator('[data-done]'))).toBe('3 Ereignisse werden nachgeliefert.')
  await until(async () => (await text()).includes('Noch einmal gesendet: 3 von 3 sind zugestellt.'))
  await until(async () =>
    (await hooks.deliveries(hook)).every(({ state }) => state === 'delivered'),
  )
  await tab.reload()
  expect(await text()).toMatch(/Fehlgeschlagen\s*0/)
})

test('a secret is rotated, is shown once, and signs alone after the switch', async () => {
  const hook = await hooks.subscribe(receiver.url('/ok/secret'), {
    label: 'Geheim',
    event_types: ['lead.archived'],
  })
  const leading = async (secret: string) => {
    const before = (await receiver.requests(hook.path)).length
    await hooks.emit(1, 'lead.archived')
    await until(async () => (await receiver.requests(hook.path)).length > before)
    const { body, headers } = (await receiver.requests(hook.path)).at(-1) ?? {
      body: '',
      headers: {} as Record<string, string>,
    }
    const signed = `${headers['x-service-timestamp']}.${body}`
    return (
      headers['x-service-signature'] ===
      `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`
    )
  }
  await at(`/dashboard/webhooks/${hook.id}`)
  await tab.getByText('Neues Geheimnis erzeugen').click()
  await press('Jetzt erzeugen')
  const secret = await seen(tab.locator('.copyable code'))
  expect(secret).toMatch(/^whsec_/)
  await tab.getByRole('link', { name: 'Ich habe es kopiert' }).click()
  expect(await text()).toContain('Das bisherige und das neue Geheimnis gelten beide')
  expect(await tab.content()).not.toContain(secret)
  expect([await leading(hook.secret), await leading(secret)]).toEqual([true, false])
  await press('Neues Geheimnis jetzt verwenden')
  await until(() => leading(secret))
  expect(await leading(hook.secret)).toBe(false)
})

test('new events appear by themselves, and one can be looked into', async () => {
  await at('/dashboard/events?type=lead.created')
  await until(async () => (await seen(tab.locator('#live'))).startsWith('Live'))
  const name = '<img src=x onerror=alert(1)>'
  for (let count = 0; count < 3; count += 1)
    await api.sql`insert into leads (name, email) values (${name}, ${`lead${count}@example.org`})`
  await until(async () => (await tab.locator('tbody tr').count()) === 3)
  expect(await seen(tab.locator('tbody tr').first())).toContain('Neuer Lead')
  await press('Anhalten')
  await api.sql`insert into leads (name, email) values ('Später', 'spaeter@example.org')`
  await hooks.emit(1)
  await press('Weiter')
  await until(async () => (await tab.locator('tbody tr').count()) === 4)
  await tab.locator('tbody a').last().click()
  expect(await text()).toContain(name)
  expect(await tab.locator('main img').count()).toBe(0)
})

test('a list that was paused stays as it is, also while one of its deliveries is under way', async () => {
  await receiver.hold('/ok/under_way')
  await hooks.subscribe(receiver.url('/ok/under_way'), { event_types: ['lead.archived'] })
  const archive = (name: string) => api.sql`
    insert into leads (name, email, archived_at) values (${name}, 'a@example.org', now())`
  await at('/dashboard/events?type=lead.archived')
  await archive('Erste')
  await until(async () => (await tab.locator('[data-under-way]').count()) === 1)
  await press('Anhalten')
  const count = await tab.locator('tbody tr').count()
  await archive('Zweite')
  await timersRun(tab)
  expect(await tab.locator('tbody tr').count()).toBe(count)
  await press('Weiter')
  await until(async () => (await tab.locator('tbody tr').count()) === count + 1)
  await receiver.release('/ok/under_way')
})

test('a person is looked for, asked about twice, and gone; the report tells which webhook knew', async () => {
  const hook = await hooks.subscribe(receiver.url('/ok/erasure'), {
    label: 'Maklerpost',
    event_types: ['lead.created'],
  })
  const person = await plant(api.sql, 'Sanddorn', '8882001')
  await api.sql`insert into leads (name, email) values ('Sanddorn', ${person.email})`
  await hooks.ended(hook, 3)
  await at('/dashboard/status')
  await tab.getByRole('link', { name: 'Datenschutz' }).click()
  await tab.getByLabel('Wer?').fill('kein Schlüssel')
  await press('Suchen')
  expect(await seen(tab.getByRole('alert'))).toContain('Das ist keine E-Mail-Adresse')
  tab.complaints.length = 0
  await tab.getByLabel('Wer?').fill(` ${person.email.toUpperCase()} `)
  await press('Suchen')
  expect(await text()).toContain('Leads dieser Person: 3')
  expect(await seen(tab.getByRole('row').filter({ hasText: 'Sanddorn' }).first())).toContain('@')
  await press('Alles zeigen, was gespeichert ist')
  expect(await text()).toContain(`Telefon: ${person.phone}`)
  expect(await seen(tab.getByRole('row').filter({ hasText: 'Maklerpost' }))).toContain('3 erhalten')

  await tab.getByLabel('noch einmal').fill('jemand@example.org')
  await tab.getByLabel('Ja, alles über diese Person').check()
  await press('Endgültig löschen')
  expect(await seen(tab.getByRole('alert'))).toContain('stimmen nicht überein')
  expect(tracesIn(await dump(api.sql), person)).not.toEqual({})
  tab.complaints.length = 0

  await tab.getByLabel('noch einmal').fill(person.email)
  await tab.getByLabel('Ja, alles über diese Person').check()
  await press('Endgültig löschen')
  expect(await text()).toContain('Gelöscht.')
  expect(await seen(tab.getByRole('row').filter({ hasText: 'Maklerpost' }))).toContain('3 erhalten')
  expect(await tab.getByRole('button', { name: 'Drucken' }).isVisible()).toBe(true)
  expect(tab.url()).toBe(`${api.service.url}/dashboard/erasure`)
  expect(tracesIn(await dump(api.sql), person)).toEqual({})
}, 20_000)

test("times are the viewer's, and the language can be switched", async () => {
  await api.sql`update hook_subscriptions set created_at = '2026-07-01T22:30:00Z' where label = 'CRM'`
  const [hook] = await api.sql`select id from hook_subscriptions where label = 'CRM'`
  await at(`/dashboard/webhooks/${hook?.id}`)
  // The script that knows the viewer's zone comes after the page.
  const says = (moment: string) => until(async () => (await text()).includes(moment))
  await says('Do., 2. Juli 2026, 00:30')
  await tab.getByRole('link', { name: 'English' }).click()
  await says('Thu, 2 Jul 2026, 00:30')
  await tab.getByRole('link', { name: 'Deutsch' }).click()
  await says('Do., 2. Juli 2026, 00:30')
})

test('a copy button copies', async () => {
  await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await at('/dashboard/connect?for=code')
  await tab.getByRole('button', { name: 'Kopieren' }).first().click()
  const copied = await tab.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain(`"${api.service.url}/api/v1/leads?limit=5"`)
})

test('signing out ends it, and nothing on the way broke the policy or a script', async () => {
  expect(tab.complaints).toEqual([])
  await press('Abmelden')
  await at('/dashboard/keys')
  expect(await seen(tab.locator('h1'))).toBe('Anmelden')
})
