// Keys: what presets choose, and how one key takes over from another.
import { beforeEach, expect, test } from 'bun:test'
import { startService } from '../../src/api/start.ts'
import {
  cookieFrom,
  dashboardSettings,
  mainOf,
  type Session,
  signIn,
} from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { bearer, quietLog, sendTo, useService } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const api = useService(dashboardSettings)
let session: Session
beforeEach(async () => {
  session = await signIn(api, 'en')
})

const keyIn = (text: string) => /wda_\w{49}/.exec(text)?.[0] ?? ''
const statusOf = async (key: string, path = '/leads') =>
  (await sendTo(api.base, path, bearer(key))).status
const make = (fields: Record<string, string | string[]>) =>
  session.submit('/dashboard/keys', { scope: 'read:leads', expires: '', ...fields })
const idOf = async (label: string) =>
  (await api.sql`select id from api_keys where label = ${label} order by created_at limit 1`)[0]?.id

test('a preset fills the form with what its application needs, and with no more', async () => {
  const chosen = async (preset: string) => {
    const { text } = await session.get(`/dashboard/keys?preset=${preset}`)
    return [...text.matchAll(/name="scope" value="([\w:]+)" checked/g)].map(([, scope]) => scope)
  }
  expect(await chosen('zapier')).toEqual(['read:leads', 'read:events', 'write:hooks'])
  expect(await chosen('crm')).not.toContain('write:hooks')
  expect(await chosen('assistant')).not.toContain('write:hooks')
  // As few rights as possible.
  expect(await chosen('')).toEqual(['read:leads'])
  expect(await chosen('toString')).toEqual(['read:leads'])
})

test('a key that is renewed goes on for a day next to its successor, which has the same rights', async () => {
  const made = await make({ label: 'CRM', expires: '90' })
  expect(made.text).toContain('“CRM” is created.')
  const old = keyIn(made.text)
  const renewed = await session.submit(`/dashboard/keys/${await idOf('CRM')}/rotate`)
  const fresh = keyIn(renewed.text)
  expect(mainOf(renewed.text)).toMatch(
    /“CRM” is rotated\. The key before it stays valid until \S+, \d+ \S+ \d{4}, \d\d:\d\d UTC\./,
  )
  expect([renewed.status, fresh !== '', fresh !== old]).toEqual([200, true, true])
  expect(renewed.text).not.toContain('/dashboard/language/')
  expect([await statusOf(old), await statusOf(fresh), await statusOf(fresh, '/signals')]).toEqual([
    200, 200, 403,
  ])
  const [before, after] =
    await api.sql`select extract(epoch from expires_at - now())::float8 / 3600 as hours from api_keys where label = 'CRM' order by created_at`
  expect(before?.hours).toBeCloseTo(24, 0)
  expect(after?.hours).toBeCloseTo(90 * 24, 0)
  // Renewed once more, its text was lost, it has a successor for as long.
  const [first] =
    await api.sql`select id from api_keys where label = 'CRM' order by created_at limit 1`
  expect((await session.submit(`/dashboard/keys/${first?.id}/rotate`)).status).toBe(200)
  const [newest] =
    await api.sql`select extract(epoch from expires_at - now())::float8 / 3600 as hours from api_keys where label = 'CRM' order by created_at desc limit 1`
  expect(newest?.hours).toBeCloseTo(90 * 24, 0)
  const { text } = await session.get('/dashboard/keys')
  expect(text).toContain('expires soon:')
  expect(text).not.toContain(fresh)
})

test('keys of one name say when each was made, and a question names the one it is about', async () => {
  await make({ label: 'Makler-Software' })
  const alone = (await session.get('/dashboard/keys')).text
  const row = (text: string) =>
    mainOf(`<main>${/<tr>\n<th[^>]*><a[^>]*>Makler-Software.*?<\/tr>/s.exec(text)?.[0]}</main>`)
  expect(row(alone)).not.toContain('Created')
  expect(row(alone)).toContain('Revoke “Makler-Software” for good?')
  const id = await idOf('Makler-Software')
  await session.submit(`/dashboard/keys/${id}/rotate`)
  const { text } = await session.get('/dashboard/keys')
  expect(row(text)).toMatch(/wda_\w{8}… Created /)
  const [, prefix] = /(wda_\w{8})…/.exec(row(text)) ?? []
  expect(row(text)).toContain(`Revoke “Makler-Software (${prefix}…)” for good?`)
  // Also on the page of one.
  const [old] = await api.sql`select prefix from api_keys where id = ${String(id)}`
  expect(mainOf((await session.get(`/dashboard/keys/${id}`)).text)).toContain(
    `Revoke “Makler-Software (${old?.prefix}…)” for good?`,
  )
})

test('a key that ends sooner keeps its end, and one that is over is not renewed', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const { id } = await factory.apiKey(api.sql, { label: 'bald', expires_at: soon })
  expect((await session.submit(`/dashboard/keys/${id}/rotate`)).status).toBe(200)
  const [row] = await api.sql`select expires_at from api_keys where id = ${id}`
  expect(new Date(row?.expires_at).toISOString()).toBe(soon)
  const over = await factory.apiKey(api.sql, { label: 'vorbei', revoked_at: factory.moment })
  expect((await session.submit(`/dashboard/keys/${over.id}/rotate`)).status).toBe(404)
  expect(await api.sql`select id from api_keys where label = 'vorbei'`).toHaveLength(1)
})

