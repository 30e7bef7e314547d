// Who may enter the dashboard, and what changes nothing.

import { describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import {
  cookieFrom,
  dashboardSettings,
  password,
  signIn,
  signInByForm,
  visitor,
} from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { allowedTargets } from '../support/delivery/subscribing.ts'
import { useService } from '../support/http/service.ts'

const api = useService({ ...dashboardSettings, ...allowedTargets })
const off = useService()

/** Each test signs in from an address of its own: the throttle counts by address. */
const from = (address: string) => ({ 'x-forwarded-for': address })

test('without a password set the dashboard says that it is off, and nothing else', async () => {
  for (const path of ['/dashboard', '/dashboard/keys', '/dashboard/sign-in']) {
    const answer = await visitor(off).get(path)
    expect([answer.status, answer.text.includes('DASHBOARD_PASSWORD')]).toEqual([404, true])
  }
  const answer = await visitor(off).post('/dashboard/sign-in', { password: '' })
  expect([answer.status, cookieFrom(answer)]).toEqual([404, ''])
})

test('a visitor is led to sign in, and from there back to the page asked for', async () => {
  const { status, location } = await visitor(api).get('/dashboard/webhooks')
  expect([status, location]).toEqual([303, '/dashboard/sign-in?next=%2Fdashboard%2Fwebhooks'])
  // What was searched for may be a person: it is in no address of the sign-in.
  const search = await visitor(api).get('/dashboard/events?q=a%40example.org&type=lead.created')
  expect(search.location).toBe(
    '/dashboard/sign-in?next=%2Fdashboard%2Fevents%3Ftype%3Dlead.created',
  )
  const { text } = await visitor(api).get(location)
  expect(text).toContain(`action="${location}"`)
  const entered = await visitor(api).post(location, { password }, from('192.0.2.1'))
  expect([entered.status, entered.location]).toEqual([303, '/dashboard/webhooks'])
})

test.each(['//evil.example', 'https://evil.example', '/dashboard/../docs', '/dashboard\\evil', ''])(
  'signing in never leads to %s',
  async next => {
    const answer = await visitor(api).post(
      `/dashboard/sign-in?next=${encodeURIComponent(next)}`,
      { password },
      from('192.0.2.2'),
    )
    expect(answer.location).toBe('/dashboard')
  },
)

test('the cookie is for this path, this site and no script; behind TLS it is Secure', async () => {
  const plain = await visitor(api).post('/dashboard/sign-in', { password }, from('192.0.2.3'))
  const [cookie = ''] = plain.headers.getSetCookie()
  expect(cookie).toMatch(/^wda_session=[\w-]{43}; Path=\/dashboard; HttpOnly; SameSite=Strict$/)
  const secure = await visitor(api).post(
    '/dashboard/sign-in',
    { password },
    {
      ...from('192.0.2.3'),
      'x-forwarded-proto': 'https',
    },
  )
  expect(secure.headers.getSetCookie()[0]).toEndWith('; Secure')
  const untrusted = await visitor(off).get('/dashboard/language/de', {
    'x-forwarded-proto': 'https',
  })
  expect(untrusted.headers.getSetCookie()[0]).not.toContain('Secure')
})

test('a wrong password opens nothing, from wherever it comes', async () => {
  for (const guess of ['', 'falsch', `${password} `, password.slice(0, -1)]) {
    const answer = await visitor(api).post(
      '/dashboard/sign-in',
      { password: guess },
      from('192.0.2.4'),
    )
    expect([answer.status, cookieFrom(answer)]).toEqual([401, ''])
  }
  const foreign = { ...from('192.0.2.4'), origin: 'https://evil.example' }
  const answer = await visitor(api).post('/dashboard/sign-in', { password }, foreign)
  expect([answer.status, cookieFrom(answer)]).toEqual([403, ''])
})

test('after ten sign-ins in a minute an address has to wait, also with the right password', async () => {
  const path = '/dashboard/sign-in?next=%2Fdashboard%2Fwebhooks'
  const attempt = (given: string, address: string) =>
    visitor(api).post(path, { password: given }, from(address))
  // All at once: none of them gets in before the others are counted.
  const guesses = await Promise.all(
    Array.from({ length: 14 }, (_, index) => attempt(`falsch ${index}`, '192.0.2.5')),
  )
  const answered = (status: number) => guesses.filter(answer => answer.status === status).length
  // A busy machine has no turn for some of them, and then does not count those.
  const busy = answered(503)
  expect(answered(401) + busy + answered(429)).toBe(14)
  if (busy === 0) expect(answered(401)).toBe(10)
  let tries = answered(401)
  while ((await attempt('falsch', '192.0.2.5')).status === 401) tries += 1
  expect(tries).toBe(10)
  const late = await attempt(password, '192.0.2.5')
  expect([late.status, cookieFrom(late)]).toEqual([429, ''])
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  // After the wait the form leads where it was to lead.
  expect(late.text).toContain(`action="${path}"`)
  expect((await attempt(password, '192.0.2.6')).status).toBe(303)
})

test('a sign-in whose form is too large counts as no try', async () => {
  const send = (given: string) =>
    visitor(api).post('/dashboard/sign-in', { password: given }, from('192.0.2.7'))
  for (let turn = 0; turn < 11; turn += 1) expect((await send('a'.repeat(70_000))).status).toBe(413)
  expect((await send(password)).status).toBe(303)
})

test('a session ends by signing out, by an hour of idleness, and after twelve hours', async () => {
  const [left, idle, old, fresh] = [
    await signInByForm(api),
    await signIn(api),
    await signIn(api),
    await signIn(api),
  ]
  await left.submit('/dashboard/sign-out')
  const sessions =
    await api.sql`select encode(digest, 'hex') as digest from owner_sessions order by created_at desc limit 3`
  const [freshest, oldest, idlest] = sessions.map(row => row.digest)
  expect(freshest).toBeDefined()
  await api.sql`update owner_sessions set used_at = now() - interval '61 minutes' where encode(digest, 'hex') = ${idlest}`
  await api.sql`update owner_sessions set created_at = now() - interval '12 hours' where encode(digest, 'hex') = ${oldest}`
  const statuses = []
  for (const session of [left, idle, old, fresh])
    statuses.push((await session.get('/dashboard')).status)
  expect(statuses).toEqual([303, 303, 303, 200])
})

test('looking keeps a session alive', async () => {
  const session = await signIn(api)
  const almost = () => api.sql`update owner_sessions set used_at = now() - interval '59 minutes'`
  for (let hour = 0; hour < 3; hour += 1) {
    await almost()
    expect((await session.get('/dashboard')).status).toBe(200)
  }
  const [row] =
    await api.sql`select max(used_at) > now() - interval '1 minute' as recent from owner_sessions`
  expect(row?.recent).toBe(true)
})

test('the database knows no token, and another password ends every session', async () => {
  const session = await signInByForm(api)
  const token = session.cookie.split('=')[1] ?? ''
  const rows =
    await api.sql`select encode(digest, 'escape') as digest, encode(digest, 'base64') as other from owner_sessions`
  expect(JSON.stringify(rows)).not.toContain(token.slice(0, 12))
  const { startService } = await import('../../src/api/start.ts')
  const { testConfig } = await import('../support/http/settings.ts')
  const { quietLog } = await import('../support/http/service.ts')
  const same = await startService(testConfig(dashboardSettings), api.url, quietLog())
  const changed = await startService(
    testConfig({ DASHBOARD_PASSWORD: 'ein ganz anderes' }),
    api.url,
    quietLog(),
  )
  const statusAt = async (url: string) =>
    (await fetch(`${url}/dashboard`, { headers: { cookie: session.cookie }, redirect: 'manual' }))
      .status
  expect([await statusAt(same.url), await statusAt(changed.url)]).toEqual([200, 303])
  await Promise.all([same.stop(), changed.stop()])
})

describe('changes nothing:', () => {
  const paused = () =>
    factory.hook(api.sql, { active: false, paused_at: factory.moment, consecutive_failures: 10 })

  /** Every action there is, on things that exist. */
  async function actions() {
    const hook = await paused()
    const key = await factory.apiKey(api.sql)
    const delivery = { subscription_id: hook.id, cursor: 1 }
    await factory.attempt(api.sql, { ...delivery, outcome: 'f' })
    await factory.failure(api.sql, delivery)
    const path = `/dashboard/webhooks/${hook.id}`
    return [
      ['/dashboard/keys', { label: 'Eindringling', scope: ['read:leads'] }],
      ['/dashboard/webhooks/new', { target_url: 'https://192.0.2.7/a', type: 'lead.created' }],
      [
        `${path}/edit`,
        { target_url: 'https://192.0.2.8/b', type: 'signal.opened', label: 'Probe' },
      ],
      [`${path}/pause`, { reason: 'Umzug' }],
      [`/dashboard/keys/${key.id}/rotate`, {}],
      [`/dashboard/keys/${key.id}/revoke`, {}],
      [`${path}/reactivate`, {}],
      [`${path}/dismiss`, { shown: '9' }],
      [`${path}/reactivate-deliver`, {}],
      [`${path}/deliver-missed`, {}],
      [`${path}/test`, { type: 'lead.created' }],
      [`${path}/rotate`, {}],
      [`${path}/switch`, {}],
      [`${path}/deliveries/${delivery.cursor}/redeliver`, {}],
      [`${path}/delete`, { name: 'Probe' }],
      ['/dashboard/sign-out', {}],
    ] as [string, Record<string, string | string[]>][]
  }

  /** All that an action could change. */
  const world = async () =>
    JSON.stringify(
      await api.sql`select (select jsonb_agg(to_jsonb(k) order by id) from api_keys k) as keys,
        (select jsonb_agg(to_jsonb(h) order by id) from hook_subscriptions h) as hooks,
        (select jsonb_agg(to_jsonb(p) order by no) from hook_positions p) as positions,
        (select jsonb_agg(to_jsonb(r) order by no, cursor) from hook_retries r) as retries,
        (select jsonb_agg(to_jsonb(f) order by no, cursor) from hook_failures f) as failures,
        (select jsonb_agg(to_jsonb(s) order by no, to_cursor) from hook_skips s) as skips,
        (select jsonb_agg(encode(digest, 'hex') order by digest) from owner_sessions) as sessions`,
    )

  test.each([
    ['no session', 303],
    ['a session that never was', 303],
    ['no token in the form', 403],
    ["another session's token", 403],
    ['a foreign origin', 403],
    ['no origin', 403],
    ['a browser that says cross-site', 403],
  ])('%s', async (kind, status) => {
    const mine = await signIn(api)
    const other = await signIn(api)
    const csrf = await mine.csrf()
    const send: Record<
      string,
      (path: string, fields: Record<string, string | string[]>) => Promise<{ status: number }>
    > = {
      'no session': (path, fields) => visitor(api).post(path, { ...fields, csrf }),
      'a session that never was': (path, fields) =>
        visitor(api, `wda_session=${'A'.repeat(43)}`).post(path, { ...fields, csrf }),
      'no token in the form': (path, fields) => mine.post(path, fields),
      "another session's token": (path, fields) => other.post(path, { ...fields, csrf }),
      'a foreign origin': (path, fields) =>
        mine.post(path, { ...fields, csrf }, { origin: 'https://evil.example' }),
      'no origin': (path, fields) => mine.post(path, { ...fields, csrf }, { origin: 'null' }),
      'a browser that says cross-site': (path, fields) =>
        mine.post(path, { ...fields, csrf }, { 'sec-fetch-site': 'cross-site' }),
    }
    const all = await actions()
    const before = await world()
    for (const [path, fields] of all)
      expect([path, (await send[kind]?.(path, fields))?.status]).toEqual([path, status])
    expect(await world()).toBe(before)
    expect((await mine.get('/dashboard')).status).toBe(200)
  })

  test('a form that is too large, or of another shape', async () => {
    const session = await signIn(api)
    const before = await world()
    const long = await session.submit('/dashboard/keys', { label: 'a'.repeat(70_000) })
    expect([long.status, long.text.includes('Das Formular war zu groß.')]).toEqual([413, true])
    const odd = await session.submit('/dashboard/keys', { label: 'a\0' })
    expect([odd.status, odd.text.includes('Das Formular kam nicht vollständig an')]).toEqual([
      400,
      true,
    ])
    expect(await world()).toBe(before)
  })

  test('a GET to an action', async () => {
    const session = await signIn(api)
    const all = await actions()
    const before = await world()
    // Some have a page of the same address, which only shows a form.
    for (const [path] of all)
      if (!/\/(keys|new|edit|delete)$/.test(path))
        expect([path, (await session.get(path)).status]).toEqual([path, 404])
      else expect((await session.get(path)).status).toBe(200)
    expect(await world()).toBe(before)
  })

  test('a method that a page does not take', async () => {
    const { cookie } = await signIn(api)
    const before = await world()
    for (const [path, allow] of [
      ['/dashboard', 'GET, HEAD'],
      ['/dashboard/keys', 'GET, HEAD, POST'],
      [`/dashboard/keys/${randomUUID()}/revoke`, 'POST'],
    ])
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const { status, headers } = await fetch(api.service.url + path, {
          method,
          headers: { cookie },
        })
        expect([path, method, status, headers.get('allow')]).toEqual([path, method, 405, allow])
      }
    expect((await visitor(api, cookie).post('/dashboard/status', {})).status).toBe(405)
    expect((await visitor(api, cookie).post('/dashboard/nowhere', {})).status).toBe(404)
    expect(await world()).toBe(before)
  })

  test('but every one of them works with its session, its token and its origin', async () => {
    const session = await signIn(api)
    for (const [path, fields] of await actions()) {
      await api.sql`update hook_subscriptions set active = false, paused_at = now()`
      const before = await world()
      const { status } = await session.submit(path, fields)
      expect([path, status < 400]).toEqual([path, true])
      // Paused, there is nothing to send and nothing to switch.
      const idle = /\/(test|switch|redeliver|deliver-missed)$/.test(path)
      const changed = (await world()) !== before
      if (!idle) expect([path, changed]).toEqual([path, true])
    }
  })
})

test('every page carries the policy, and neither script nor style of its own', async () => {
  const session = await signIn(api)
  const paths = ['', '/keys', '/webhooks', '/events', '/connect', '/status', '/nichts']
  for (const path of paths) {
    const { headers, text } = await session.get(`/dashboard${path}`)
    expect(headers.get('content-security-policy')).toStartWith(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';",
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).not.toMatch(
      /<style|style=|<script(?![^>]* src="\/dashboard\/assets\/)|\son\w+=|javascript:/i,
    )
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//)
  }
})
