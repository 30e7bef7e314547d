// What the owner must be able to rely on, in a real browser: nothing shown once is lost by a click, nothing is said twice,
// nothing that was typed is lost, and a page that is not live any more says so.
import { beforeEach, expect, test } from 'bun:test'
import { seen, type Tab, timersRun, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, enter, password, signIn } from '../support/browser/dashboard.ts'
import { emptyFeed } from '../support/database/empty_feed.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService(dashboardSettings)
const browser = useBrowser()
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

beforeEach(async () => {
  await emptyFeed(api.sql)
  await api.sql`update hook_health_state set counted_to = now() - interval '2 hours'`
})

async function open(path: string, options = {}): Promise<Tab> {
  const tab = await browser.open(options)
  await enter(tab, api, path)
  return tab
}

const text = (tab: Tab) => seen(tab.locator('main'))
const press = (tab: Tab, name: string) => tab.getByRole('button', { name, exact: true }).click()

async function makeKey(tab: Tab, label = 'CRM') {
  await tab.getByLabel('Bezeichnung').fill(label)
  await press(tab, 'Schlüssel anlegen')
  return await seen(tab.locator('.copyable code').first())
}

test('no link on the page of a new key leads to the same page without it, and leaving asks first', async () => {
  const tab = await open('/dashboard/keys')
  const key = await makeKey(tab)
  expect(key).toMatch(/^wda_/)
  expect(await tab.getByRole('link', { name: 'English' }).count()).toBe(0)
  expect(await tab.getByRole('link', { name: 'Dunkel' }).count()).toBe(0)
  const asked: string[] = []
  tab.on('dialog', dialog => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  await tab.getByRole('link', { name: 'Übersicht' }).click()
  await until(() => asked.length === 1)
  expect(asked).toEqual(['beforeunload'])
  expect(await seen(tab.locator('.copyable code').first())).toBe(key)
  await tab.getByRole('link', { name: 'Ich habe ihn kopiert' }).click()
  await tab.waitForURL(/\/dashboard\/keys$/)
  expect(asked).toHaveLength(1)
  await tab.context().close()
})

test('the language and the theme change on the same page with the same filter', async () => {
  const path = '/dashboard/events?type=lead.created&type=signal.opened'
  const tab = await open(path, { colorScheme: 'light' })
  await tab.getByRole('link', { name: 'English' }).click()
  expect(tab.url()).toBe(api.service.url + path)
  expect(await seen(tab.locator('h1'))).toBe('Events')
  const ground = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await ground()
  await tab.getByRole('link', { name: 'Dark' }).click()
  expect(tab.url()).toBe(api.service.url + path)
  expect(await ground()).not.toBe(light)
  await tab.context().close()
})

test('the events say that the sign-in has ended, and lead to it', async () => {
  const tab = await open('/dashboard/events')
  const live = tab.locator('#live')
  await until(async () => (await seen(live)).startsWith('Live'))
  await api.sql`delete from owner_sessions`
  await until(async () => (await seen(live)).startsWith('Ihre Sitzung ist zu Ende'), 10_000)
  expect(await tab.locator('#pause').isVisible()).toBe(false)
  await tab.locator('#again').click()
  await tab.getByLabel('Passwort').fill(password)
  await press(tab, 'Anmelden')
  await until(async () => (await seen(tab.locator('#live'))).startsWith('Live'))
  await tab.context().close()
})

/** How many streams a tab has open; all that it makes are kept. */
async function watchStreams(tab: Tab) {
  await tab.addInitScript(() => {
    const { EventSource } = window
    const made: EventSource[] = []
    Object.assign(window, {
      made,
      EventSource: class extends EventSource {
        constructor(url: string) {
          super(url)
          made.push(this)
        }
      },
    })
  })
  return () =>
    tab.evaluate(() => {
      const { made } = window as unknown as { made: EventSource[] }
      return made.filter(({ readyState }) => readyState !== EventSource.CLOSED).length
    })
}

/** A browser without windows shows all of its tabs. */
const hide = (tab: Tab, isHidden: boolean) =>
  tab.evaluate(hidden => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)

test('a tab that is hidden keeps no stream, and shows what came once it is seen again', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const tab = await open('/dashboard/keys')
  const streams = await watchStreams(tab)
  await tab.goto(`${api.service.url}/dashboard/events`)
  await until(async () => (await seen(tab.locator('#live'))).startsWith('Live'))
  expect(await streams()).toBe(1)
  await hide(tab, true)
  expect(await streams()).toBe(0)
  await factory.event(api.sql, { cursor: 1 })
  await hide(tab, false)
  await until(async () => (await tab.locator('tbody tr').count()) === 1)
  expect(await streams()).toBe(1)
  // A page about all webhooks likewise.
  await tab.goto(`${api.service.url}/dashboard`)
  expect(await streams()).toBe(1)
  await hide(tab, true)
  expect(await streams()).toBe(0)
  await tab.goto(`${api.service.url}/dashboard/webhooks/${id}`)
  expect(await streams()).toBe(1)
  await hide(tab, true)
  expect(await streams()).toBe(0)
  await api.sql`delete from hook_subscriptions where id = ${id}`
  await hide(tab, false)
  // Of what is gone no button is left.
  await until(async () => (await text(tab)).includes('Den Webhook gibt es nicht mehr.'))
  expect(await tab.locator('main button').count()).toBe(0)
  await until(async () => (await streams()) === 0)
  await tab.context().close()
})

