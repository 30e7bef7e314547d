// What the owner reads when deliveries do not arrive: which webhook, why, how many, and what pressing a button does.
import { beforeEach, expect, test } from 'bun:test'
import { countMax } from '../../src/operations/overview.ts'
import {
  dashboardSettings,
  mainOf,
  press as pressIn,
  readMain,
  type Session,
  signIn,
} from '../support/browser/dashboard.ts'
import { emptyFeed } from '../support/database/empty_feed.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)
let session: Session

beforeEach(async () => {
  await emptyFeed(api.sql)
  session = await signIn(api)
})

const main = (path: string) => readMain(session, path)
const press = (path: string, fields: Record<string, string> = {}) => pressIn(session, path, fields)

async function subscribe(columns: factory.Columns = {}) {
  const { id } = await factory.hook(api.sql, {
    label: 'Zapier',
    created_at: new Date(),
    ...columns,
  })
  const { no } = await factory.position(api.sql, id)
  return { id, no, path: `/dashboard/webhooks/${id}` }
}

/** So many new leads, which came some time ago. */
async function events(count: number, seconds = 0) {
  for (let cursor = 1; cursor <= count; cursor += 1)
    await factory.event(api.sql, { cursor, sequenced_at: ago(seconds) })
}

async function fail(no: number, cursor: number) {
  await factory.attempt(api.sql, { no, cursor, outcome: 'f', status: 401, started_at: ago(99) })
  await factory.failure(api.sql, { no, cursor })
}

const owned = async (id: string, lease_until = ago(-60)) =>
  factory.position(api.sql, id, {
    worker: (await factory.worker(api.sql, { lease_until })).id,
  })

test('failures of a webhook that is well again stay in sight until they are sent again, all at once', async () => {
  const { id, no, path } = await subscribe()
  await events(4)
  for (const cursor of [1, 2, 3]) await fail(no, cursor)
  await factory.attempt(api.sql, { no, cursor: 4, started_at: ago(1) })
  await factory.position(api.sql, id, { cursor: 4 })
  const before = await main(path)
  expect(before).toContain('Status nicht alles zugestellt')
  expect(before).toContain(
    '3 fehlgeschlagene Zustellungen sind noch nicht nachgeholt. Alle noch einmal senden Verwerfen',
  )
  expect(await main('/dashboard/webhooks')).toMatch(/nicht alles zugestellt .* 0 3 /)
  const overview = await main('/dashboard')
  expect(overview).toContain('Zapier: Nicht alles ist angekommen.')
  expect(overview).not.toContain('Alles läuft')
  const after = await press(`${path}/deliver-missed`)
  expect(after).toContain('3 Ereignisse werden nachgeliefert.')
  expect(after).not.toContain('Verwerfen')
  expect(after).toContain('Wartet auf Wiederholung 3 Fehlgeschlagen 0')
  expect(await press(`${path}/deliver-missed`)).toContain('Es gab nichts nachzuliefern.')
})

test('the overview, the tab and the navigation count the same webhooks', async () => {
  await subscribe({ consecutive_failures: 1, failing_since: ago(9) })
  const { no } = await subscribe({ label: 'CRM' })
  await factory.failure(api.sql, { no, cursor: 1 })
  await factory.skip(api.sql, { no: (await subscribe({ label: 'ERP' })).no, reason: 'expired' })
  // Tried again by itself, or paused by the owner: neither needs the owner.
  await factory.retry(api.sql, { no: (await subscribe()).no, cursor: 1, attempts: 1 })
  const { no: byOwner } = await subscribe({ active: false, paused_at: ago(9), pause_reason: '' })
  await factory.failure(api.sql, { no: byOwner, cursor: 1 })
  const { text } = await session.get('/dashboard')
  expect(mainOf(text)).toContain('3 Webhooks brauchen Ihre Aufmerksamkeit.')
  expect(mainOf(text)).toContain('Bei einem Webhook stocken Zustellungen.')
  expect(text).toContain('<title>(3) ')
  expect(text).toContain('title="3 Webhooks brauchen Ihre Aufmerksamkeit.">3</span>')
  expect(await main('/dashboard/webhooks')).toMatch(/ERP \S+ nicht alles zugestellt /)
})

