// The dashboard: what others wrote runs nowhere. What others send does nothing: test/dashboard/guard.
import { expect, test } from 'bun:test'
import { dashboardSettings, signIn } from '../support/browser/dashboard.ts'
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