test('a tab that was hidden until its last event expired shows what there is, and follows', async () => {
  await factory.event(api.sql, { cursor: 1 })
  const tab = await open('/dashboard/events')
  const isLive = async () => (await seen(tab.locator('#live'))).startsWith('Live')
  await until(isLive)
  await hide(tab, true)
  for (const cursor of [2, 3]) await factory.event(api.sql, { cursor })
  await api.sql`update feed set horizon = 2`
  await hide(tab, false)
  await until(async () => (await tab.locator('tbody tr').count()) === 1, 10_000)
  await until(isLive, 10_000)
  await factory.event(api.sql, { cursor: 4 })
  await until(async () => (await tab.locator('tbody tr').count()) === 2, 10_000)
  await api.sql`update feed set horizon = 0`
  await tab.context().close()
})

test('a page whose look failed looks again', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const tab = await open('/dashboard/keys')
  const answered: number[] = []
  let isFailing = false
  await tab.route(`**/dashboard/webhooks/${id}`, async route => {
    const response = isFailing ? undefined : await route.fetch()
    answered.push(response?.status() ?? 0)
    isFailing = false
    await (response ? route.fulfill({ response }) : route.abort())
  })
  await tab.goto(`${api.service.url}/dashboard/webhooks/${id}`)
  // The page, and the look that follows when its stream is open.
  await until(() => answered.length >= 2)
  await hide(tab, true)
  await api.sql`delete from hook_subscriptions where id = ${id}`
  isFailing = true
  await hide(tab, false)
  await until(async () => (await text(tab)).includes('Den Webhook gibt es nicht mehr.'), 10_000)
  expect([answered.includes(0), answered.at(-1)]).toEqual([true, 404])
  await tab.context().close()
})

test('rows stay where they are while one has the focus, and new events are offered', async () => {
  await factory.event(api.sql, { cursor: 1 })
  const tab = await open('/dashboard/events')
  await until(async () => (await seen(tab.locator('#live'))).startsWith('Live'))
  await tab.keyboard.press('j')
  await factory.event(api.sql, { cursor: 2 })
  await until(async () => (await seen(tab.locator('#fresh'))) === 'Ein neues Ereignis anzeigen')
  expect(await tab.locator('tbody tr').count()).toBe(1)
  await tab.locator('#fresh').click()
  await until(async () => (await tab.locator('tbody tr').count()) === 2)
  expect(await tab.locator('#fresh').isVisible()).toBe(false)
  await tab.context().close()
})

