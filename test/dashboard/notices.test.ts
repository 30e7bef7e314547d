// Notices are set up in the dashboard: where they go, a test whose outcome is seen, and what came of the last ones.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type RunningService, startService } from '../../src/api/start.ts'
import { type RunningWorker, startWorker } from '../../src/worker/start.ts'
import { barriers, seen, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, mainOf, type Session, signIn } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { quietLog, type TestService, useService } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { useMailServer } from '../support/smtp/server.ts'

const path = '/dashboard/notices'
const api = useService(dashboardSettings)
const mailServer = useMailServer()
const browser = useBrowser()

/** The same workspace, in a process that knows a mail server. */
let mailing: RunningService
let worker: RunningWorker
let session: Session

const settings = () => ({
  ...dashboardSettings,
  SMTP_URL: `smtp://127.0.0.1:${mailServer.port()}`,
  NOTICE_FROM: 'workspace@example.com',
})

beforeAll(async () => {
  mailing = await startService(testConfig(settings()), api.url, quietLog())
  worker = await startWorker(testConfig(settings()), api.url, quietLog(), { mailMs: 3_000 })
})
afterAll(async () => {
  await worker.stop()
  await mailing.stop()
})

const withMail = (): TestService => ({ ...api, service: mailing })

beforeEach(async () => {
  await api.sql`update notice_settings set mail_to = null, language = null`
  await api.sql`delete from owner_notices`
  mailServer.behave('well')
  mailServer.mails.length = 0
  session = await signIn(withMail(), 'en')
})

const save = (fields: Record<string, string>) => session.submit(path, fields)
const stored = async () => {
  const [row] = await api.sql`select mail_to, language from notice_settings`
  return row
}

/** What the page after a form says. */
async function after(answer: { status: number; location: string; headers: Headers }) {
  expect([answer.status, answer.location]).toEqual([303, path])
  const done = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return (await session.get(path, { cookie: `${session.cookie}; ${done}` })).text
}

test('addresses are entered, kept and shown, and the log names it', async () => {
  const first = (await session.get(path)).text
  // Typed when the session ended or the service failed, an address is not lost.
  expect(first).toContain(`action="${path}#mistake" data-keeps>`)
  expect(first).toContain('No notice is sent until an address is set up.')
  expect(first).not.toContain('Send test notice')
  const fields = { mail_to: ' a@example.com, b@example.com ', language: 'en' }
  expect(await after(await save(fields))).toContain('Saved. It is best to send a test notice now.')
  expect(await stored()).toEqual({ mail_to: 'a@example.com,b@example.com', language: 'en' })
  const { text } = await session.get(path)
  const shown = /<dl class="facts">[\s\S]*?<\/dl>/.exec(text)?.[0] ?? ''
  expect(shown).toContain('on:</span> a@example.com, b@example.com through 127.0.0.1')
  expect((await session.get('/dashboard/status')).text).toContain('notices changed')
  expect(await after(await save({ mail_to: '', language: 'de' }))).toContain('off')
  expect(await stored()).toEqual({ mail_to: null, language: 'de' })
})

test.each([
  'owner',
  'a@example.com\r\nBcc: b@example.com',
  Array(6).fill('a@example.com').join(','),
])('%j is refused on the form, which keeps it', async mail_to => {
  const answer = await save({ mail_to })
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('one to five e-mail addresses')
  expect(answer.text).toContain(`value="${mail_to}"`)
  expect(await stored()).toEqual({ mail_to: null, language: null })
})

test('a form without its token, or from elsewhere, changes nothing and sends nothing', async () => {
  await save({ mail_to: 'a@example.com' })
  for (const [at, fields, headers] of [
    [path, { mail_to: 'b@example.com' }, {}],
    [`${path}/test`, {}, {}],
    [`${path}/test`, { csrf: await session.csrf() }, { origin: 'https://evil.example' }],
  ] as [string, Record<string, string>, Record<string, string>][])
    expect((await session.post(at, fields, headers)).status).toBe(403)
  expect((await stored())?.mail_to).toBe('a@example.com')
  expect(mailServer.mails).toEqual([])
})

test('a test is sent, and the page says at once whether it arrived', async () => {
  await save({ mail_to: 'a@example.com', language: 'en' })
  const text = await after(await session.submit(`${path}/test`))
  expect(text).toContain('The test notice was accepted.')
  expect(text.match(/class="state good">accepted/g)).toHaveLength(1)
  expect(mailServer.mails[0]?.data).toContain('Test notice: notices arrive')
  expect((await session.get('/dashboard/status')).text).toContain('test notice sent')
})

test('a test that does not arrive says why, and is not tried again', async () => {
  mailServer.behave('refusing')
  await save({ mail_to: 'a@example.com' })
  const text = await after(await session.submit(`${path}/test`))
  expect(text).toContain('The test notice did not arrive. The reason is below.')
  const { text: later } = await session.get(path)
  expect(later).toContain('The mail server does not take the e-mail.')
  expect(later).not.toContain('next attempt')
})

test('without an address there is nothing to test', async () => {
  expect(await after(await session.submit(`${path}/test`))).toContain('no address is set up yet')
  expect(await api.sql`select from owner_notices`).toHaveLength(0)
})

