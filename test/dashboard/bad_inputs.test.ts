// What cannot be taken is refused where it was typed, in words, and nothing is done.
import { beforeAll, expect, test } from 'bun:test'
import { dashboardSettings, mainOf, type Session, signIn } from '../support/browser/dashboard.ts'
import { hook, lead } from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const mail = { SMTP_URL: 'smtp://127.0.0.1:1', NOTICE_FROM: 'service@example.com' }
const api = useService({ ...dashboardSettings, ...mail })
let session: Session
let id: string
let version: string

beforeAll(async () => {
  session = await signIn(api)
  id = (await hook(api.sql, { label: 'CRM' })).id
  const [row] = await api.sql`select version from hook_subscriptions where id = ${id}`
  version = String(row?.version)
  await lead(api.sql)
})

type Fields = Record<string, string | string[]>
const good = {
  label: 'CRM',
  target_url: 'https://crm.example.com/in',
  type: 'lead.created',
}
const newHook = '/webhooks/new?for=own'

const cases: [path: string, fields: Fields, status: number, said: string[]][] = [
  ['/keys', { label: '', scope: 'read:leads' }, 400, ['Bezeichnung von 1 bis 200 Zeichen']],
  ['/keys', { label: 'a\nb', scope: 'read:leads' }, 400, ['Bezeichnung von 1 bis 200 Zeichen']],
  [
    '/keys',
    { label: 'x'.repeat(201), scope: 'read:leads' },
    400,
    ['Bezeichnung von 1 bis 200 Zeichen'],
  ],
  ['/keys', { label: 'CRM' }, 400, ['mindestens ein Recht']],
  [
    '/keys',
    { label: '', scope: 'read:everything' },
    400,
    ['Bezeichnung von', 'mindestens ein Recht'],
  ],
  [newHook, { ...good, target_url: '' }, 400, ['Bitte geben Sie die Adresse an']],
  [newHook, { ...good, target_url: 'http://crm.example.com' }, 400, ['mit https:// beginnen']],
  [newHook, { ...good, target_url: 'https://a b' }, 400, ['keine Adresse']],
  [newHook, { ...good, target_url: 'https://me:pw@crm.example.com' }, 400, ['Benutzernamen']],
  [newHook, { ...good, target_url: 'https://127.0.0.1/' }, 400, ['privates oder gesperrtes Netz']],
  [newHook, { ...good, target_url: 'https://metadata.google.internal/' }, 400, ['gesperrtes Netz']],
  [newHook, { ...good, type: 'lead.exploded' }, 400, ['mindestens ein Ereignis']],
  [newHook, { ...good, label: 'ä'.repeat(201) }, 400, ['höchstens 200 Zeichen']],
  [newHook, { target_url: 'ftp://x', label: '' }, 400, ['mit https://', 'mindestens ein Ereignis']],
  ['/webhooks/ID/address', { target_url: 'http://x' }, 400, ['mit https:// beginnen']],
  ['/webhooks/ID/events', { label: 'CRM', version: 'VERSION' }, 400, ['mindestens ein Ereignis']],
  [
    '/webhooks/ID/events',
    { label: 'B', version: '0', type: 'lead.created' },
    400,
    ['inzwischen geändert'],
  ],
  ['/webhooks/ID/replay', { since: '' }, 400, ['Datum und Uhrzeit']],
  ['/webhooks/ID/replay', { since: '2026-99-99T00:00' }, 400, ['Datum und Uhrzeit']],
  ['/webhooks/ID/replay', { since: '2099-01-01T00:00' }, 400, ['in der Vergangenheit']],
  ['/webhooks/ID/replay', { since: '0000-01-01T00:00' }, 400, ['in der Vergangenheit']],
  ['/webhooks/ID/delete', {}, 400, ['nichts gelöscht']],
  ['/webhooks/ID/redeliver', { cursor: 'x' }, 404, []],
  ['/webhooks/ID/redeliver', { cursor: '77' }, 303, []],
  ['/webhooks/00000000-0000-4000-8000-000000000000/pause', {}, 404, ['gibt es nicht']],
  ['/webhooks/nonsense/pause', {}, 404, ['gibt es nicht']],
  ['/privacy', { q: '' }, 404, ['Niemand gefunden']],
  ['/privacy', { q: 'Zacharias Zebra' }, 404, ['Niemand gefunden']],
  ['/privacy/erase', { q: 'erika@example.org' }, 400, ['nichts gelöscht', 'Erika Mustermann']],
  [
    '/system/notices',
    { mail_to: 'Anna <a@example.org>', language: 'de' },
    400,
    ['fünf E-Mail-Adressen'],
  ],
]

test.each(cases)('POST %s %j answers %d', async (path, fields, status, said) => {
  const own = `/dashboard${path.replace('ID', id)}`
  const given = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === 'VERSION' ? version : value]),
  )
  const answer = await session.submit(own, given)
  expect(answer.status).toBe(status)
  for (const text of said) expect(mainOf(answer.text)).toContain(text)
})

test('nothing came of any of it', async () => {
  const [row] =
    await api.sql`select count(*)::integer as hooks, min(label) as label, min(target_url) as target_url,
    (select count(*)::integer from leads) as leads, (select count(*)::integer from api_keys) as keys from hook_subscriptions`
  expect(row).toEqual({
    hooks: 1,
    label: 'CRM',
    target_url: 'https://hooks.example.com/a',
    leads: 1,
    keys: 1,
  })
})

const paths: [path: string, status: number][] = [
  ['/events?type=nonsense&before=-1&about=x&lead=y', 200],
  ['/events?q=%00%F0%9F', 200],
  [`/events?q=${'x'.repeat(2_000)}`, 200],
  ['/events/0', 404],
  ['/events/99999999999999999999', 404],
  ['/keys?page=-3&preset=nonsense', 200],
  ['/webhooks/new?for=nonsense', 200],
  ['/privacy?lead=x&event=y', 200],
  ['/webhooks/ID?state=nonsense&before=x', 200],
]
test.each(paths)('GET %s answers %d', async (path, status) => {
  const answer = await session.get(`/dashboard${path.replace('ID', id)}`)
  expect(answer.status).toBe(status)
  expect(answer.text).not.toMatch(/undefined|\[object|NaN/)
})

test('a form that is too large, or has a NUL, is refused as a page', async () => {
  const csrf = await session.csrf()
  const large = await session.post('/dashboard/keys', { csrf, label: 'x'.repeat(70_000) })
  expect([large.status, large.text.includes('zu groß')]).toEqual([413, true])
  const nul = await session.post('/dashboard/keys', { csrf, label: 'a\0' })
  expect([nul.status, nul.text.includes('nicht vollständig')]).toEqual([400, true])
})

test('what a client named so is text, and in one line', async () => {
  await hook(api.sql, { label: '<script>alert(1)</script>\n\u202ex' })
  const { text } = await session.get('/dashboard/webhooks')
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; x')
  expect(text).not.toContain('<script>alert')
  // Of a label that could not be seen the host takes the place.
  await hook(api.sql, { label: '\u202e\n', target_url: 'https://crm.example.net/in' })
  const other = await session.get('/dashboard/webhooks')
  expect(other.text).toMatch(/<a href="[^"]+">crm\.example\.net<\/a>/)
})
