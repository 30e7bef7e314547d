// What the owner comes for, in a browser, with a receiver and a worker that deliver: a receiver that fails, a letter with a
// name, a key that asks too much.

import { afterEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { barriers, seen, type Tab, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, enter } from '../support/browser/dashboard.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { bearer, useServiceOn } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
// Test events are sent by the service itself.
const api = useServiceOn(database, () => ({
  url: database.url,
  settings: { ...dashboardSettings, ...hooks.settings, RATE_LIMIT_PER_MINUTE: '20' },
}))
hooks.useWorker()
const browser = useBrowser()

type Look = { locale: string; colorScheme: 'light' | 'dark'; width: number }
// Each journey has both languages, colours and widths.
const looks: Look[] = [
  { locale: 'de-DE', colorScheme: 'light', width: 1_440 },
  { locale: 'en-GB', colorScheme: 'dark', width: 390 },
]
const otherLooks: Look[] = [
  { locale: 'de-DE', colorScheme: 'dark', width: 390 },
  { locale: 'en-GB', colorScheme: 'light', width: 1_440 },
]

const open = ({ width, ...look }: Look): Promise<Tab> =>
  browser.open({ ...look, viewport: { width, height: 900 } })

let tab: Tab
afterEach(async () => {
  expect(tab.complaints).toEqual([])
  await tab.context().close()
})

const main = () => seen(tab.locator('main'))
const shows = (text: RegExp) => until(async () => text.test(await main()), 10_000)

test.each(looks)(
  'a receiver that fails is found, moved, tested while paused, switched on, and gets all of it: $locale, $colorScheme, $width',
  async look => {
    const place = `/ok/${crypto.randomUUID()}`
    await hooks.receiver.answer(place, 404)
    const hook = await hooks.subscribe(hooks.receiver.url(place), {
      label: 'Altes CRM',
      event_types: ['lead.created'],
    })
    const people = Array.from({ length: 12 }, (_, n) => ({
      name: `Person ${n}`,
      email: `p${n}@example.org`,
    }))
    for (const person of people) await factory.lead(api.sql, person)
    await until(async () => (await hooks.state(hook)).active === false)
    tab = await open(look)
    await enter(tab, api)
    expect(await main()).toMatch(/braucht Ihre Aufmerksamkeit|needs attention/)
    expect(await tab.title()).toStartWith('(1)')
    await tab.locator('.notice .button.primary').click()

    // The card has the address, a test and the switch, in this order, each with its outcome.
    const card = tab.locator('#repair')
    expect(await seen(card)).toMatch(/404/)
    expect(await card.locator('h3').count()).toBe(3)
    const moved = `/ok/${crypto.randomUUID()}`
    await card.locator('[name="target_url"]').fill(hooks.receiver.url(moved))
    await card.getByRole('button', { name: /Adresse speichern|Save address/ }).click()
    await shows(/Adresse ist gespeichert|address is saved/)
    await card.getByRole('button', { name: /Testereignis senden|Send test event/ }).click()
    await shows(/Testereignis ist angekommen|test event arrived/)
    expect(
      (await hooks.receiver.requests(moved)).map(({ headers }) => headers['webhook-test']),
    ).toEqual(['true'])
    expect(await barriers(tab)).toEqual([])
    await card.getByRole('button', { name: /alles nachliefern|deliver everything/ }).click()
    expect(tab.url()).toContain(hook.id)

    // What had failed for good follows as well.
    await until(async () => new Set(await hooks.ids({ ...hook, path: moved })).size === 13, 15_000)
    const isWell = async () => {
      await tab.reload()
      return /In Ordnung|healthy/i.test(await main())
    }
    await until(isWell, 10_000)
    expect(await tab.title()).not.toStartWith('(')
    await api.sql`delete from leads`
    await api.sql`update hook_subscriptions set active = false, pause_reason = 'over'`
  },
  60_000,
)

test.each(otherLooks)(
  'a letter arrives with a name: found, events seen, erased, report saved: $locale, $colorScheme, $width',
  async look => {
    const name = 'Susanne Maier'
    await factory.lead(api.sql, { name, email: 'susanne.maier@example.org', phone: null })
    await factory.lead(api.sql, {
      name: 'Susanne Maier-Schulz',
      email: 'schulz@example.org',
      phone: null,
    })
    await until(async () => {
      const [row] = await api.sql`select count(*)::integer as count from events
      where not exists (select from event_cursors where event_cursors.log_id = events.log_id)`
      return row?.count === 0
    })
    tab = await open(look)
    await enter(tab, api, '/dashboard/events')

    // By the name to a choice, by the choice to the person's events, by those to what is stored.
    await tab.locator('[name="q"]').fill('susanne maier')
    await tab.getByRole('button', { name: /Anzeigen|Show/ }).click()
    expect(await main()).toMatch(/Welche Person|Which person/)
    await tab
      .getByRole('link', { name: new RegExp(`: ${name}$`) })
      .first()
      .click()
    await shows(new RegExp(`(Ereignisse zu|Events about) ${name}`))
    expect(await tab.locator('tbody tr').count()).toBe(1)
    await tab.getByRole('link', { name: /Gespeichertes ansehen|See what is stored/ }).click()
    expect(await main()).toContain('susanne.maier@example.org')
    expect(await barriers(tab)).toEqual([])

    // One confirmation, and a report with the name, as a file.
    await tab.locator('[name="sure"]').check()
    await tab.getByRole('button', { name: /Endgültig löschen|Erase permanently/ }).click()
    await shows(new RegExp(`${name} (ist gelöscht|has been erased)`))
    const [saved] = await Promise.all([
      tab.waitForEvent('download'),
      tab.getByRole('link', { name: /Bericht speichern|Save report/ }).click(),
    ])
    expect(readFileSync(await saved.path(), 'utf8')).toContain(name)
    const left = await api.sql`select name from leads where name like 'Susanne%'`
    expect(left.map(row => row.name)).toEqual(['Susanne Maier-Schulz'])
    await api.sql`delete from leads`
  },
  60_000,
)

test.each(looks)(
  'a key is made, asks too much, is seen to, rotated and revoked: $locale, $colorScheme, $width',
  async look => {
    const label = `CRM ${Object.values(look).join(' ')}`
    tab = await open(look)
    await enter(tab, api, '/dashboard/keys?preset=crm')
    await tab.locator('[name="label"]').fill(label)
    await tab
      .locator('form')
      .getByRole('button', { name: /Schlüssel anlegen|Create key/ })
      .click()
    const key = await seen(tab.locator('main code').first())
    expect(key).toMatch(/^wda_\w{49}$/)
    const ask = (query: string) =>
      fetch(`${api.base}/leads?${query}`, bearer(key)).then(({ status }) => status)
    expect([await ask('limit=1'), await ask('limit=0')]).toEqual([200, 400])
    const statuses = new Set<number>()
    for (let n = 0; n < 25; n += 1) statuses.add(await ask('limit=1'))
    expect(statuses).toEqual(new Set([200, 429]))

    await tab.locator('[data-seen]').click()
    const card = tab.locator('section.card', { hasText: label })
    await until(async () => /429/.test(await seen(card)))
    const said = await seen(card)
    expect(said).toMatch(/20 (Anfragen in der Minute|requests a minute)/)
    expect(said).toMatch(/invalid_request/)
    expect(said).toMatch(/GET \/leads/)
    expect(await card.locator('svg[role="img"]').getAttribute('aria-label')).toMatch(
      /1 (abgelehnt|rejected)/,
    )
    expect(await barriers(tab)).toEqual([])

    await card.getByText(/^(Erneuern|Rotate)$/).click()
    await card.getByRole('button', { name: /Neuen Schlüssel|Create new key/ }).click()
    const successor = await seen(tab.locator('main code').first())
    await tab.locator('[data-seen]').click()
    const before = tab.locator('section.card', { hasText: key.slice(0, 12) }).last()
    await until(async () => /abgelöst durch|replaced by/.test(await seen(before)))
    expect((await fetch(`${api.base}/leads?limit=1`, bearer(successor))).status).toBe(200)

    const next = tab.locator('section.card', { hasText: successor.slice(0, 12) }).first()
    await next.getByText(/^(Widerrufen|Revoke)$/).click()
    await next.getByRole('button', { name: /Ja, widerrufen|Yes, revoke/ }).click()
    await shows(/Schlüssel ist widerrufen|key is revoked/)
    await until(async () => (await fetch(`${api.base}/leads`, bearer(successor))).status === 401)
  },
  60_000,
)
