// The owner looks for events: by several types, by a person, by an id; and sends one again where it was missed.
import { beforeEach, expect, test } from 'bun:test'
import { dashboardSettings, mainOf, type Session, signIn } from '../support/browser/dashboard.ts'
import { emptyFeed } from '../support/database/empty_feed.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)
let session: Session

const kinds = ['lead.created', 'signal.opened', 'lead.archived']

/** Sixty events of three types in turn, every fifth about Anna Weber. */
beforeEach(async () => {
  const { sql } = api
  await emptyFeed(sql)
  for (let cursor = 1; cursor <= 60; cursor += 1)
    await factory.event(sql, {
      cursor,
      event_type: kinds[cursor % 3],
      object_id: `thing-${cursor}`,
      data: cursor % 5 === 0 ? { name: 'Anna Weber', email: 'anna.weber@example.org' } : {},
    })
  session = await signIn(api)
})

const cursorsIn = (text: string) =>
  [...text.matchAll(/<th scope="row"><a href="\/dashboard\/events\/(\d+)"/g)].map(([, cursor]) =>
    Number(cursor),
  )

async function find(query: Record<string, string | string[]>) {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map(one => [name, one]),
  )
  const { status, text } = await session.get(`/dashboard/events?${new URLSearchParams(pairs)}`)
  expect(status).toBe(200)
  return text
}

const every = (step: number) => Array.from({ length: 60 / step }, (_, place) => 60 - place * step)

test('a person is found by address and by kontakt key, with several types, and without the live line', async () => {
  const anna = every(5)
  for (const q of [
    'anna.weber@example.org',
    'email:anna.weber@example.org',
    ' ANNA.WEBER@example.org ',
  ])
    expect([q, cursorsIn(await find({ q }))]).toEqual([q, anna])
  const types = ['lead.created', 'signal.opened']
  const found = await find({ q: 'anna.weber@example.org', type: types })
  expect(cursorsIn(found)).toEqual(anna.filter(cursor => cursor % 3 < 2))
  expect(found).not.toContain('data-stream')
  expect(found).toContain('value="anna.weber@example.org"')
  expect(await find({ type: types })).toContain('data-stream')
})

test('a search for a name says that names cannot be searched for, and what can', async () => {
  const said =
    'Nach Namen lässt sich hier nicht suchen, wohl aber nach E-Mail-Adresse, Telefonnummer, Lead-Nummer, Cursor oder Kennung.'
  expect(mainOf(await find({ q: 'Anna Weber' }))).toContain(`Kein Ereignis gefunden. ${said}`)
  const { id } = await factory.hook(api.sql)
  await factory.position(api.sql, id)
  const path = `/dashboard/webhooks/${id}`
  const deliveries = mainOf((await session.get(`${path}?q=Anna+Weber`)).text)
  expect(deliveries).toContain(`Keine Zustellungen, auf die das zutrifft. ${said}`)
  expect(mainOf((await session.get(`${path}?reason=404`)).text)).not.toContain(said)
})

test('an event is found by its id and by that of its object', async () => {
  const [row] = await api.sql`select id from events where object_id = 'thing-7'`
  expect(cursorsIn(await find({ q: String(row?.id) }))).toEqual([7])
  expect(cursorsIn(await find({ q: 'Thing-9' }))).toEqual([9])
  const none = await find({ q: 'thing-61' })
  expect([cursorsIn(none), none.includes('Kein Ereignis gefunden.')]).toEqual([[], true])
})

test('an event is found by its cursor', async () => {
  expect(cursorsIn(await find({ q: ' 7 ' }))).toEqual([7])
  expect(cursorsIn(await find({ q: '7', type: 'lead.created' }))).toEqual([])
  expect(await find({ q: '61' })).toContain('Kein Ereignis gefunden.')
})

test('a long result is shown page by page, with the search and the types', async () => {
  await api.sql`update events set data = '{"email": "anna.weber@example.org"}'`
  const first = await find({ q: 'anna.weber@example.org', type: kinds })
  expect(cursorsIn(first)).toEqual(every(1).slice(0, 50))
  const [, older = ''] = /<p><a href="([^"]+)">Ältere/.exec(first) ?? []
  const second = await session.get(older.replaceAll('&amp;', '&'))
  expect(cursorsIn(second.text)).toEqual(every(1).slice(50))
})