test('once it is paused, a list is replaced neither by a look under way nor by one that is due', async () => {
  const tab = await open('/dashboard/keys')
  await watchStreams(tab)
  await tab.goto(`${api.service.url}/dashboard/events`)
  await until(async () => (await seen(tab.locator('#live'))).startsWith('Live'))
  const answer = Promise.withResolvers<void>()
  const looks: string[] = []
  await tab.route('**/dashboard/events', async route => {
    looks.push(route.request().url())
    await answer.promise
    await route.fulfill({ response: await route.fetch() })
  })
  const heard = tab.evaluate(
    () =>
      new Promise<void>(resolve => {
        const { made } = window as unknown as { made: EventSource[] }
        made.at(-1)?.addEventListener('message', ({ lastEventId }) => {
          if (lastEventId === '2') resolve()
        })
      }),
  )
  await factory.event(api.sql, { cursor: 1 })
  await until(() => looks.length === 1)
  // Makes the next look due, in a second and a half.
  await factory.event(api.sql, { cursor: 2 })
  await heard
  await press(tab, 'Anhalten')
  const answered = tab.waitForEvent('requestfinished')
  answer.resolve()
  await answered
  await timersRun(tab)
  expect([looks.length, await tab.locator('tbody tr').count()]).toEqual([1, 0])
  await press(tab, 'Weiter')
  await until(async () => (await tab.locator('tbody tr').count()) === 2)
  await tab.context().close()
})

test('a test that fails at first is said not to have arrived yet, until a later attempt succeeds', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const { no } = await factory.position(api.sql, id)
  const tab = await open(`/dashboard/webhooks/${id}`)
  await press(tab, 'Testereignis senden')
  const message = tab.locator('[data-done]')
  expect(await seen(message)).toStartWith('Das Testereignis ist unterwegs.')
  const cursor = Number(tab.url().split('/').at(-1))
  const attempt = { no, cursor, status: 500, error_class: 'status', outcome: 'r' }
  await factory.attempt(api.sql, attempt)
  await api.sql`update hook_retries set attempts = 1, due_at = now() + interval '1 minute'`
  await until(async () => (await seen(message)).includes('noch nicht angekommen'))
  expect(await message.getAttribute('class')).toBe('notice warn')
  await factory.attempt(api.sql, { no, cursor, attempt: 2 })
  await api.sql`delete from hook_retries`
  await until(async () => (await seen(message)) === 'Das Testereignis ist angekommen.')
  expect(await message.getAttribute('class')).toBe('notice good')
  await tab.context().close()
})

test('where the feed goes on for a webhook is said no longer once it has all', async () => {
  await factory.event(api.sql, { cursor: 1 })
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  await factory.position(api.sql, id, { cursor: 0 })
  const tab = await open(`/dashboard/webhooks/${id}`)
  expect(await text(tab)).toContain('/events?after=0')
  await factory.position(api.sql, id, { cursor: 1 })
  await until(async () => !(await text(tab)).includes('/events?after='))
  await tab.context().close()
})

test('what was typed survives the end of the sign-in, and the page says that nothing was made', async () => {
  const tab = await open('/dashboard/keys')
  await tab.getByLabel('Bezeichnung').fill('Buchhaltung')
  await tab.getByRole('checkbox', { name: /Vertriebsimpulse lesen/ }).check()
  await api.sql`delete from owner_sessions`
  await press(tab, 'Schlüssel anlegen')
  expect(await seen(tab.getByRole('alert'))).toContain('Es wurde nichts ausgeführt.')
  await tab.getByLabel('Passwort').fill(password)
  await press(tab, 'Anmelden')
  expect(await tab.getByLabel('Bezeichnung').inputValue()).toBe('Buchhaltung')
  expect(await tab.getByRole('checkbox', { name: /Vertriebsimpulse lesen/ }).isChecked()).toBe(true)
  await press(tab, 'Schlüssel anlegen')
  expect(await seen(tab.locator('.copyable code').first())).toMatch(/^wda_/)
  const rows = await api.sql`select id from api_keys where label = 'Buchhaltung'`
  expect(rows).toHaveLength(1)
  expect(await tab.evaluate(() => sessionStorage.length)).toBe(0)
  await tab.context().close()
})