test('a webhook whose events are tried again is named on the overview, and its retries are shown', async () => {
  const { id, no, path } = await subscribe()
  await events(2)
  await factory.attempt(api.sql, { no, cursor: 1, outcome: 'r', status: 500, started_at: ago(5) })
  await factory.retry(api.sql, { no, cursor: 1, attempts: 1, due_at: ago(-9) })
  await factory.position(api.sql, id, { cursor: 2 })
  const overview = await main('/dashboard')
  expect(overview).toContain(
    'Bei einem Webhook stocken Zustellungen. Zapier: Zustellungen schlagen fehl; sie werden von selbst',
  )
  expect(overview).toContain('Noch nicht zugestellt 1 wird wiederholt')
  expect(overview).not.toContain('Alles läuft')
  const page = await main(path)
  expect(page).toContain('wartet (1)')
  expect(page).not.toContain('Keine Zustellungen mit diesem Status')
  // Nothing waits for its turn, so nothing is the oldest.
  expect(page).toMatch(/Noch nicht gesendet 0 Wartet auf Wiederholung 1/)
})

test('a test event that arrives is no delivery, and ends no alarm', async () => {
  const { no } = await subscribe()
  await events(1)
  await fail(no, 1)
  const { cursor } = await factory.testEvent(api.sql, { no, cursor: -999 })
  await factory.attempt(api.sql, { no, cursor, started_at: ago(1) })
  const overview = await main('/dashboard')
  expect(overview).not.toContain('100 %')
  expect(overview).toContain('Nicht alles ist angekommen')
  // The first steps know better.
  expect(overview).not.toContain('Ein Testereignis, das ankommt. Test senden')
})

test('failures are dismissed, and missed events with them; the webhook goes on', async () => {
  const { id, no, path } = await subscribe({ consecutive_failures: 1, failing_since: ago(99) })
  await events(4)
  await fail(no, 4)
  await factory.position(api.sql, id, { cursor: 4 })
  await factory.skip(api.sql, { no, to_cursor: 2, events: 2 })
  await factory.skip(api.sql, { no, to_cursor: 3, events: 1_500, reason: 'expired' })
  const before = await main(path)
  expect(before).toContain('Schlägt fehl Die letzte Zustellung ist endgültig fehlgeschlagen.')
  expect(before).toContain('Antwort 401. Der Server verlangt eine Anmeldung')
  expect(before).toContain(
    'Eine fehlgeschlagene Zustellung ist noch nicht nachgeholt. 2 Ereignisse hat der Webhook verpasst, während er angehalten war. 1.500 Ereignisse sind verfallen: Sie lassen sich nicht mehr zustellen',
  )
  expect(before).toContain('Alles nachliefern Verwerfen')
  expect(before).toContain('Fehlgeschlagen 1 Verpasst 1.502 (davon 1.500 verfallen)')
  const after = await press(`${path}/dismiss`, { shown: '1503' })
  expect(after).toContain('1.503 Ereignisse sind verworfen.')
  expect(after).not.toContain('Alles nachliefern')
  expect(await main(`${path}/deliveries/4`)).toContain('Status fehlgeschlagen')
})

test('no more is dismissed than the page asked about', async () => {
  const { id, no, path } = await subscribe()
  await events(4)
  await factory.position(api.sql, id, { cursor: 4 })
  for (const cursor of [1, 2]) await fail(no, cursor)
  await factory.skip(api.sql, { no, to_cursor: 3, events: 2 })
  const { text } = await session.get(path)
  expect(mainOf(text)).toContain('4 Ereignisse verwerfen?')
  const [, shown = ''] = /name="shown" value="(\d+)"/.exec(text) ?? []
  for (const cursor of [3, 4]) await fail(no, cursor)
  await factory.skip(api.sql, { no, to_cursor: 4, from_cursor: 3, events: 1 })
  const refused = await press(`${path}/dismiss`, { shown })
  expect(refused).toContain('Inzwischen sind es 7 Ereignisse. Bitte bestätigen Sie noch einmal.')
  expect(refused).toContain('7 Ereignisse verwerfen?')
  expect(await press(`${path}/dismiss`, { shown: '7' })).toContain('7 Ereignisse sind verworfen.')
})

