// The owner's journeys from the first sign-in to an erasure, with clicks and forms only, in both languages.
// JOURNEY_SHOTS_DIR keeps what was seen.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { de } from '../../src/dashboard/texts/de.ts'
import { en } from '../../src/dashboard/texts/en.ts'
import type { RunningWorker } from '../../src/worker/start.ts'
import { barriers, barriersOfLook, seen, type Tab, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, password } from '../support/browser/dashboard.ts'
import { type Hooks, useHooks } from '../support/delivery/delivery.ts'
import { bearer, sendTo, type TestService, useService } from '../support/http/service.ts'
import { dump, plant, tracesIn } from '../support/people/person_data.ts'
import { until } from '../support/until.ts'

const browser = useBrowser()

const height = 900
const widths = { desk: 1440, phone: 390 }

// Clicks are made on a desk in one language and on a phone in the other; what they lead to is looked at in both widths and schemes.
const walks = [
  { texts: de, width: widths.desk },
  { texts: en, width: widths.phone },
] as const
type Walk = (typeof walks)[number] & { api: TestService; hooks: Hooks; tab: Tab; name: string }

// Where pages.test.ts looks for barriers, on pages with more to show.
const ofPages = [
  'sign-in',
  'webhook-form',
  'overview-trouble',
  'webhook-paused',
  'delivery',
  'events',
  'keys',
  'keys-revoked',
  'erasure',
]
const examined = new Set<string>(ofPages)

/** Holds for every page: as wide as the screen, no complaint, and for any other kind, in each scheme once, no barrier. */
async function look({ tab, name, width }: Walk, kind: string): Promise<void> {
  const other = width === widths.desk ? widths.phone : widths.desk
  const dir = process.env.JOURNEY_SHOTS_DIR
  for (const [wide, colorScheme, find] of [
    [other, 'dark', barriersOfLook],
    [width, 'light', barriers],
  ] as const) {
    await tab.setViewportSize({ width: wide, height })
    const widest = await tab.evaluate(() => document.documentElement.scrollWidth)
    expect([kind, widest, ...tab.complaints]).toEqual([kind, wide])
    if (examined.has(kind) && !dir) continue
    await tab.emulateMedia({ colorScheme })
    expect([kind, colorScheme, ...(await find(tab))]).toEqual([kind, colorScheme])
    const path = join(dir ?? '', `${name}-${wide}-${colorScheme}-${kind}.png`)
    if (dir) await tab.screenshot({ path, fullPage: true })
  }
  examined.add(kind)
}

const text = ({ tab }: Walk) => seen(tab.locator('main'))
const press = ({ tab }: Walk, name: string) =>
  tab.getByRole('button', { name, exact: true }).click()

/** By the navigation, which on a phone keeps some areas behind a button. */
async function go({ tab, texts }: Walk, area: keyof typeof de.pages): Promise<void> {
  const link = tab.locator('a:visible', { hasText: texts.pages[area] }).first()
  if ((await link.count()) === 0) await tab.getByText(texts.moreAreas, { exact: true }).click()
  await link.click()
  await until(async () => (await seen(tab.locator('h1'))) !== '')
}

const path = '/crm'

async function firstRun(walk: Walk): Promise<void> {
  const { tab, texts, name, api } = walk
  const { receiver } = walk.hooks
  await receiver.answer(path, 200)
  await tab.goto(`${api.service.url}/dashboard`)
  await look(walk, 'sign-in')
  await tab.getByLabel(texts.signIn.password).fill(password)
  await press(walk, texts.signIn.button)
  await tab.waitForSelector('.side')
  expect(await text(walk)).toContain(texts.first.title)
  await look(walk, 'overview')
  await go(walk, 'webhooks')
  await look(walk, 'webhooks')
  await tab.getByRole('link', { name: texts.webhooks.make }).first().click()
  await tab.getByLabel(texts.hookForm.label, { exact: true }).fill(name)
  await tab.getByLabel(texts.hookForm.target).fill(receiver.url(path))
  await tab.getByRole('checkbox', { name: texts.eventNames['signal.opened'] }).check()
  await look(walk, 'webhook-form')
  await press(walk, texts.hookForm.create)
  expect(await seen(tab.locator('h1'))).toBe(texts.hookForm.madeTitle(name))
  const secret = await seen(tab.locator('.copyable code'))
  expect(secret).toMatch(/^whsec_/)
  await look(walk, 'webhook-secret')
  await tab.getByRole('link', { name: texts.webhooks.onceDone }).click()
  expect(await tab.content()).not.toContain(secret)
  await tab.locator('#test button').click()
  await until(async () => (await text(walk)).includes('200'))
  expect(await receiver.requests(path)).toHaveLength(1)
  await look(walk, 'test-delivery')
}