test('an event says who received it, and is sent where it was missed', async () => {
  const { sql } = api
  const named = async (label: string, columns: factory.Columns = {}) =>
    (await factory.hook(sql, { label, ...columns })).id as string
  const [crm, zapier, late, other] = [
    await named('CRM'),
    await named('Zapier'),
    await named('Später angelegt'),
    await named('Signale', { event_types: ['signal.opened'] }),
  ]
  for (const id of [crm, zapier, late, other]) await factory.position(sql, id, { cursor: 60 })
  await factory.attempt(sql, { subscription_id: crm, cursor: 60 })
  await factory.skip(sql, { subscription_id: zapier, to_cursor: 60 })
  const page = async () => (await session.get('/dashboard/events/60')).text
  const before = await page()
  const row = (text: string, name: string) =>
    text.split(/<\/?tr>/).find(one => one.includes(`>${name}<`)) ?? ''
  expect(row(before, 'CRM')).toMatch(/>zugestellt<.*<button>Noch einmal senden</s)
  expect(row(before, 'Zapier')).toMatch(/>verpasst<.*<button>Jetzt senden</s)
  expect(row(before, 'Später angelegt')).toMatch(/>nicht gesendet<.*<button>Jetzt senden</s)
  expect(before).not.toContain('Signale')
  const path = `/dashboard/webhooks/${zapier}/deliveries/60/redeliver`
  expect(before).toContain(`action="${path}"`)
  expect((await session.submit(path)).status).toBe(303)
  const after = row(await page(), 'Zapier')
  expect([after.includes('>wartet<'), after.includes('<button')]).toEqual([true, false])
  // One that was made after the event gets it all the same.
  const first = `/dashboard/webhooks/${late}/deliveries/60/redeliver`
  expect((await session.submit(first)).status).toBe(303)
  expect(row(await page(), 'Später angelegt')).toContain('>wartet<')
  const unknown = `/dashboard/webhooks/${late}/deliveries/61/redeliver`
  expect((await session.submit(unknown)).status).toBe(404)
})

test('nothing is said to wait at a webhook that is paused, by failures or by its owner', async () => {
  const { sql } = api
  const paused = { active: false, paused_at: factory.moment }
  const broken = { ...paused, consecutive_failures: 10, failing_since: factory.moment }
  const { id: failed } = await factory.hook(sql, { label: 'Nord', ...broken })
  const { id: byOwner } = await factory.hook(sql, { label: 'Süd', ...paused, pause_reason: '' })
  for (const id of [failed, byOwner]) await factory.position(sql, id, { cursor: 59 })
  const text = async (path: string) => mainOf((await session.get(path)).text)
  const event = await text('/dashboard/events/60')
  expect(event).toContain('Nord nach Fehlern angehalten –')
  expect(event).toContain('Süd von Ihnen angehalten –')
  expect(event).not.toContain('wartet')
  const delivery = await text(`/dashboard/webhooks/${byOwner}/deliveries/60`)
  expect(delivery).toContain('Status von Ihnen angehalten')
  expect(delivery).toContain('Nächster Versuch nicht, solange der Webhook angehalten ist')
  const list = () => text('/dashboard/events?type=lead.created')
  const { id: active } = await factory.hook(sql, { label: 'West' })
  await factory.position(sql, active, { cursor: 59 })
  expect(await list()).toMatch(/ nach Fehlern angehalten bei 1 von 3 Webhooks .* 60 /)
  await sql`delete from hook_subscriptions where id = ${active}`
  await sql`update hook_subscriptions set pause_reason = 'Umbau' where id = ${failed}`
  expect(await list()).toMatch(/ von Ihnen angehalten bei 2 Webhooks .* 60 /)
  await sql`delete from hook_subscriptions where id = ${failed}`
  expect(await list()).toMatch(/ von Ihnen angehalten Süd .* 60 /)
})

