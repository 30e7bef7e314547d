// Every page, on a phone and on a desk, by day and by night, full of names that mean harm. SCREENSHOTS_DIR keeps
// what the browser saw.
import { beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { makeSigningSecret, sealSecret } from '../../src/model/signing_secret.ts'
import { barriers, barriersOfLook, type Tab, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, enter, password, signIn } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'

const api = useService(dashboardSettings)
const browser = useBrowser()

const evil = `<img src=x onerror=alert(1)>"'><script>alert(2)</script>`
const long = 'Donaudampfschifffahrtsgesellschaft'.repeat(6).slice(0, 200)
const excerpt = `<html><body onload=alert(3)>${'x'.repeat(900)}</body></html>`
const recent = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

let paths: string[] = []

beforeAll(async () => {
  const { sql } = api
  const apiKey = await factory.apiKey(sql, {
    label: evil,
    scopes: ['read:leads', 'write:hooks'],
    last_used_at: recent(5),
  })
  await factory.apiKey(sql, { label: long, expires_at: '2030-01-01T00:00:00Z' })
  await factory.apiKey(sql, { label: 'Altes Skript', revoked_at: recent(9_000) })
  await factory.apiKey(sql, { label: 'Probe', expires_at: recent(9_000) })
  const paused = await factory.hook(sql, {
    label: evil,
    target_url: `https://crm.example.com/${'a'.repeat(300)}?q=<script>`,
    event_types: ['lead.created', 'analysis.completed'],
    active: false,
    consecutive_failures: 10,
    failing_since: recent(4_000),
    paused_at: recent(3_900),
    old_secret: 'sealed',
    old_secret_until: '2030-01-01T00:00:00Z',
    old_secret_leads: true,
  })
  const failing = await factory.hook(sql, {
    label: long,
    consecutive_failures: 3,
    failing_since: recent(100),
  })
  // Its secret opens, so the page of a delivery has the request.
  const wellId = randomUUID()
  const key = [Buffer.from(secretsKey, 'base64')]
  const well = await factory.hook(sql, {
    id: wellId,
    label: 'Zapier',
    source: 'zapier',
    secret: sealSecret(makeSigningSecret(), key, wellId),
  })
  await factory.hook(sql, { label: null })
  const data = { name: evil, notiz: long }
  await factory.event(sql, { cursor: 1, data, object_id: long })
  await factory.event(sql, { cursor: 2, event_type: 'signal.opened', object_id: evil, data })
  await factory.event(sql, { cursor: 3, data, object_id: long })
  for (const [hook, outcome] of [
    [paused, 'f'],
    [failing, 'f'],
    [well, 'd'],
    [well, 'r'],
  ] as const) {
    const delivery = { subscription_id: hook.id, cursor: outcome === 'r' ? 1 : 3 }
    const more = outcome === 'd' ? {} : { excerpt }
    await factory.attempt(sql, { ...delivery, outcome, started_at: recent(180), ...more })
    if (outcome === 'f') await factory.failure(sql, delivery)
    if (outcome === 'r') await factory.retry(sql, delivery)
    await factory.position(sql, hook.id, { cursor: 1 })
  }
  const subscription_id = failing.id
  await factory.skip(sql, { subscription_id, from_cursor: 0, to_cursor: 1 })
  await factory.skip(sql, {
    subscription_id,
    from_cursor: 1,
    to_cursor: 2,
    reason: 'expired',
    events: 1_234,
  })
  await factory.skip(sql, {
    subscription_id,
    from_cursor: 2,
    to_cursor: 3,
    catching_up: true,
    events: 2,
  })
  await factory.testEvent(sql, { subscription_id: well.id })
  for (const { id } of [paused, failing])
    await factory.ownerNotice(sql, {
      subscription_id: id,
      attempts: 3,
      status: 500,
      error_class: 'status',
      created_at: recent(60),
    })
  await factory.attempt(sql, { subscription_id: well.id, cursor: -1 })
  paths = [
    '/dashboard',
    '/dashboard/keys',
    `/dashboard/keys/${apiKey.id}`,
    '/dashboard/webhooks',
    `/dashboard/webhooks/${paused.id}`,
    `/dashboard/webhooks/${failing.id}`,
    `/dashboard/webhooks/${failing.id}?state=skipped`,
    `/dashboard/webhooks/${well.id}?state=pending&span=30d`,
    `/dashboard/webhooks/${failing.id}?state=all&time=30d&from=2026-01-01T00:00&reason=5xx&span=7d`,
    `/dashboard/webhooks/${well.id}/edit`,
    `/dashboard/webhooks/${well.id}/delete`,
    '/dashboard/webhooks/new?label=Zapier&source=zapier',
    '/dashboard/events/catalog',
    '/dashboard/connect?for=crm',
    '/dashboard/connect?for=code',
    `/dashboard/webhooks/${paused.id}/deliveries/3`,
    `/dashboard/webhooks/${well.id}/deliveries/-1`,
    `/dashboard/webhooks/${well.id}/deliveries/3`,
    '/dashboard/events',
    '/dashboard/events/1',
    '/dashboard/events?type=lead.created&type=signal.opened&q=anna',
    '/dashboard/connect',
    '/dashboard/notices',
    '/dashboard/status',
    '/dashboard/erasure',
    '/dashboard/nirgends',
  ]
})

const base = () => new URL(api.service.url)

type Look = { name: string; width: number; height: number; colorScheme: 'light' | 'dark' }
const desk: Look = { name: 'desk', width: 1440, height: 900, colorScheme: 'light' }
const phone: Look = { name: 'phone', width: 390, height: 844, colorScheme: 'dark' }
// Each size and each theme once; all four pairs where screenshots are kept.
const others: Look[] = [
  { ...desk, colorScheme: 'dark' },
  { ...phone, colorScheme: 'light' },
]

async function show(tab: Tab, { width, height, colorScheme }: Look): Promise<void> {
  await tab.setViewportSize({ width, height })
  await tab.emulateMedia({ colorScheme })
}

/** The headings of what is folded that a mouse does not hit, each hidden or behind something else. Unfolds what is folded. */
const covered = (tab: Tab, isToUnfold: boolean): Promise<string[]> =>
  tab.evaluate(isToUnfold => {
    const missed = []
    for (const summary of document.querySelectorAll('summary')) {
      summary.scrollIntoView({ block: 'center' })
      const { x, y, width, height } = summary.getBoundingClientRect()
      const hit = document.elementFromPoint(x + width / 2, y + height / 2)
      if (!summary.contains(hit)) missed.push(summary.outerHTML)
      if (isToUnfold) summary.click()
    }
    return missed
  }, isToUnfold)

const dir = process.env.SCREENSHOTS_DIR

async function keep(tab: Tab, looks: Look[], page: string): Promise<void> {
  for (const look of dir ? looks : []) {
    await show(tab, look)
    await tab.screenshot({
      path: join(dir ?? '', `${look.name}-${look.colorScheme}-${page}.png`),
      fullPage: true,
    })
  }
}

test('no page has a barrier, runs what it was given, or is wider than a desk or a phone', async () => {
  const tab = await browser.open({ viewport: desk, colorScheme: desk.colorScheme })
  let dialogs = 0
  tab.on('dialog', dialog => {
    dialogs += 1
    void dialog.dismiss()
  })
  const widest = () => tab.evaluate(() => document.documentElement.scrollWidth)
  await tab.goto(`${base().origin}/dashboard/sign-in`)
  expect(await barriers(tab)).toEqual([])
  await show(tab, phone)
  expect(await barriersOfLook(tab)).toEqual([])
  await keep(tab, [desk, phone, ...others], 'sign-in')
  await enter(tab, api)
  for (const path of paths) {
    // Around each page a phone has the same, which a desk has not.
    const onPhone = path === paths[0] ? barriers : barriersOfLook
    await show(tab, desk)
    const response = await tab.goto(`${base().origin}${path}`)
    expect([path, response?.status()]).toEqual([path, path.endsWith('nirgends') ? 404 : 200])
    expect([path, ...(await covered(tab, true))]).toEqual([path])
    expect([path, await widest(), ...(await barriers(tab))]).toEqual([path, desk.width])
    await show(tab, phone)
    expect([path, ...(await covered(tab, false))]).toEqual([path])
    expect([path, await widest(), ...(await onPhone(tab))]).toEqual([path, phone.width])
    expect(await tab.locator('main img, main script').count()).toBe(0)
    const page = path.replace(/\W+/g, '-').slice(10, 40) || 'overview'
    await keep(tab, [desk, phone, ...others], page)
  }
  expect(dialogs).toBe(0)
  // Of the page that is missing browsers make a line.
  expect(tab.complaints.filter(said => !said.includes('404'))).toEqual([])
  await tab.context().close()
}, 120_000)

test('without scripts every page says the same, with times in UTC', async () => {
  const tab = await browser.open({ javaScriptEnabled: false })
  await enter(tab, api)
  const session = await signIn(api)
  for (const path of paths) {
    const { text } = await session.get(path)
    expect([path, text.match(/<h1[ >]/g)?.length]).toEqual([path, 1])
    // Most pages have nothing to copy.
    if (!text.includes('data-copy')) continue
    await tab.goto(`${base().origin}${path}`)
    expect([path, await tab.locator('[data-copy]:visible').count()]).toEqual([path, 0])
  }
  await tab.goto(`${base().origin}/dashboard/webhooks`)
  await tab.locator('tbody th a').first().click()
  expect(await tab.locator('#live-set-up time').first().textContent()).toEndWith('UTC')
  await tab.context().close()
})

test('the keyboard is enough: skip to the content, sign in, reach every link', async () => {
  const tab = await browser.open()
  await tab.goto(`${base().origin}/dashboard`)
  await tab.waitForFunction(() => document.activeElement?.matches('[type=password]'))
  await tab.keyboard.type(password)
  await tab.keyboard.press('Enter')
  await tab.waitForURL(/\/dashboard$/)
  await tab.keyboard.press('Tab')
  expect(await tab.evaluate(() => document.activeElement?.textContent)).toBe('Zum Inhalt')
  await tab.keyboard.press('Enter')
  expect(await tab.evaluate(() => document.activeElement?.id)).toBe('content')
  await tab.context().close()
})

test('both languages have every page', async () => {
  for (const language of ['de', 'en'] as const) {
    const session = await signIn(api, language)
    for (const path of paths) {
      const { text } = await session.get(path)
      expect([path, text.includes(`<html lang="${language}">`)]).toEqual([path, true])
      expect(text).not.toMatch(/undefined|\[object|=>/)
    }
  }
})