test('what an action did is said once: not in the address, not at a reload', async () => {
  const { id } = await factory.hook(api.sql, {
    label: 'CRM',
    active: false,
    paused_at: ago(50),
    consecutive_failures: 10,
  })
  const tab = await open(`/dashboard/webhooks/${id}`)
  await press(tab, 'Nur wieder einschalten')
  expect(await seen(tab.locator('[data-done]'))).toBe('Der Webhook ist wieder eingeschaltet.')
  expect(tab.url()).toBe(`${api.service.url}/dashboard/webhooks/${id}`)
  expect(await tab.evaluate(() => document.activeElement?.hasAttribute('data-done'))).toBe(true)
  await tab.reload()
  expect(await tab.locator('[data-done]').count()).toBe(0)
  await tab.context().close()
})

test('the chart tells hours of the viewer and calls attempts attempts', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const { no } = await factory.position(api.sql, id)
  await factory.event(api.sql, { cursor: 1 })
  const at = ago(5)
  for (const [index, outcome] of ['r', 'r', 'f', 'd'].entries())
    await factory.attempt(api.sql, { no, outcome, started_at: new Date(at.getTime() - index) })
  const tab = await open('/dashboard', { timezoneId: 'Asia/Tokyo' })
  expect(await seen(tab.locator('.legend'))).toBe(
    '1 zugestellt\n2 Versuche wiederholt\n1 fehlgeschlagen',
  )
  const titles = await tab.locator('.chart g title').allTextContents()
  const hour = new Intl.DateTimeFormat('de-DE', { hour: '2-digit', timeZone: 'Asia/Tokyo' })
  expect(titles.join()).toContain(` ${hour.format(at).slice(0, 2)}:00: 1 zugestellt`)
  expect(titles.join()).not.toContain('UTC')
  await tab.context().close()
})

test('attempts a second apart are told apart, and equal ones stand together', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const { no } = await factory.position(api.sql, id, { cursor: 1 })
  await factory.event(api.sql, { cursor: 1 })
  const excerpt =
    '<html><head><title>Fehler</title><style>p{}</style></head><body><p>Wartung &amp; Umzug</p></body></html>'
  for (const second of [3, 2, 1])
    await factory.attempt(api.sql, {
      no,
      outcome: 'r',
      started_at: `2026-05-04T12:00:0${4 - second}Z`,
      excerpt,
    })
  await factory.retry(api.sql, { no, cursor: 1, due_at: ago(60) })
  const tab = await open(`/dashboard/webhooks/${id}/deliveries/1`)
  await until(async () => (await text(tab)).includes('14:00:03'))
  const shown = await text(tab)
  expect(shown).toContain('1. bis 3. Versuch: Antwort 500')
  expect(shown).toContain('3-mal dasselbe Ergebnis')
  expect(shown).toContain('14:00:01')
  expect(shown).toContain('Fehler Wartung & Umzug')
  expect(shown).not.toContain('<html>')
  await api.sql`delete from hook_attempts where started_at = '2026-05-04T12:00:01Z'`
  await tab.reload()
  expect(await text(tab)).toContain('1. und 2. Versuch: Antwort 500')
  // Its moment has come: there is none to name.
  expect(shown).toMatch(/Nächster Versuch\s+so bald wie möglich/)
  await tab.context().close()
})

test('what cannot be done is refused with its reason, and a page that is missing leads back', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const tab = await open(`/dashboard/webhooks/${id}`)
  // While the owner is at work in it, the form stays as it is.
  await tab.locator('#test select').focus()
  await api.sql`update hook_subscriptions set active = false, paused_at = now()`
  await tab.locator('#test button').click()
  expect(await seen(tab.locator('[data-done]'))).toBe('Das ging nicht: Der Webhook ist angehalten.')
  await tab.goto(`${api.service.url}/dashboard/webhooks/${id}/deliveries/7`)
  expect(await seen(tab.locator('h1'))).toBe('Diese Seite gibt es nicht')
  await tab.getByRole('link', { name: 'Zurück zur Seite' }).click()
  expect(await seen(tab.locator('h1'))).toBe('CRM')
  await tab.context().close()
})