test('the list says how far each event came, and names what needs the owner first', async () => {
  const { sql } = api
  const ids: string[] = []
  for (const label of ['CRM', 'Zapier']) {
    const { id } = await factory.hook(sql, { label })
    ids.push(id)
    await factory.position(sql, id, { cursor: 59 })
  }
  const [crm, zapier] = ids
  for (const subscription_id of ids) await factory.attempt(sql, { subscription_id, cursor: 57 })
  await factory.attempt(sql, { subscription_id: crm, cursor: 54 })
  await factory.attempt(sql, { subscription_id: crm, cursor: 51 })
  await factory.attempt(sql, { subscription_id: zapier, cursor: 51, outcome: 'f', status: 500 })
  const { no } = await factory.position(sql, zapier as string, {})
  await factory.failure(sql, { no, cursor: 51 })
  const text = (await find({ type: 'lead.created' })).replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  const rows = text.split('Neuer Lead')
  const at = (cursor: number) => rows.find(one => one.trim().endsWith(` ${cursor}`)) ?? ''
  expect(at(60)).toContain('wartet bei 2 Webhooks')
  expect(at(57)).toContain('zugestellt bei 2 Webhooks')
  expect(at(54)).toContain('zugestellt CRM')
  expect(at(51)).toContain('fehlgeschlagen bei 1 von 2 Webhooks')
  expect(at(48)).toContain('– ')
})

test('of an event with many receivers those that need the owner are first, and the rest is folded', async () => {
  for (let count = 0; count < 22; count += 1) {
    const { id } = await factory.hook(api.sql, { label: `Filiale ${count}` })
    const { no } = await factory.position(api.sql, id, { cursor: 60 })
    if (count % 11 === 3) await factory.failure(api.sql, { no, cursor: 60 })
    else await factory.attempt(api.sql, { no, cursor: 60 })
  }
  const { text } = await session.get('/dashboard/events/60')
  expect(mainOf(text)).toContain('An 22 Webhooks: 2 fehlgeschlagen, 20 zugestellt.')
  const [first = '', rest = ''] = text.split('<summary>12 weitere Webhooks</summary>')
  const names = (part: string) =>
    [...part.matchAll(/deliveries\/60">(Filiale \d+)/g)].map(([, name]) => name)
  expect(names(first).slice(0, 5)).toEqual([3, 14, 0, 1, 2].map(count => `Filiale ${count}`))
  expect([names(first).length, names(rest).length]).toEqual([10, 12])
})

// The last one here: the feed goes on from there.
test('the first event after the feed was advanced has its page as all others', async () => {
  const [feed] = await api.sql`select advance_feed()::text as head`
  const cursor = Number(feed?.head) + 1
  await factory.event(api.sql, { cursor, event_type: 'lead.archived' })
  expect(cursorsIn(await find({}))[0]).toBe(cursor)
  const { status, text } = await session.get(`/dashboard/events/${cursor}`)
  expect([status, mainOf(text).includes('lead.archived')]).toEqual([200, true])
})

test('the button of the filter follows all that it applies to', async () => {
  const { text } = await session.get('/dashboard/events')
  const [, filter = ''] = /<form method="get"[^>]*>(.*?)<\/form>/s.exec(text) ?? []
  expect(filter.indexOf('<button')).toBeGreaterThan(filter.lastIndexOf('<input'))
})

test('the page of an event names whom it is about, as the list does', async () => {
  const main = async (cursor: number) =>
    mainOf((await session.get(`/dashboard/events/${cursor}`)).text)
  expect(await main(55)).toContain('Betrifft Anna Weber')
  expect(await main(54)).not.toContain('Betrifft')
})

test('what has expired is dismissed without the word that its events are still there', async () => {
  const { id } = await factory.hook(api.sql)
  const { no } = await factory.position(api.sql, id)
  await factory.skip(api.sql, { no, to_cursor: 60, reason: 'expired', events: 4 })
  const text = mainOf((await session.get(`/dashboard/webhooks/${id}`)).text)
  expect(text).toContain('4 Ereignisse verwerfen?')
  expect(text).toContain(
    'unter „Ereignisse“ stehen die Ereignisse selbst, bis ihre Aufbewahrungszeit vorbei ist.',
  )
})

test('where all events have expired, no page says that there were none yet', async () => {
  await emptyFeed(api.sql)
  const shown = async () =>
    await Promise.all(
      ['/dashboard', '/dashboard/events'].map(async path => mainOf((await session.get(path)).text)),
    )
  for (const text of await shown()) expect(text).toContain('Noch keine Ereignisse.')
  await api.sql`update feed set horizon = 60`
  try {
    for (const text of await shown()) {
      expect(text).toContain(
        'Keine Ereignisse mehr: Die Aufbewahrungszeit der früheren ist vorbei.',
      )
      expect(text).not.toContain('Noch keine Ereignisse')
    }
  } finally {
    await api.sql`update feed set horizon = 0`
  }
})
