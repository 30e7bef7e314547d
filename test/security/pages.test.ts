// The dashboard: what others wrote runs nowhere, and what others send does nothing.
import { expect, test } from 'bun:test'
import { dashboardSettings, signIn, visitor } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { sequenceAll } from '../support/feed/sequencing.ts'
import { allowedTargets, subscribe, useService } from '../support/http/service.ts'
import { attacks } from './attacks.ts'

const api = useService({ ...dashboardSettings, ...allowedTargets })

const scripts = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'-alert(1)-'",
  '</title><svg onload=alert(1)>',
  'javascript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  '<!--<script>',
  '\u2028alert(1)',
]

const paths = ['', '/keys', '/webhooks', '/events', '/privacy', '/system']
const fields = ['csrf', 'origin', 'referer', 'site'] as const

const attack = attacks('pages', scripts.length * paths.length + fields.length + 6)

test('texts of leads, labels and keys stand on every page as text', async () => {
  const session = await signIn(api)
  for (const text of scripts) {
    await factory.lead(api.sql, { name: text, email: null, status: text })
    const { body } = await subscribe(api, { label: text })
    await api.sql`update api_keys set label = ${text}`
    await sequenceAll(api.sql)
    for (const path of [...paths, `/webhooks/${body.data.id}`]) {
      const { status, text: page } = await session.get(`/dashboard${path}`)
      expect([path, status]).toEqual([path, 200])
      expect(page).not.toMatch(/<script>|<img|<svg onload|<!--<script|href="javascript:/i)
      attack.held()
    }
  }
}, 60_000)

const world = async () =>
  (await api.sql`select count(*)::int as keys from api_keys`)[0]?.keys as number

test('a form that is not ours makes nothing, whichever part of it is missing', async () => {
  const session = await signIn(api)
  const other = await signIn(api)
  const csrf = await session.csrf()
  const form = { label: 'x', scope: 'read:leads', once: crypto.randomUUID() }
  const before = await world()
  const tries: [fields: Record<string, string>, headers: Record<string, string>][] = [
    [form, {}],
    [{ ...form, csrf: '' }, {}],
    [{ ...form, csrf: csrf.slice(1) }, {}],
    [{ ...form, csrf: await other.csrf() }, {}],
    [{ ...form, csrf }, { origin: 'https://evil.example' }],
    [{ ...form, csrf }, { origin: 'null' }],
    [{ ...form, csrf }, { 'sec-fetch-site': 'cross-site' }],
    [{ ...form, csrf }, { 'sec-fetch-site': 'same-site' }],
    [
      { ...form, csrf },
      { origin: 'http://evil.example', host: 'evil.example' },
    ],
  ]
  for (const [given, headers] of tries) {
    const { status } = await session.post('/dashboard/keys', given, headers)
    expect([headers, status]).toEqual([headers, 403])
    attack.held()
  }
  const stranger = await visitor(api).post('/dashboard/keys', { ...form, csrf })
  expect(stranger.status).toBe(303)
  attack.held()
  expect(await world()).toBe(before)
})
