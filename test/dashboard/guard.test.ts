// Who may enter, for how long, and what a form needs to be carried out.
import { expect, test } from 'bun:test'
import {
  cookieFrom,
  dashboardSettings,
  password,
  signIn,
  visitor,
} from '../support/browser/dashboard.ts'
import { hook } from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)
const from = (address: string) => ({ 'x-forwarded-for': address })

test('a visitor who is not signed in is led to the sign-in, and back to the page without what was searched for', async () => {
  const paths = ['', '/keys', '/webhooks/new', '/events?q=erika@example.org&group=leads', '/nope']
  for (const path of paths) {
    const { status, location } = await visitor(api).get(`/dashboard${path}`)
    expect([status, location.startsWith('/dashboard/sign-in?next=')]).toEqual([303, true])
    expect(location).not.toContain('erika')
  }
  const signed = await visitor(api).post(
    '/dashboard/sign-in?next=/dashboard/keys',
    { password },
    from('198.51.100.1'),
  )
  expect([signed.status, signed.location]).toEqual([303, '/dashboard/keys'])
})

test('the cookie of a session is for this host alone, and has the __Host- prefix where it is encrypted', async () => {
  const plain = await visitor(api).post('/dashboard/sign-in', { password }, from('198.51.100.2'))
  expect(plain.headers.get('set-cookie')).toMatch(
    /^wda_session=[\w-]{43}; Path=\/dashboard; HttpOnly; SameSite=Strict$/,
  )
  const secure = await visitor(api).post(
    '/dashboard/sign-in',
    { password },
    { ...from('198.51.100.3'), 'x-forwarded-proto': 'https' },
  )
  expect(secure.headers.get('set-cookie')).toMatch(
    /^__Host-wda_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  )
  const inside = { cookie: cookieFrom(secure), 'x-forwarded-proto': 'https' }
  expect((await visitor(api).get('/dashboard', inside)).status).toBe(200)
  expect((await visitor(api).get('/dashboard', { cookie: cookieFrom(secure) })).status).toBe(303)
})

const leads = [
  '//evil.example',
  'https://evil.example',
  '/api',
  '/dashboard/../api',
  '/dashboard\\evil',
]
test.each(leads)('a sign-in does not lead to %s', async next => {
  const path = `/dashboard/sign-in?next=${encodeURIComponent(next)}`
  const { location } = await visitor(api).post(path, { password }, from('198.51.100.4'))
  expect(location).toBe('/dashboard')
})

test('after ten tries in a minute a client waits; another one does not', async () => {
  const attempt = (address: string, given: string) =>
    visitor(api).post('/dashboard/sign-in', { password: given }, from(address))
  for (let n = 0; n < 10; n += 1) expect((await attempt('198.51.100.5', 'wrong')).status).toBe(401)
  const late = await attempt('198.51.100.5', password)
  expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect((await attempt('198.51.100.6', password)).status).toBe(303)
})

test('many sign-ins at once are answered in time: beyond four the others are to wait', async () => {
  const tries = Array.from({ length: 24 }, (_, n) =>
    visitor(api).post('/dashboard/sign-in', { password: 'wrong' }, from(`203.0.113.${n}`)),
  )
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
})

test('an open page that asks by itself keeps no session alive; the owner does', async () => {
  const session = await signIn(api)
  const idle = () => api.sql`update owner_sessions set used_at = now() - interval '58 minutes'`
  const isFresh = async () => {
    const [row] =
      await api.sql`select max(used_at) > now() - interval '1 minute' as fresh from owner_sessions`
    return row?.fresh
  }
  await idle()
  expect((await session.get('/dashboard', { 'sec-fetch-dest': 'empty' })).status).toBe(200)
  expect(await isFresh()).toBe(false)
  expect((await session.get('/dashboard', { 'sec-fetch-dest': 'document' })).status).toBe(200)
  expect(await isFresh()).toBe(true)
  await api.sql`update owner_sessions set used_at = now() - interval '61 minutes'`
  expect((await session.get('/dashboard')).status).toBe(303)
})

test('a form needs our origin and the token of its session; nothing is done without', async () => {
  const [{ id }, session, other] = [await hook(api.sql), await signIn(api), await signIn(api)]
  const path = `/dashboard/webhooks/${id}/pause`
  const csrf = await session.csrf()
  type Sent = [fields: Record<string, string>, headers: Record<string, string>]
  const refused: Sent[] = [
    [{}, {}],
    ...['', 'nonsense', csrf.slice(1), await other.csrf()].map((one): Sent => [{ csrf: one }, {}]),
    ...['https://evil.example', 'null'].map((origin): Sent => [{ csrf }, { origin }]),
    [{ csrf }, { 'sec-fetch-site': 'cross-site' }],
    [{ csrf }, { 'sec-fetch-site': 'same-site' }],
    [{ csrf }, { origin: 'http://evil.example', host: 'evil.example' }],
  ]
  for (const [fields, headers] of refused)
    expect((await session.post(path, fields, headers)).status).toBe(403)
  expect((await visitor(api).post(path, { csrf })).status).toBe(303)
  const [row] = await api.sql`select active from hook_subscriptions where id = ${id}`
  expect(row?.active).toBe(true)
  expect((await session.post(path, { csrf })).status).toBe(303)
})

test('the token differs in every answer, so a compressed page reveals nothing of it', async () => {
  const session = await signIn(api)
  const tokens = [await session.csrf(), await session.csrf()]
  expect(tokens[0]).not.toBe(tokens[1] ?? '')
  const { headers } = await session.get('/dashboard/keys', { 'accept-encoding': 'gzip' })
  expect(headers.get('content-encoding')).toBe('gzip')
})

test('what is shown once is not compressed, and is on no other page', async () => {
  const session = await signIn(api)
  const made = await session.submit('/dashboard/keys', { label: 'CRM', scope: 'read:leads' })
  const [key = 'none'] = /wda_\w{49}/.exec(made.text) ?? []
  expect([made.status, made.headers.get('content-encoding')]).toEqual([200, null])
  const { text } = await session.get('/dashboard/keys')
  expect([text.includes(key), text.includes(key.slice(0, 12))]).toEqual([false, true])
})

test('every page has a policy that allows nothing from elsewhere and nothing inline, and is kept nowhere', async () => {
  const session = await signIn(api)
  for (const path of ['', '/keys', '/privacy', '/nope']) {
    const { headers, text } = await session.get(`/dashboard${path}`)
    expect(headers.get('content-security-policy')).toContain(
      "default-src 'none'; script-src 'self'",
    )
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual([
      'no-store',
      'DENY',
    ])
    expect(text).not.toMatch(/<script(?![^>]*src=)|style="|\son\w+="/)
  }
})

test('signing out ends the session at once', async () => {
  const session = await signIn(api)
  const out = await session.submit('/dashboard/sign-out')
  expect([out.status, out.location]).toEqual([303, '/dashboard/sign-in'])
  expect((await session.get('/dashboard')).status).toBe(303)
})

test('the language of the browser, and the one that was chosen', async () => {
  const asked = async (language: string, cookie = '') =>
    /lang="(\w+)"/.exec((await visitor(api, cookie, language).get('/dashboard/sign-in')).text)?.[1]
  expect([await asked('de-AT,en;q=0.5'), await asked('fr'), await asked('en,de;q=0.9')]).toEqual([
    'de',
    'en',
    'en',
  ])
  const chosen = await visitor(api).get('/dashboard/language/en?back=/dashboard/keys')
  expect(chosen.location).toBe('/dashboard/keys')
  expect(await asked('de', cookieFrom(chosen))).toBe('en')
})
