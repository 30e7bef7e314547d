// The dashboard: what others wrote runs nowhere, and what others send does nothing.
import { expect, test } from 'bun:test'
import { dashboardSettings, signIn, visitor } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { sequenceAll } from '../support/feed/sequencing.ts'
import { allowedTargets, subscribe, useService } from '../support/http/service.ts'

const api = useService({ ...dashboardSettings, ...allowedTargets })

const scripts = [
  ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'-alert(1)-'"],
  ...['</title><svg onload=alert(1)>', 'javascript:alert(1)', '<!--<script>', '\u2028alert(1)'],
]
const paths = ['', '/keys', '/webhooks', '/events', '/privacy', '/system']

test('texts of leads, labels and keys stand on every page as text', async () => {
  const session = await signIn(api)
  const pages = paths.map(path => `/dashboard${path}`)
  for (const text of scripts) {
    await factory.lead(api.sql, { name: text, email: null, status: text })
    const { body } = await subscribe(api, { label: text })
    pages.push(`/dashboard/webhooks/${body.data.id}`)
    await api.sql`insert into api_keys (prefix, digest, label, scopes)
      select 'wda_' || substr(md5(${text}), 1, 8), sha256(${text}::bytea), ${text}, '{read:leads}'`
  }
  await sequenceAll(api.sql)
  for (const path of pages) {
    const { status, text: page } = await session.get(path)
    expect([path, status]).toEqual([path, 200])
    expect(page).not.toMatch(/<script>|<img|<svg onload|<!--<script|href="javascript:/i)
  }
  expect((await session.get('/dashboard/keys')).text).toContain('&lt;script&gt;alert(1)')
}, 60_000)

test('a form that is not ours makes nothing, whichever part of it is missing', async () => {
  const countKeys = async () => (await api.sql`select from api_keys`).length
  const session = await signIn(api)
  const csrf = await session.csrf()
  const form = { label: 'x', scope: 'read:leads', once: crypto.randomUUID() }
  const before = await countKeys()
  const tries: [csrf: string | undefined, headers: Record<string, string>][] = [
    ...[undefined, '', csrf.slice(1), await (await signIn(api)).csrf()].map(
      (token): (typeof tries)[number] => [token, {}],
    ),
    [csrf, { origin: 'https://evil.example' }],
    [csrf, { origin: 'null' }],
    [csrf, { 'sec-fetch-site': 'cross-site' }],
    [csrf, { 'sec-fetch-site': 'same-site' }],
    [csrf, { origin: 'http://evil.example', host: 'evil.example' }],
  ]
  for (const [token, headers] of tries) {
    const given = { ...form, ...(token !== undefined && { csrf: token }) }
    const { status } = await session.post('/dashboard/keys', given, headers)
    expect([token, headers, status]).toEqual([token, headers, 403])
  }
  expect((await visitor(api).post('/dashboard/keys', { ...form, csrf })).status).toBe(303)
  expect(await countKeys()).toBe(before)
})