test('revoked, a key opens nothing, and the log of what was done names it', async () => {
  const key = keyIn((await make({ label: 'Altes Skript' })).text)
  expect(await statusOf(key)).toBe(200)
  const answer = await session.submit(`/dashboard/keys/${await idOf('Altes Skript')}/revoke`)
  expect(answer.status).toBe(303)
  const cookie = `${session.cookie}; ${cookieFrom(answer)}`
  expect((await session.get('/dashboard/keys', { cookie })).text).toContain('The key is revoked.')
  await until(async () => (await statusOf(key)) === 401)
  const { text } = await session.get('/dashboard/status')
  for (const done of ['created', 'revoked'])
    expect(text).toMatch(new RegExp(`key ${done}</td>\\s*<td[^>]*>Altes Skript`))
})

test('of many keys a page shows fifty, valid ones first', async () => {
  await api.sql`insert into api_keys (prefix, digest, label, scopes, revoked_at)
    select 'wda_' || lpad(n::text, 8, 'x'), sha256(('x' || n)::bytea), 'viele ' || n, array['read:leads'], now()
    from generate_series(1, 70) as n`
  const rows = (text: string) => text.match(/<tr/g)?.length
  const first = await session.get('/dashboard/keys')
  expect(rows(first.text)).toBe(51)
  const [row] = await api.sql`select count(*)::integer as all from api_keys`
  expect(first.text).toContain(`<a href="/dashboard/keys?page=2">More (${row?.all - 50})</a>`)
  expect(first.text).not.toContain('To the first page')
  const second = await session.get('/dashboard/keys?page=2')
  expect(second.text).not.toContain('page=3')
  expect(second.text).toContain('<a href="/dashboard/keys">To the first page</a>')
  expect(second.text).not.toContain('class="state good"')
})

test('the page of a key tells what it asked for, by route, and nothing of whom', async () => {
  const key = keyIn((await make({ label: 'Mit Protokoll' })).text)
  const id = await idOf('Mit Protokoll')
  expect((await session.get(`/dashboard/keys/${id}`)).text).toContain('None in the last 30 days.')
  for (let count = 0; count < 33; count += 1)
    expect(await statusOf(key, `/leads?search=geheim${count}`)).toBe(200)
  expect(await statusOf(key, '/signals')).toBe(403)
  const { text } = await session.get(`/dashboard/keys/${id}`)
  expect(text).toMatch(/Requests in 24 hours<\/dt><dd>34</)
  const routes = [...text.matchAll(/<code>(GET [^<]+)<\/code>/g)].map(([, route]) => route)
  expect(routes).toHaveLength(30)
  expect([routes[0], routes[1]]).toEqual(['GET /signals', 'GET /leads'])
  expect(text).not.toContain('geheim')
  expect((await session.get('/dashboard/keys')).text).toMatch(/Requests in 24 hours">34</)
  expect((await session.get(`/dashboard/keys/${crypto.randomUUID()}`)).status).toBe(404)
})

test('what other processes answered is on the page within seconds, and at once when they have ended', async () => {
  const key = keyIn((await make({ label: 'Zwei Prozesse' })).text)
  const page = `/dashboard/keys/${await idOf('Zwei Prozesse')}`
  const other = await startService(testConfig(), api.url, quietLog())
  const third = await startService(testConfig(), api.url, quietLog())
  const askAt = async (url: string, path: string, count: number) => {
    for (let asked = 0; asked < count; asked += 1)
      expect((await sendTo(`${url}/api/v1`, path, bearer(key))).status).toBe(200)
  }
  await askAt(other.url, '/leads', 40)
  await askAt(third.url, '/leads?limit=1', 2)
  await askAt(api.service.url, '/leads', 1)
  const shown = async () => {
    const { text } = await session.get(page)
    const [, count] = /Requests in 24 hours<\/dt><dd>(\d+)</.exec(text) ?? []
    return [Number(count), text.match(/<code>GET \/leads<\/code>/g)?.length ?? 0]
  }
  await third.stop()
  expect((await shown())[0]).toBeGreaterThanOrEqual(3)
  await until(async () => (await shown())[0] === 43, 15_000)
  expect(await shown()).toEqual([43, 30])
  await other.stop()
}, 30_000)

test('the page of a key says which one it is, and renews or revokes it', async () => {
  const key = keyIn((await make({ label: 'Own page' })).text)
  const path = `/dashboard/keys/${await idOf('Own page')}`
  const read = async () => (await session.get(path)).text
  expect(mainOf(await read())).toMatch(/ State valid Valid without end Begins with (wda_\w{8})…/)
  expect(mainOf(await read())).toContain(key.slice(0, 12))
  expect(await read()).toContain(`action="${path}/rotate"`)
  await session.submit(`${path}/revoke`)
  const revoked = await read()
  expect(mainOf(revoked)).toContain('State revoked')
  expect(revoked).not.toContain('/revoke"')
})
