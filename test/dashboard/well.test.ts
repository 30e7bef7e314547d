// What tells whether all is well: requests of the last minute, and the last errors.
import { expect, setSystemTime, test } from 'bun:test'
import { dashboardSettings, mainOf, signIn } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)

const requestsOn = (text: string) =>
  /<dt>API requests<\/dt><dd>([\d,]+)<\/dd><dd class="muted">in the last minute/.exec(text)?.[1]

test('the overview counts the requests of the last minute, over all keys', async () => {
  const session = await signIn(api, 'en')
  expect(requestsOn((await session.get('/dashboard')).text)).toBe('0')
  const other = await api.makeKey('read:leads')
  for (let count = 0; count < 3; count += 1) await api.send('/leads')
  await api.send('/leads', { headers: { authorization: `Bearer ${other}` } })
  expect(requestsOn((await session.get('/dashboard')).text)).toBe('4')
  // Two minutes on.
  await api.sql`update rate_windows set seconds = array(select second - 120 from unnest(seconds) as second)`
  expect(requestsOn((await session.get('/dashboard')).text)).toBe('0')
  await api.send('/leads')
  expect(requestsOn((await session.get('/dashboard')).text)).toBe('1')
})

test('the page of the system does not say that events are delivered where no webhook is active', async () => {
  const session = await signIn(api, 'en')
  const page = async () => mainOf((await session.get('/dashboard/status')).text)
  const idle = 'The service is running. No webhook is active; nothing is being delivered.'
  expect(await page()).toContain(idle)
  await factory.hook(api.sql, { active: false, paused_at: factory.moment })
  const paused = await page()
  expect(paused).toContain(idle)
  expect(paused).toContain('Deliveries no active webhook')
  const { id } = await factory.hook(api.sql)
  expect(await page()).toContain('The service is running. No part that delivers events (worker)')
  expect(await page()).toContain('Deliveries no worker at the moment')
  await factory.position(api.sql, id, { worker: (await factory.worker(api.sql)).id })
  const said = 'One webhook is paused; nothing is delivered there.'
  expect(await page()).toContain(`The service is running. ${said}`)
  expect(await page()).toContain(`Deliveries running ${said}`)
  await api.sql`update hook_subscriptions set consecutive_failures = 1, failing_since = now() where active`
  expect(await page()).toContain(`${said} Deliveries to one webhook fail.`)
  await api.sql`update hook_subscriptions set consecutive_failures = 0, pause_reason = case when not active then 'rests' end`
  expect(await page()).toContain('The system works. Events are delivered')
  expect(await page()).toContain('Deliveries running Events are kept')
})

test('an error of the service is shown with the number of its request', async () => {
  const session = await signIn(api, 'en')
  const before = (await session.get('/dashboard/status')).text
  expect(before).toContain('<strong>The system works.</strong>')
  expect(before).toContain('No failed requests since')
  await api.sql`alter table leads rename to leads_away`
  const failed = await api
    .send('/leads')
    .finally(() => api.sql`alter table leads_away rename to leads`)
  expect(failed.status).toBe(500)
  const { text } = await session.get('/dashboard/status')
  expect(text).toContain('<strong>One request failed.</strong>')
  expect(text).toContain(failed.headers.get('x-request-id') ?? 'no id')
  expect(text).toContain('<code>42P01</code>')
  setSystemTime(Date.now() + 86_400_000)
  const later = await session.get('/dashboard/status').finally(() => setSystemTime())
  expect(later.text).toContain('<strong>The system works.</strong>')
  expect(later.text).toContain('<code>42P01</code>')
})

test('every page says once when nothing delivers, and what to do', async () => {
  const session = await signIn(api, 'de')
  const { id } = await factory.hook(api.sql)
  const pages = ['', '/webhooks', `/webhooks/${id}`, '/events', '/keys', '/connect', '/status']
  const said = async () => {
    const texts = pages.map(async page => (await session.get(`/dashboard${page}`)).text)
    return (await Promise.all(texts)).map(
      text => text.split('Es wird nichts zugestellt.').length - 1,
    )
  }
  expect(await said()).toEqual(pages.map(() => 0))
  await api.sql`delete from hook_workers`
  await api.sql`insert into leads (name, created_at) values ('wartet', now())`
  await api.sql`update events set occurred_at = now() - interval '1 hour'`
  expect(await said()).toEqual(pages.map(() => 1))
  const events = (await session.get('/dashboard/events')).text
  expect(events).toContain('Live: Neues erscheint, sobald der Worker läuft.')
  const { text } = await session.get('/dashboard/status')
  expect(text).toContain('Bitte sagen Sie dem Betreiber Bescheid.')
  expect(text).toContain('Ereignisse warten, das älteste')
})

test('more errors than are listed are counted all the same', async () => {
  const session = await signIn(api, 'de')
  const countOn = async () =>
    Number(/<dt>Fehler im Dienst<\/dt><dd>(\d+)/.exec((await session.get('/dashboard')).text)?.[1])
  const before = await countOn()
  await api.sql`alter table leads rename to leads_away`
  await Promise.all(Array.from({ length: 25 }, () => api.send('/leads'))).finally(
    () => api.sql`alter table leads_away rename to leads`,
  )
  expect(await countOn()).toBe(before + 25)
  expect((await session.get('/dashboard/status')).text).toContain(
    `Es waren ${before + 25} seit dem letzten Start; hier stehen die letzten 20.`,
  )
})

test('how long deliveries took is said in a sentence, where no column explains it', async () => {
  const session = await signIn(api, 'de')
  const { id } = await factory.hook(api.sql, { label: 'Dauer' })
  const { no } = await factory.position(api.sql, id)
  for (let cursor = 1; cursor <= 9; cursor += 1)
    await factory.attempt(api.sql, { no, cursor, started_at: new Date(), duration_ms: 100 })
  await factory.attempt(api.sql, { no, cursor: 10, started_at: new Date(), duration_ms: 3_000 })
  const words = /die Hälfte der Versuche dauerte höchstens \d+\sms, 95 von 100 höchstens \d,\d\ss/
  expect(mainOf((await session.get('/dashboard')).text)).toMatch(
    new RegExp(`in 24 Stunden; ${words.source}`),
  )
  expect(mainOf((await session.get(`/dashboard/webhooks/${id}`)).text)).toMatch(words)
  expect(mainOf((await session.get('/dashboard/webhooks')).text)).toContain(
    'Dauer: Die Hälfte der Versuche dauerte höchstens so lange wie der erste Wert',
  )
})

test('the last problems say in words what a receiver answered', async () => {
  const session = await signIn(api, 'de')
  const { id } = await factory.hook(api.sql, { label: 'Absage' })
  const { no } = await factory.position(api.sql, id)
  const failed = { no, outcome: 'f', started_at: new Date() }
  for (const [index, status] of [404, 503, 302].entries())
    await factory.attempt(api.sql, { ...failed, cursor: index + 1, status })
  const main = mainOf((await session.get('/dashboard')).text)
  for (const said of ['abgelehnt (404)', 'Fehler beim Empfänger (503)', 'weitergeleitet (302)'])
    expect(main).toContain(said)
})