async function repair(walk: Walk): Promise<void> {
  const { tab, texts, name, api, hooks } = walk
  const { receiver } = hooks
  await receiver.answer(path, 410)
  const ids = await hooks.emit(12)
  const [hook] = await until(async () => {
    const paused =
      await api.sql`select id from hook_subscriptions where label = ${name} and not active`
    return paused.length > 0 ? paused : undefined
  })
  await go(walk, 'overview')
  expect(await text(walk)).toContain(texts.overview.givenUp(12, '12'))
  await look(walk, 'overview-trouble')
  await receiver.answer(path, 200)
  await tab.getByRole('link', { name: texts.overview.repair(name) }).click()
  expect(await seen(tab.locator('main .notice.bad'))).toContain(texts.webhooks.pausedText)
  expect(await text(walk)).toContain('410')
  await look(walk, 'webhook-paused')
  await press(walk, texts.webhooks.reactivateMissed)
  expect(await seen(tab.getByRole('status').first())).toContain(texts.webhooks.done.caught_up)
  const rows = await hooks.ended({ id: hook?.id, secret: '', path }, ids.length + 1)
  expect(rows.filter(({ state }) => state !== 'delivered')).toEqual([])
  await tab.reload()
  await look(walk, 'webhook')
  await tab.locator('#live-deliveries tbody a').first().click()
  await look(walk, 'delivery')
  await go(walk, 'events')
  await look(walk, 'events')
  await go(walk, 'overview')
  expect(await text(walk)).toContain(texts.overview.well)
  await look(walk, 'overview-well')
}

async function key(walk: Walk): Promise<void> {
  const { tab, texts, name, api } = walk
  const { keys } = texts
  const status = async (one: string) => (await sendTo(api.base, '/leads', bearer(one))).status
  const shown = () => seen(tab.locator('.copyable code').first())
  await go(walk, 'keys')
  await look(walk, 'keys')
  await tab.getByLabel(keys.label).fill(name)
  await press(walk, keys.create)
  const old = await shown()
  await look(walk, 'key-secret')
  expect(await status(old)).toBe(200)
  await tab.getByRole('link', { name: keys.onceDone }).click()
  await tab.getByRole('link', { name, exact: true }).click()
  expect(await text(walk)).toContain('GET /leads')
  await look(walk, 'key')
  await go(walk, 'keys')
  const row = tab.getByRole('row').filter({ hasText: name })
  await row.locator('summary').first().click()
  await row.getByRole('button', { name: keys.rotateSure }).click()
  await until(async () => (await shown()) !== old)
  const fresh = await shown()
  expect([await status(old), await status(fresh)]).toEqual([200, 200])
  await tab.getByRole('link', { name: keys.onceDone }).click()
  const before = row.filter({ hasText: keys.soon })
  await before.locator('summary').last().click()
  await before.getByRole('button', { name: keys.revokeSure }).click()
  await until(async () => (await status(old)) === 401)
  expect(await status(fresh)).toBe(200)
  expect(await text(walk)).toContain(keys.revoked)
  await look(walk, 'keys-revoked')
}

async function erase(walk: Walk): Promise<void> {
  const { tab, texts, api } = walk
  const { erasure } = texts
  const person = await plant(api.sql, 'Sanddorn', '888300')
  await go(walk, 'privacy')
  await look(walk, 'erasure')
  await tab.getByLabel(erasure.key).fill(person.email)
  await press(walk, erasure.find)
  await look(walk, 'erasure-person')
  await press(walk, erasure.all)
  await tab.getByLabel(erasure.again).fill(person.email)
  await tab.getByLabel(erasure.check).check()
  await look(walk, 'erasure-sure')
  await press(walk, erasure.erase)
  expect(await text(walk)).toContain(erasure.done)
  await look(walk, 'erasure-report')
  expect(tracesIn(await dump(api.sql), person)).toEqual({})
}

for (const walk of walks) {
  const name = `${walk.texts.language}-${walk.width}`
  describe(name, () => {
    const api = useService({ ...dashboardSettings, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })
    const hooks = useHooks(api)
    let worker: RunningWorker
    beforeAll(async () => {
      worker = await hooks.startWorker()
    })
    afterAll(() => worker.stop())

    test('first run, repair, key, erasure', async () => {
      const tab = await browser.open({
        locale: walk.texts.language,
        viewport: { width: walk.width, height },
      })
      const started = { ...walk, api, hooks, tab, name }
      await firstRun(started)
      await repair(started)
      await key(started)
      await erase(started)
      expect(tab.complaints).toEqual([])
      await tab.context().close()
    }, 180_000)
  })
}
