// The owner is told that a webhook keeps failing: at 5, 8 and 10 failures in a row, at least once each, signed,
// whatever becomes of a process or of the owner's own address; and deliveries never wait for it.
import { expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { noticeSecret, readSecretsKeys } from '../../src/secrets_key.ts'
import { startWorker } from '../../src/worker.ts'
import { type Hook, useHooks } from '../support/delivery.ts'
import type { Received } from '../support/receiver.ts'
import { quietLog, useService } from '../support/service.ts'
import { testConfig } from '../support/settings.ts'
import { until } from '../support/until.ts'

const api = useService()
const hooks = useHooks(api)
const { receiver } = hooks

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
  return startWorker(config, api.url, quietLog(), { noticeRetryMs: 100 })
}

const secrets = () => readSecretsKeys(testConfig()).map(noticeSecret)

const noticesOf = (requests: Received[], { id }: Hook): Notice[] =>
  requests.map(({ body }) => JSON.parse(body)).filter(notice => notice.subscription.id === id)

const told = async (path: string, hook: Hook) => noticesOf(await receiver.requests(path), hook)

const failuresTold = async (path: string, hook: Hook) => [
  ...new Set((await told(path, hook)).map(notice => notice.consecutive_failures)),
]

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
  await until(async () => (await api.sql`select 1 from owner_notices`).length === 0)
  await worker.stop()
})

test('a row that ends and begins anew is told anew', async () => {
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
  await until(async () => (await api.sql`select 1 from owner_notices`).length === 0)
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

test('with an old key beside a new one both sign, the old one where there is room for one', async () => {
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
