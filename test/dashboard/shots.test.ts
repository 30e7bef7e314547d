import { test } from 'bun:test'
import { enter, dashboardSettings } from '../support/browser/dashboard.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { demoTemplate } from '../support/database/demo.ts'
import * as factory from '../support/database/factory.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const settings: Record<string, string> = { ...dashboardSettings, RATE_LIMIT_PER_MINUTE: '60', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }
const api = useService(settings, demoTemplate)
const hooks = useHooks(api)
hooks.useWorker({})
const browser = useBrowser()
const only = process.env.SHOTS?.split(',')

test('shots', async () => {
  const types = ['lead.created', 'lead.stage_changed', 'appointment.scheduled']
  const well = await hooks.subscribe(hooks.receiver.url('/ok/well'), { label: 'CRM', event_types: types })
  await hooks.receiver.answer('/ok/bad', 401)
  const bad = await hooks.subscribe(hooks.receiver.url('/ok/bad'), { label: 'Zapier: neue Leads', event_types: ['lead.created'] })
  await hooks.receiver.answer('/ok/gone', 404)
  const failing = await hooks.subscribe(hooks.receiver.url('/ok/gone'), { label: 'Auswertung', event_types: ['appointment.scheduled'] })
  const names = ['Susanne Maier', 'Jürgen Weiß', 'Ayşe Yılmaz', 'Peter Lang', 'Susanne Maier-Schulz']
  for (let n = 0; n < 14; n += 1) await factory.lead(api.sql, { name: names[n % 5], email: `person${n}@example.org`, phone: null, created_at: new Date() })
  for (let n = 0; n < 3; n += 1) await factory.appointment(api.sql, { title: 'Erstgespräch', customer_display_name: 'Susanne Maier' })
  await until(async () => (await hooks.state(bad)).active === false, 15_000)
  await until(async () => Number((await hooks.state(failing)).consecutive_failures) >= 3, 15_000)
  for (let n = 0; n < 3; n += 1) await factory.lead(api.sql, { name: names[n], email: `late${n}@example.org` })
  await factory.hook(api.sql, { label: 'Altes CRM', active: false, paused_at: new Date(), pause_reason: 'CRM wird umgestellt' })
  const key = await api.makeKey('read:leads', 'read:events')
  for (let n = 0; n < 70; n += 1) await fetch(`${api.base}/leads?limit=${n % 9 === 0 ? 0 : 1}`, { headers: { authorization: `Bearer ${key}` } })
  await api.sql`insert into key_usage select id, date_trunc('hour', now()) - n * interval '1 hour', code, case code when '' then 40 + (n * 37) % 90 when 'rate_limited' then 4 else n end, now() - n * interval '1 hour', 'GET /api/v1/leads' from api_keys cross join generate_series(1, 22) as n cross join (values (''), ('invalid_request'), ('rate_limited')) as codes (code) where label = 'test' on conflict do nothing`
  const [cursorRow] = await api.sql`select max(cursor) as cursor from hook_attempts where subscription_id = ${bad.id}`
  const pages: Record<string, string> = {
    overview: '', keys: '/keys', newkey: '/keys?preset=zapier', webhooks: '/webhooks', newhook: '/webhooks/new?for=zapier', paused: `/webhooks/${bad.id}`, failing: `/webhooks/${failing.id}`, well: `/webhooks/${well.id}`,
    events: '/events', search: '/events?q=Susanne%20Maier', person: `/events?about=${cursorRow?.cursor}`, event: `/events/${cursorRow?.cursor}`, privacy: `/privacy?event=${cursorRow?.cursor}`, privacy0: '/privacy', system: '/system', signin: '/sign-in',
  }
  for (const [width, scheme] of [[1440, 'light'], [390, 'light'], [1440, 'dark'], [390, 'dark']] as const) {
    const tab = await browser.open({ viewport: { width, height: 900 }, colorScheme: scheme })
    for (const [name, path] of Object.entries(pages)) {
      if (only && !only.includes(name)) continue
      if (name === 'signin') await tab.context().clearCookies()
      if (name === 'signin') await tab.goto(`${api.service.url}/dashboard/sign-in`)
      else await enter(tab, api, `/dashboard${path}`)
      await tab.screenshot({ path: `/tmp/shots/${name}-${width}-${scheme}.png`, fullPage: true })
      const over = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (over > 0) console.log('sideways', name, width, over)
    }
    if (tab.complaints.length) console.log(tab.complaints)
    await tab.context().close()
  }
}, 180_000)
