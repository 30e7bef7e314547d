// The owner is told that a webhook keeps failing: at 5, 8 and 10 failures in a row, at least once each, by signed webhook and
// by e-mail, whatever becomes of a process or of the owner's own address; and deliveries never wait for it.
import { expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { noticeSecret, readSecretsKeys } from '../../src/secrets/secrets_key.ts'
import { startWorker } from '../../src/worker/start.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { quietLog, useService } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import type { Received } from '../support/receiver/receiver.ts'
import { useMailServer } from '../support/smtp/server.ts'
import { until } from '../support/until.ts'

const api = useService()
const hooks = useHooks(api)
const { receiver } = hooks
const mailServer = useMailServer()

type Notice = {
  id: string
  type: string
  consecutive_failures: number
  subscription: { id: string; label: string | null; target_host: string; active: boolean }
  failing_since: string
  catch_up_cursor: number
  dashboard_url: string
}

const workerTelling = (path: string, settings: Record<string, string> = {}) => {
  const config = testConfig({
    ...hooks.settings,
    OWNER_WEBHOOK_URL: receiver.url(path),
    PUBLIC_URL: 'https://workspace.example',
    ...settings,
  })
  return startWorker(config, api.url, quietLog(), { noticeRetryMs: 100, mailMs: 1_000 })
}

const secrets = () => readSecretsKeys(testConfig()).map(noticeSecret)

const noticesOf = (requests: Received[], { id }: Hook): Notice[] =>
  requests.map(({ body }) => JSON.parse(body)).filter(notice => notice.subscription.id === id)

const told = async (path: string, hook: Hook) => noticesOf(await receiver.requests(path), hook)

const failuresTold = async (path: string, hook: Hook) => [
  ...new Set((await told(path, hook)).map(notice => notice.consecutive_failures)),
]

const unsent = async (channel = 'webhook') => {
  const [row] = await api.sql`
    select count(*) from owner_notices where sent_at is null and channel = ${channel}`
  return row?.count
}

/** So many final failures, one after the other. */
async function failTimes(hook: Hook, count: number) {
  const before = (await hooks.deliveries(hook)).length
  for (let failure = 1; failure <= count; failure += 1) {
    await hooks.emit(1)
    await hooks.ended(hook, before + failure)
  }
}

test('told at 5, 8 and 10, signed, with where to catch up and where to look', async () => {
  const worker = await workerTelling('/ok/told')
  const hook = await hooks.subscribe(receiver.url('/status/404/a'), { label: 'CRM' })
  await failTimes(hook, 4)
  expect(await told('/ok/told', hook)).toEqual([])
  await failTimes(hook, 6)
  await until(async () => (await told('/ok/told', hook)).length === 3)
  const notices = await told('/ok/told', hook)
  expect(notices.map(notice => [notice.type, notice.consecutive_failures])).toEqual([
    ['webhook.failing', 5],
    ['webhook.failing', 8],
    ['webhook.paused', 10],
  ])
  const [first] = await hooks.deliveries(hook)
  expect(notices.at(-1)).toMatchObject({
    subscription: { label: 'CRM', target_host: new URL(receiver.origin).host, active: false },
    catch_up_cursor: (first?.cursor ?? 0) - 1,
    dashboard_url: `https://workspace.example/dashboard/webhooks/${hook.id}`,
  })
  expect(JSON.stringify(notices)).not.toContain('/status/404')
  const [request] = (await receiver.requests('/ok/told')) as [Received]
  const [secret = ''] = secrets()
  expect(new Webhook(secret).verify(request.body, request.headers)).toEqual(
    JSON.parse(request.body),
  )
  await until(async () => (await unsent()) === 0)
  await worker.stop()
})

test('five failures in a row are told again after a delivery that arrived', async () => {
  const worker = await workerTelling('/ok/anew')
  const hook = await hooks.subscribe(receiver.url('/anew'))
  await receiver.answer('/anew', 410)
  await failTimes(hook, 6)
  await receiver.answer('/anew', 200)
  await failTimes(hook, 1)
  await receiver.answer('/anew', 410)
  await failTimes(hook, 5)
  await until(async () => (await told('/ok/anew', hook)).length === 2)
  expect(await failuresTold('/ok/anew', hook)).toEqual([5])
  await worker.stop()
})

test('an address that fails is told until it accepts, and deliveries do not wait for it', async () => {
  await receiver.answer('/owner', 503)
  const worker = await workerTelling('/owner')
  const hook = await hooks.subscribe(receiver.url('/status/404/b'))
  await failTimes(hook, 5)
  await until(async () => (await told('/owner', hook)).length >= 3)
  await receiver.answer('/owner', 200)
  await until(async () => (await unsent()) === 0)
  const ids = new Set((await told('/owner', hook)).map(({ id }) => id))
  expect(ids.size).toBe(1)

  // It takes the request and never answers.
  await receiver.hold('/owner')
  await failTimes(hook, 5)
  await until(async () => (await failuresTold('/owner', hook)).includes(8))
  const well = await hooks.subscribe(receiver.url('/ok/well'))
  await hooks.emit(50)
  await hooks.ended(well, 50)
  await receiver.release('/owner')
  await worker.stop()
})

test('what a worker that ended had not told is told by the next one', async () => {
  const silent = await hooks.startWorker()
  const hook = await hooks.subscribe(receiver.url('/status/404/c'))
  await failTimes(hook, 9)
  await silent.stop()
  const worker = await workerTelling('/ok/later')
  await until(async () => (await failuresTold('/ok/later', hook)).length === 2)
  expect(await failuresTold('/ok/later', hook)).toEqual([5, 8])
  await worker.stop()
})

test('with an old key next to a new one both sign, the old one where there is room for one', async () => {
  const fresh = Buffer.alloc(32, 9)
  const keys = [fresh, ...readSecretsKeys(testConfig())]
  const SECRETS_KEY = keys.map(key => key.toString('base64')).join(',')
  const worker = await workerTelling('/ok/rotated', { SECRETS_KEY })
  const hook = await hooks.subscribe(receiver.url('/status/404/d'))
  await failTimes(hook, 5)
  const [request] = await until(async () => {
    const requests = await receiver.requests('/ok/rotated')
    return noticesOf(requests, hook).length > 0 ? (requests as [Received]) : undefined
  })
  for (const key of keys)
    expect(new Webhook(noticeSecret(key)).verify(request.body, request.headers)).toBeTruthy()
  await worker.stop()
})

test('a target written by hand that is no address keeps no other notice from being sent', async () => {
  const odd = await hooks.subscribe(receiver.url('/odd'), { active: false, paused_at: new Date() })
  const other = await hooks.subscribe(receiver.url('/other'), {
    active: false,
    paused_at: new Date(),
  })
  await api.sql`update hook_subscriptions set target_url = 'https://exa mple' where id = ${odd.id}`
  for (const { id } of [odd, other])
    await api.sql`insert into owner_notices (subscription_id, failures, channel) values (${id}, 5, 'webhook')`
  const worker = await workerTelling('/ok/odd')
  await until(async () => (await told('/ok/odd', other)).length > 0)
  await until(async () => (await told('/ok/odd', odd)).length > 0)
  expect((await told('/ok/odd', odd))[0]?.subscription.target_host).toBeNull()
  await worker.stop()
})

const mailing = () => ({
  SMTP_URL: `smtp://127.0.0.1:${mailServer.port()}`,
  NOTICE_FROM: 'workspace@example.com',
  NOTICE_TO: 'owner@example.com',
  NOTICE_LANGUAGE: 'en',
})

const mailsOf = (label: string) =>
  mailServer.mails
    .map(({ data }) => data.replace(/(?<!\?)=\r\n/g, ''))
    .filter(data => data.includes(label))
const idsOf = (mails: string[]) => new Set(mails.map(data => /^Message-ID: (.*)$/m.exec(data)?.[1]))

test('by e-mail too, once each, where a mail server is set', async () => {
  const worker = await workerTelling('/ok/mailed', mailing())
  const hook = await hooks.subscribe(receiver.url('/status/404/e'), { label: 'Mailed' })
  await failTimes(hook, 10)
  await until(() => mailsOf('Mailed').length === 3)
  expect(idsOf(mailsOf('Mailed')).size).toBe(3)
  expect(mailsOf('Mailed').at(-1)).toContain(
    `https://workspace.example/dashboard/webhooks/${hook.id}`,
  )
  await until(async () => (await told('/ok/mailed', hook)).length === 3)
  await until(async () => (await unsent('email')) === 0)
  await worker.stop()
})

test('a mail server that stands still or refuses delays no webhook and no delivery, and gets it later', async () => {
  mailServer.behave('silent')
  const worker = await workerTelling('/ok/unmailed', mailing())
  const hook = await hooks.subscribe(receiver.url('/status/404/f'), { label: 'Waiting' })
  await failTimes(hook, 5)
  await until(() => mailServer.connections() > 0)
  await until(async () => (await told('/ok/unmailed', hook)).length === 1)
  const well = await hooks.subscribe(receiver.url('/ok/next'))
  await hooks.emit(20)
  await hooks.ended(well, 20)
  const lastError = async () => {
    const [row] = await api.sql`select error_class from owner_notices
      where subscription_id = ${hook.id} and channel = 'email' and failures = 5`
    return row?.error_class
  }
  await until(async () => (await lastError()) === 'timeout')
  mailServer.behave('refusing')
  await until(async () => (await lastError()) === 'status')
  mailServer.behave('well')
  await until(() => mailsOf('Waiting').some(data => data.includes('did not accept 5')))
  await until(async () => (await lastError()) === null)
  await worker.stop()
})

test('a stop does not wait for a mail server', async () => {
  mailServer.behave('silent')
  const hook = await hooks.subscribe(receiver.url('/still'), {
    active: false,
    paused_at: new Date(),
  })
  await api.sql`insert into owner_notices (subscription_id, failures, channel) values (${hook.id}, 10, 'email')`
  const config = testConfig({ ...hooks.settings, ...mailing() })
  const worker = await startWorker(config, api.url, quietLog(), { mailMs: 600_000 })
  await until(() => mailServer.connections() > 0)
  await worker.stop()
  mailServer.behave('well')
})

test('where the owner entered an address, notices go there instead', async () => {
  const mail_to = 'second@example.com'
  await api.sql`update notice_settings set webhook_url = ${receiver.url('/ok/entered')}, mail_to = ${mail_to}`
  const worker = await workerTelling('/ok/setting', mailing())
  const hook = await hooks.subscribe(receiver.url('/status/404/g'), { label: 'Entered' })
  await failTimes(hook, 5)
  await until(async () => (await told('/ok/entered', hook)).length === 1)
  await until(() => mailsOf('Entered').length === 1)
  expect(mailServer.mails.at(-1)?.to).toEqual([mail_to])
  expect(await told('/ok/setting', hook)).toEqual([])
  await api.sql`update notice_settings set webhook_url = null, mail_to = null`
  await worker.stop()
})

test('of what had no way to go, the last notice of each webhook that still fails is sent once there is one', async () => {
  const failing = await hooks.subscribe(receiver.url('/status/404/h'))
  const mended = await hooks.subscribe(receiver.url('/ok/mended'))
  await api.sql`
    update hook_subscriptions
    set consecutive_failures = 10, failing_since = now() - interval '1 hour', active = false, paused_at = now()
    where id = ${failing.id} or id = ${mended.id}`
  await api.sql`
    update owner_notices set created_at = now() - interval '5 minutes'
    where subscription_id = ${failing.id} or subscription_id = ${mended.id}`
  await api.sql`
    update hook_subscriptions set consecutive_failures = 0, failing_since = null, active = true, paused_at = null
    where id = ${mended.id}`
  const worker = await workerTelling('/ok/late')
  await until(async () => (await failuresTold('/ok/late', failing)).length > 0)
  const sound = await hooks.subscribe(receiver.url('/status/404/i'))
  await failTimes(sound, 5)
  await until(async () => (await told('/ok/late', sound)).length === 1)
  expect(await failuresTold('/ok/late', failing)).toEqual([10])
  expect(await told('/ok/late', mended)).toEqual([])
  await worker.stop()
})