test('a webhook that is deleted while its page is read is gone, and no page that never was', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const session = await signIn(api)
  const isWaiting = async () => {
    const rows = await api.sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return rows.length > 0
  }
  const { asked } = await api.sql.begin(async transaction => {
    // Its report waits, after the list for the navigation was read.
    await transaction`lock table hook_attempts in access exclusive mode`
    const asked = session.get(`/dashboard/webhooks/${id}`)
    await until(isWaiting)
    await transaction`delete from hook_subscriptions where id = ${id}`
    return { asked }
  })
  const { status, text } = await asked
  expect([status, text.includes('Den Webhook gibt es nicht mehr.')]).toEqual([404, true])
})

/** Relative luminance as WCAG defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(part => {
    const share = Number(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

test.each(['light', 'dark'] as const)(
  'what has the focus is seen: 3 to 1 in the %s theme',
  async colorScheme => {
    const tab = await open('/dashboard/keys', { colorScheme })
    for (const selector of [
      '.side nav a',
      'main input[name=label]',
      'main button',
      'main select',
      'main a',
    ]) {
      await tab.keyboard.press('Tab')
      await tab.locator(selector).first().focus()
      const found = await tab.evaluate(() => {
        const { outlineColor, outlineStyle, outlineWidth } = getComputedStyle(
          document.activeElement as Element,
        )
        const { backgroundColor } = getComputedStyle(document.body)
        return { outlineColor, outlineStyle, outlineWidth, backgroundColor }
      })
      expect([selector, found.outlineStyle, Number.parseFloat(found.outlineWidth) >= 2]).toEqual([
        selector,
        'solid',
        true,
      ])
      expect(contrast(found.outlineColor, found.backgroundColor)).toBeGreaterThanOrEqual(3)
    }
    await tab.context().close()
  },
)

test('style and script travel compressed, stay in the browser, and a page is small', async () => {
  const page = await (await signIn(api)).get('/dashboard')
  const paths = [...page.text.matchAll(/"(\/dashboard\/assets\/[^"]+)"/g)].map(
    ([, path]) => path ?? '',
  )
  expect(paths).toHaveLength(3)
  let bytes = page.text.length
  for (const path of paths) {
    const { headers, body } = await fetch(api.service.url + path, {
      headers: { 'accept-encoding': 'br' },
      decompress: false,
    } as RequestInit)
    expect([headers.get('content-encoding'), headers.get('cache-control')]).toEqual([
      'br',
      'public, max-age=31536000, immutable',
    ])
    bytes += (await new Response(body).arrayBuffer()).byteLength
    const plain = await fetch(api.service.url + path, { headers: { 'accept-encoding': 'br;q=0' } })
    expect(plain.headers.get('content-encoding')).toBe(null)
  }
  expect(bytes).toBeLessThan(30_000)
})

test('the keyboard leads through areas and rows, and leaves fields alone', async () => {
  for (const label of ['Erster', 'Zweiter']) await factory.hook(api.sql, { label })
  const tab = await open('/dashboard')
  await tab.keyboard.press('g')
  await tab.keyboard.press('w')
  await tab.waitForURL(/\/dashboard\/webhooks$/)
  const focused = () => tab.evaluate(() => document.activeElement?.textContent)
  const links = await tab.locator('main tbody th a').allTextContents()
  await tab.keyboard.press('j')
  await tab.keyboard.press('j')
  expect(await focused()).toBe(links[1] ?? '')
  await tab.keyboard.press('k')
  expect(await focused()).toBe(links[0] ?? '')
  await tab.keyboard.press('Enter')
  await until(async () => (await seen(tab.locator('h1'))) === links[0])
  await tab.goto(`${api.service.url}/dashboard/keys`)
  await tab.getByLabel('Bezeichnung').fill('g')
  await tab.keyboard.type('wjk')
  expect(await tab.getByLabel('Bezeichnung').inputValue()).toBe('gwjk')
  await tab.context().close()
})