test('without a mail server the page says what is missing', async () => {
  const { text } = await (await signIn(api, 'en')).get(path)
  expect(text).toContain('(SMTP_URL)')
  expect(text).not.toContain('name="mail_to"')
})

test('the first steps are done when a way is set up', async () => {
  const isDone = async () => !(await session.get('/dashboard')).text.includes('Set up notices</a>')
  expect(await isDone()).toBe(false)
  await save({ mail_to: 'a@example.com' })
  expect(await isDone()).toBe(true)
})

test('what came of the last ones: accepted, tried again, given up, and of which webhook', async () => {
  await save({ mail_to: 'a@example.com' })
  const hook = await factory.hook(api.sql, { label: 'CRM <b>' })
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const row = (columns: factory.Columns) =>
    factory.ownerNotice(api.sql, {
      subscription_id: hook.id,
      attempts: 1,
      // Not due while the test looks.
      due_at: new Date(Date.now() + 3_600_000),
      ...columns,
    })
  await row({ failures: 10, created_at: ago(1), sent_at: ago(1), status: 250 })
  await row({ failures: 8, created_at: ago(5), status: 535, error_class: 'auth' })
  await row({ failures: 5, created_at: ago(3_000), error_class: 'timeout' })
  const deleted = { subscription_id: crypto.randomUUID() }
  await row({ ...deleted, created_at: ago(4_000), sent_at: ago(4_000) })
  await row({ ...deleted, created_at: ago(4_100), attempts: 0 })
  await row({ ...deleted, failures: 10, created_at: ago(4_200), error_class: 'timeout' })
  await row({ subscription_id: null, failures: null, attempts: 0, created_at: ago(5) })
  const { text } = await session.get(path)
  const rows = (/<tbody>([\s\S]*)<\/tbody>/.exec(text)?.[1] ?? '')
    .split('</tr>')
    .map(one => one.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '))
  expect(rows[0]).toContain('“CRM &lt;b&gt;” was paused accepted')
  expect(text).toMatch(
    /“CRM &lt;b&gt;”: 8 failures[\s\S]*?failed; next attempt[\s\S]*?password\. \(535\)/,
  )
  expect(text).toMatch(
    /5 failures in a row[\s\S]*?class="state bad">failed<[\s\S]*?respond in time/,
  )
  const gone = rows.filter(one => one.includes('A deleted webhook'))
  expect(gone).toHaveLength(3)
  expect(gone[0]).toMatch(/A deleted webhook: \d failures in a row accepted/)
  expect(gone[1]).toContain('not sent: the webhook was deleted')
  expect(gone[2]).toContain('A deleted webhook was paused not sent: the webhook was deleted')
  expect(text).toContain('The worker does not seem to run')
  expect(rows).toHaveLength(8)
})

test('in the browser, in German: entered, tested, seen; nothing in the way, nothing too wide', async () => {
  const tab = await browser.open({ viewport: { width: 390, height: 844 } })
  const [name = '', value = ''] = session.cookie.split('=')
  const { origin, hostname } = new URL(mailing.url)
  await tab.context().addCookies([{ name, value, domain: hostname, path: '/dashboard' }])
  await tab.goto(origin + path)
  await tab.getByLabel('E-Mail-Adressen').fill('inhaberin@example.com')
  await tab.getByRole('button', { name: 'Speichern' }).click()
  await tab.getByRole('button', { name: 'Testnachricht senden' }).click()
  expect(await seen(tab.getByRole('status'))).toBe('Die Testnachricht ist angenommen worden.')
  expect(await seen(tab.getByRole('row').last())).toContain('Testnachricht')
  const long = ['a', 'b', 'c', 'd', 'e'].map(name => `${name.repeat(64)}@agentur.example.com`)
  await tab.getByLabel('E-Mail-Adressen').fill(long.join(','))
  await tab.getByRole('button', { name: 'Speichern' }).click()
  expect(await seen(tab.locator('.facts'))).toContain(long[4] ?? '')
  expect(await barriers(tab)).toEqual([])
  expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  const dir = process.env.SCREENSHOTS_DIR
  if (dir) await tab.screenshot({ path: join(dir, 'notices-phone.png'), fullPage: true })
  await tab.setViewportSize({ width: 1440, height: 900 })
  if (dir) await tab.screenshot({ path: join(dir, 'notices-desk.png'), fullPage: true })
  expect(tab.complaints).toEqual([])
  await tab.context().close()
})

test('the page and the overview say that the last notice did not arrive, until one does', async () => {
  await save({ mail_to: 'a@example.com' })
  const read = async (page: string) => (await session.get(page)).text
  const refused = 'The last notice to you did not arrive.'
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)
  const tried = { attempts: 1, due_at: ago(-3_600) }
  await factory.ownerNotice(api.sql, { ...tried, created_at: ago(90), sent_at: ago(90) })
  expect(await read('/dashboard')).not.toContain(refused)
  const failed = { ...tried, status: 404, error_class: 'status' }
  await factory.ownerNotice(api.sql, { ...failed, created_at: ago(60) })
  expect(await read('/dashboard')).toContain(refused)
  expect(mainOf(await read(path))).toContain('the last notice did not arrive: a@example.com')
  await factory.ownerNotice(api.sql, { ...tried, created_at: ago(30), sent_at: ago(30) })
  expect(await read('/dashboard')).not.toContain(refused)
  expect(await read(path)).not.toContain('the last notice did not arrive')
})