test('where the page stopped counting, all is dismissed', async () => {
  const { no, path } = await subscribe()
  await factory.skip(api.sql, { no, events: 20_000 })
  const { text } = await session.get(path)
  expect(mainOf(text)).toContain('mindestens 10.000 Ereignisse verwerfen?')
  const [, shown = ''] = /name="shown" value="(\d+)"/.exec(text) ?? []
  await api.sql`update hook_skips set events = 30000`
  expect(await press(`${path}/dismiss`, { shown })).toContain('30.000 Ereignisse sind verworfen.')
})

test('catching up shows how far it is once the rest can be counted', async () => {
  const { id, no, path } = await subscribe()
  await events(1)
  await api.sql`
    with logged as (
      insert into events (event_type, schema_version, occurred_at, object_type, object_id, links, data)
      select event_type, schema_version, occurred_at, object_type, object_id, links, data
      from events cross join generate_series(2, ${countMax})
      returning log_id, event_type
    )
    insert into event_cursors (cursor, log_id, event_type)
    select 1 + row_number() over (), log_id, event_type from logged`
  await factory.position(api.sql, id, { cursor: countMax })
  await owned(id)
  await factory.skip(api.sql, { no, to_cursor: countMax, events: 40_000, catching_up: true })
  const bar = async () => /<progress[^>]*>/.exec((await session.get(path)).text)?.[0]
  expect(await main(path)).toContain('noch mindestens 10.000 von 40.000 Ereignissen')
  expect(await bar()).toBe('<progress aria-labelledby="catching-up" max="40000">')
  await api.sql`update hook_skips set from_cursor = 1`
  expect(await main(path)).toContain('noch 9.999 von 40.000 Ereignissen')
  expect(await bar()).toBe('<progress aria-labelledby="catching-up" value="30001" max="40000">')
})

test('what expired can be dismissed, and not sent', async () => {
  const { id, no, path } = await subscribe()
  await owned(id)
  await factory.skip(api.sql, { no, reason: 'expired' })
  const page = await main(path)
  expect(page).toContain('Ein Ereignis ist verfallen: Es lässt sich nicht mehr zustellen')
  expect(page).toContain('Verwerfen')
  expect(page).not.toMatch(/Alles nachliefern|noch einmal senden/)
  const listed = (await main(`${path}?state=skipped`)).split('Zustellungen').at(-1)
  expect(listed).toContain('verpasst (1)')
  expect(listed).toContain('Ein Ereignis ist verfallen: Es lässt sich nicht mehr zustellen')
  const overview = await main('/dashboard')
  expect(overview).toContain(
    'Ein Webhook braucht Ihre Aufmerksamkeit. Zapier: Ereignisse sind verfallen; sie lassen sich nicht mehr zustellen.',
  )
  expect(overview).not.toContain('Alles läuft')
  await press(`${path}/dismiss`, { shown: '1' })
  expect(await main('/dashboard')).toContain('Alles läuft.')
})

test('a range of which nothing is left needs nothing, and a test event stands for no delivery', async () => {
  const { id, no } = await subscribe()
  await owned(id)
  await factory.skip(api.sql, { no, reason: 'expired', events: 0 })
  await factory.testEvent(api.sql, { no, cursor: -9_000 })
  await factory.retry(api.sql, { no, cursor: -9_000, attempts: 2, due_at: '2999-01-01' })
  expect(await main('/dashboard')).toContain('Alles läuft.')
  await events(1)
  await factory.retry(api.sql, { no, cursor: 1, attempts: 2, due_at: '2999-01-01' })
  expect(await main('/dashboard')).toContain('Bei einem Webhook stocken Zustellungen.')
})

