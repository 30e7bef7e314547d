// A form that did nothing can be sent again as it is; what was done is shown, also when it cannot be noted.
import { expect, test } from 'bun:test'
import { dashboardSettings, mainOf, signIn } from '../support/browser/dashboard.ts'
import { oneConnection } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService({ ...dashboardSettings, STATEMENT_TIMEOUT_MS: '1000' })
const onceOf = (text: string) => /name="once" value="([\w-]+)"/.exec(text)?.[1] ?? ''

/** Does `work` while another connection holds what the statement locks. */
async function whileLocked<Result>(statement: string, work: () => Promise<Result>) {
  const sql = oneConnection(api.url)
  try {
    return await sql.begin(async transaction => {
      await transaction.unsafe(statement)
      return await work()
    })
  } finally {
    await sql.end()
  }
}

test('a key form without a scope is sent again with one, and the key is made', async () => {
  const session = await signIn(api, 'en')
  const once = onceOf((await session.get('/dashboard/keys')).text)
  const fields = { label: 'CRM', expires: '', once }
  expect((await session.submit('/dashboard/keys', fields)).status).toBe(400)
  const second = await session.submit('/dashboard/keys', { ...fields, scope: 'read:leads' })
  expect([second.status, /wda_\w{49}/.test(second.text)]).toEqual([200, true])
  const third = await session.submit('/dashboard/keys', { ...fields, scope: 'read:leads' })
  expect(third.status).toBe(403)
  expect(third.text).toContain('<h1>This has already been done</h1>')
  expect(third.text).toContain('the key exists and is not shown again')
  expect(await api.sql`select from api_keys where label = 'CRM'`).toHaveLength(1)
})

test('an erasure that a lock stopped is sent again, and erases', async () => {
  const session = await signIn(api, 'en')
  const identity = 'again@example.com'
  await factory.lead(api.sql, { email: identity })
  const found = await session.submit('/dashboard/erasure', { identity, all: 'yes' })
  const fields = { identity, again: identity, sure: 'yes', once: onceOf(found.text) }
  const send = () => session.submit('/dashboard/erasure', fields)
  const lock = `select from leads where email = '${identity}' for update`
  expect((await whileLocked(lock, send)).status).toBe(503)
  expect((await send()).status).toBe(200)
  expect(await api.sql`select from leads where email = ${identity}`).toHaveLength(0)
})

test('a key is shown although the owner’s journal cannot be written', async () => {
  const session = await signIn(api, 'en')
  const csrf = await session.csrf()
  const made = await whileLocked('lock table owner_actions in share mode', () =>
    session.post('/dashboard/keys', { csrf, label: 'Shown', scope: 'read:leads', expires: '' }),
  )
  expect([made.status, /wda_\w{49}/.test(made.text)]).toEqual([200, true])
})

test('a key that a lock kept from being made is made when the form is sent again', async () => {
  const session = await signIn(api)
  const once = onceOf((await session.get('/dashboard/keys')).text)
  const csrf = await session.csrf()
  const fields = { csrf, once, label: 'Locked', scope: 'read:leads', expires: '' }
  const send = () => session.post('/dashboard/keys', fields)
  const failed = await whileLocked('lock table api_keys in share mode', send)
  expect(failed.status).toBe(500)
  expect(mainOf(failed.text)).toContain('Ob Ihre Eingabe gespeichert wurde, ist nicht sicher.')
  expect(failed.text).toContain('<a href="/dashboard/keys">Zurück zur Seite</a>')
  // What is only looked at leads back to itself, and has saved nothing.
  const page = '/dashboard/keys?page=2'
  const lock = 'lock table api_keys in access exclusive mode'
  const unread = await whileLocked(lock, () => session.get(page))
  expect([unread.status, unread.text.includes(`<a href="${page}">`)]).toEqual([500, true])
  expect(unread.text).not.toContain('nicht sicher')
  expect((await send()).text).toMatch(/wda_\w{49}/)
  expect(await api.sql`select from api_keys where label = 'Locked'`).toHaveLength(1)
})

test('a test event goes out once however often its form is sent', async () => {
  const session = await signIn(api)
  const { id } = await factory.hook(api.sql, { label: 'CRM', event_types: ['signal.opened'] })
  await factory.position(api.sql, id)
  const path = `/dashboard/webhooks/${id}`
  const { text } = await session.get(path)
  const [, form = ''] = /action="[^"]*\/test"[^>]*>(.*?)<\/form>/s.exec(text) ?? []
  const fields = { type: 'signal.opened', once: onceOf(form) }
  const send = () => session.submit(`${path}/test`, fields)
  expect((await send()).status).toBe(303)
  const again = await send()
  expect([again.status, again.text.includes('schon abgeschickt')]).toEqual([403, true])
  expect(mainOf(again.text)).not.toContain('Geheimnis')
  expect(await api.sql`select from hook_test_events`).toHaveLength(1)
})

/** Ends the connection of a statement that waits for a lock: what became of it is not known. */
const endWaiting = () =>
  until(async () => {
    const ended = await api.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return ended.length > 0
  })

test('nothing is said to be made, or not to be, when that is not known', async () => {
  const session = await signIn(api)
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const csrf = await session.csrf()
  const hook = { label: 'ERP', target_url: 'https://erp.example/hook', type: 'lead.created' }
  const forms = [
    [
      '/dashboard/keys',
      { label: 'Lost', scope: 'read:leads', expires: '' },
      'api_keys',
      'Ob der Schlüssel angelegt wurde, ist nicht sicher; sehen Sie in der Liste nach.',
    ],
    [
      '/dashboard/webhooks/new',
      hook,
      'hook_subscriptions',
      'Ob der Webhook angelegt wurde, ist nicht sicher; sehen Sie in der Liste nach.',
    ],
    [
      `/dashboard/webhooks/${id}/rotate`,
      {},
      'hook_subscriptions',
      'Ob ein neues Geheimnis erzeugt wurde, ist nicht sicher.',
    ],
  ] as const
  for (const [path, fields, table, said] of forms) {
    const send = () => session.post(path, { csrf, once: path, ...fields })
    const lock = `lock table ${table} in share mode`
    const [first] = await whileLocked(lock, () => Promise.all([send(), endWaiting()]))
    expect([path, first.status]).toEqual([path, 500])
    const again = await send()
    expect([path, again.status]).toEqual([path, 403])
    expect(mainOf(again.text)).toContain(said)
    expect(mainOf(again.text)).not.toMatch(/ist angelegt|nicht ausgeführt/)
    // Where it can be seen whether there is one, and not the form that would make another.
    expect(again.text).not.toContain('<a href="/dashboard/webhooks/new">')
  }
})