test('while a webhook catches up the overview says so, and counts what is left', async () => {
  const { id, no, path } = await subscribe()
  await owned(id)
  await events(9)
  await factory.position(api.sql, id, { cursor: 9 })
  const range = { from_cursor: 2, to_cursor: 9, events: 9, catching_up: true }
  await factory.skip(api.sql, { no, ...range })
  const overview = await main('/dashboard')
  expect(overview).toContain(
    'Keine Störung. Einem Webhook wird nachgeliefert, was er verpasst hat.',
  )
  expect(overview).toContain('Noch nicht zugestellt 7 werden nachgeliefert')
  // Nor is it all in order where it is listed.
  expect(await main('/dashboard/webhooks')).toContain('liefert Verpasstes nach')
  expect(await main(path)).toContain('Status liefert Verpasstes nach')
})

test('a receiver that does not answer is named, and nothing is said of the worker', async () => {
  const { id, no, path } = await subscribe()
  await events(25, 100)
  await owned(id)
  const overview = await main('/dashboard')
  expect(overview).toContain('Bei einem Webhook stocken Zustellungen.')
  expect(overview).toMatch(
    /Zapier: ist nicht erreichbar oder antwortet zu langsam; 25 Ereignisse warten, das älteste seit \S+/,
  )
  expect(overview).not.toMatch(/Worker|alle in Ordnung|Alles läuft/)
  expect(await main('/dashboard/webhooks')).toContain('kommt nicht nach')
  const page = await main(path)
  expect(page).toContain(
    'Der Empfänger ist nicht erreichbar oder antwortet zu langsam. Es ist nichts verloren',
  )
  expect(page).toMatch(/Noch nicht gesendet 25 \(das älteste /)
  // One that answers, and refuses, is reached.
  await factory.retry(api.sql, { no, cursor: 1, attempts: 3 })
  const refusing = await main('/dashboard')
  expect(refusing).toMatch(
    /Zapier: Zustellungen schlagen fehl und werden wiederholt; \d+ Ereignisse warten seit \S+/,
  )
  expect(refusing).not.toContain('nicht erreichbar')
})

test('the worker is asked after when no live process delivers, or no event gets its cursor', async () => {
  const { id } = await subscribe()
  await events(1, 100)
  const stopped = 'Es wird nichts zugestellt.'
  expect(await main('/dashboard')).toContain(stopped)
  expect(await main('/dashboard/webhooks')).not.toContain('kommt nicht nach')
  await owned(id, ago(1))
  expect(await main('/dashboard')).toContain(stopped)
  await owned(id)
  expect(await main('/dashboard')).not.toContain(stopped)
  await factory.position(api.sql, id, { cursor: 1 })
  expect(await main('/dashboard')).toContain('Alles läuft.')
  await api.sql`delete from hook_workers`
  const unseen =
    'Der Dienst läuft. Zurzeit läuft offenbar kein Teil, der Ereignisse zustellt (Worker).'
  expect(await main('/dashboard')).toContain(unseen)
  await api.sql`update hook_subscriptions set active = false, paused_at = now(), pause_reason = 'Urlaub'`
  expect(await main('/dashboard')).toContain('Keine Störung. Einen Webhook haben Sie angehalten;')
  await factory.outboxEvent(api.sql, { occurred_at: ago(100) })
  expect(await main('/dashboard')).toContain(stopped)
})

test('of what waits for its webhook and what has no cursor yet the older one is named', async () => {
  await subscribe()
  await events(1, 100)
  const oldest = async () =>
    Promise.all(
      ['/dashboard', '/dashboard/status'].map(
        async path => /das älteste (vor \d+ \S+)/.exec(await main(path))?.[1],
      ),
    )
  const [before] = await oldest()
  expect(before).toBe('vor 1 Min.')
  await factory.outboxEvent(api.sql, { occurred_at: ago(3 * 3_600) })
  expect(await oldest()).toEqual(['vor 3 Std.', 'vor 3 Std.'])
})

test('a webhook that needs the owner is named even while nothing is delivered', async () => {
  await subscribe({
    label: 'CRM',
    active: false,
    paused_at: ago(50),
    consecutive_failures: 10,
    failing_since: ago(5_000),
  })
  await subscribe()
  await events(1, 100)
  const overview = await main('/dashboard')
  expect(overview).toContain('Es wird nichts zugestellt.')
  expect(overview).toMatch(/Ein Webhook braucht Ihre Aufmerksamkeit. CRM: angehalten seit/)
})

test('a webhook whose attempts fail is being tried again from the first one on, and says why', async () => {
  const { id, no, path } = await subscribe()
  await events(20, 10)
  await owned(id)
  for (let cursor = 1; cursor <= 20; cursor += 1) {
    const failed = { error_class: 'timeout', status: null, outcome: 'r', started_at: ago(5) }
    await factory.attempt(api.sql, { no, cursor, ...failed })
    // Overdue: the receiver holds up what is due.
    await factory.retry(api.sql, { no, cursor, due_at: ago(4) })
  }
  await factory.position(api.sql, id, { cursor: 20 })
  expect(await main('/dashboard/webhooks')).toMatch(/wird wiederholt .* 20 0 nie/)
  const page = await main(path)
  expect(page).toContain('Der Server hat nicht rechtzeitig geantwortet.')
  expect(page).not.toContain('noch nichts zugestellt')
  const list = await main(`${path}?state=pending`)
  expect(list).toMatch(/wartet Neuer Lead – keine rechtzeitige Antwort 12 ms 1 so bald wie möglich/)
})

test('paused: since when it failed and since when it is paused, and one number for all that it did not get', async () => {
  const { id, no, path } = await subscribe({
    active: false,
    paused_at: '2026-07-02T10:00:00Z',
    failing_since: '2026-07-01T09:00:00Z',
    consecutive_failures: 10,
  })
  await events(9)
  await fail(no, 1)
  await factory.retry(api.sql, { no, cursor: 2 })
  await factory.position(api.sql, id, { cursor: 2 })
  const page = await main(path)
  expect(page).toContain('9 Ereignisse sind noch nicht zugestellt.')
  expect(page).toMatch(
    /Schlägt fehl seit Mi., 1. Juli 2026, 09:00 UTC Angehalten seit Do., 2. Juli 2026, 10:00 UTC/,
  )
  expect(page).toContain('/events?after=0')
  // What failed is known a moment before the position has passed it.
  await factory.position(api.sql, id, { cursor: 0 })
  expect(await main(path)).toContain('9 Ereignisse sind noch nicht zugestellt.')
  const overview = 'Noch nicht zugestellt 9 9 kommen nur an, wenn Sie sie nachliefern'
  expect(await main('/dashboard')).toContain(overview)
  expect((await session.get('/dashboard/keys')).text).toContain(
    'datetime="2026-07-02T10:00:00.000Z"',
  )
  await factory.position(api.sql, id, { cursor: 2 })
  const after = await press(`${path}/reactivate-deliver`)
  expect(after).toContain('Was er nicht bekommen hat, wird nachgeliefert.')
  expect(after).toContain('Verpasstes wird nachgeliefert: noch 7 von 7 Ereignissen.')
  expect(after).toContain(
    'Noch nicht gesendet 0 Wartet auf Wiederholung 2 Wird nachgeliefert 7 Fehlgeschlagen 0 Verpasst 0',
  )
  expect(await main('/dashboard')).toContain('Noch nicht zugestellt 9 das älteste')
  await api.sql`update hook_skips set from_cursor = 7`
  expect(await main(path)).toContain('noch 2 von 7 Ereignissen.')
})

test('switched on without what it missed, that is kept in sight, and can be delivered later', async () => {
  const { path } = await subscribe({ active: false, paused_at: ago(50), consecutive_failures: 10 })
  await events(3)
  const page = await press(`${path}/reactivate`)
  expect(page).toContain('Der Webhook ist wieder eingeschaltet.')
  expect(page).toContain('3 Ereignisse hat der Webhook verpasst, während er angehalten war.')
  expect(await main('/dashboard')).toContain('Noch nicht zugestellt 3 3 kommen nur an')
  const { text } = await session.get(`${path}?state=skipped`)
  expect(text).toMatch(/deliveries\/3".*deliveries\/2".*deliveries\/1"/s)
  expect(await main(`${path}/deliveries/3`)).toContain('Status verpasst')
  expect(await press(`${path}/deliver-missed`)).toContain('3 Ereignisse werden nachgeliefert.')
})

test('one delivery: what waits for its turn has no button, what ended has one, and a click leads back to it', async () => {
  const { id, no, path } = await subscribe()
  await events(3)
  await fail(no, 1)
  await factory.position(api.sql, id, { cursor: 1 })
  expect(await main(`${path}/deliveries/2`)).toMatch(
    /Nächster Versuch wird gerade gesendet oder ist gleich an der Reihe/,
  )
  expect(await main(`${path}/deliveries/2`)).not.toContain('senden')
  expect(await main(`${path}/deliveries/1`)).toContain('Noch einmal senden')
  const after = await press(`${path}/deliveries/1/redeliver`)
  expect(after).toContain('Zustellung 1 Die Zustellung ist unterwegs.')
  expect(after).toContain('Nächster Versuch so bald wie möglich')
  expect(after).toContain('Jetzt senden')
  expect(await main(path)).toContain('Noch einmal gesendet: 0 von 1 ist zugestellt.')
  await api.sql`delete from hook_retries`
  await factory.attempt(api.sql, { no, cursor: 1, started_at: ago(0) })
  expect(await main(path)).toContain('Noch einmal gesendet: 1 von 1 ist zugestellt.')
  expect((await session.get(`${path}/deliveries/99`)).status).toBe(404)
  expect((await session.submit(`${path}/deliveries/99/redeliver`)).status).toBe(404)
  expect((await session.get(`${path}/deliveries/0`)).status).toBe(404)
})

test('one delivery of a paused webhook says when it can be sent again', async () => {
  const { no, path } = await subscribe({
    active: false,
    paused_at: ago(50),
    consecutive_failures: 10,
  })
  await events(1)
  await fail(no, 1)
  const page = await main(`${path}/deliveries/1`)
  expect(page).toContain('Senden können Sie sie wieder, sobald der Webhook eingeschaltet ist.')
  expect(page).not.toContain('Noch einmal senden')
})

test('a delivery names whom its event is about', async () => {
  const { id, no, path } = await subscribe()
  await factory.event(api.sql, { cursor: 1, data: { name: 'Erika Beispiel' } })
  await factory.position(api.sql, id, { cursor: 1 })
  await factory.attempt(api.sql, { no, cursor: 1 })
  expect(await main(`${path}/deliveries/1`)).toContain('Betrifft Erika Beispiel')
})

test('a webhook without a delivery, and one that fails, say what a test event is for', async () => {
  const { id, no, path } = await subscribe()
  expect(await main(path)).toContain(
    'Noch nichts zugestellt. Ob der Empfänger Ereignisse annimmt, zeigt ein',
  )
  // One that is older than what is kept of deliveries may have had some.
  await api.sql`update hook_subscriptions set created_at = now() - interval '31 days'`
  const older = await main(path)
  for (const text of [
    'zuletzt nichts zugestellt',
    'Letzte Zustellung keine in der Aufbewahrungszeit',
  ])
    expect(older).toContain(text)
  expect(older).not.toMatch(/noch nichts zugestellt/i)
  await events(1)
  await factory.position(api.sql, id, { cursor: 1 })
  await fail(no, 1)
  await api.sql`update hook_subscriptions set consecutive_failures = 1, failing_since = now()`
  const failing = await main(path)
  expect(failing).toContain('Ob der Fehler behoben ist, zeigt ein Testereignis.')
  expect(failing).not.toContain('Noch nichts zugestellt.')
})

test('a filter whose beginning is after its end says so', async () => {
  const { path } = await subscribe()
  const page = await main(`${path}?from=2026-03-02T00:00&to=2026-03-01T00:00`)
  expect(page).toContain('„Von“ liegt nach „Bis“.')
  expect(await main(`${path}?from=2026-03-01T00:00&to=2026-03-02T00:00`)).not.toContain(
    'liegt nach',
  )
})

test('a test event has a page of its own, where its button leads', async () => {
  const { path } = await subscribe()
  const page = await press(`${path}/test`)
  expect(page).toMatch(/^ Zapier Testereignis \d+ Das Testereignis ist unterwegs\./)
  expect(page).toContain('"event_type": "lead.created"'.replaceAll('"', '&quot;'))
})
