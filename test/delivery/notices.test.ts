// The owner gets an e-mail when a webhook keeps failing: at 5, 8 and 10 failures in a row, at least once each, whatever becomes of
// a process or of the mail server; and deliveries never wait for it.
import { beforeEach, expect, test } from 'bun:test'
import { startWorker } from '../../src/worker/start.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { quietLog, useService } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { useMailServer } from '../support/smtp/server.ts'
import { until } from '../support/until.ts'

const api = useService()
const hooks = useHooks(api)
const { receiver } = hooks
const mailServer = useMailServer()
beforeEach(async () => {
  mailServer.behave('well')
  await api.sql`update notice_settings set language = 'en'`
})

const mailing = () => {
  const config = testConfig({
    ...hooks.settings,
    SMTP_URL: `smtp://127.0.0.1:${mailServer.port()}`,
    NOTICE_FROM: 'workspace@example.com',
    NOTICE_TO: 'owner@example.com',
    PUBLIC_URL: 'https://workspace.example',
  })
  return startWorker(config, api.url, quietLog(), { noticeRetryMs: 100, mailMs: 1_000 })
}

const mailsOf = (label: string) =>
  mailServer.mails
    .map(({ data }) => data.replace(/(?<!\?)=\r\n/g, ''))
    .filter(data => data.includes(label))
const idsOf = (mails: string[]) => new Set(mails.map(data => /^Message-ID: (.*)$/m.exec(data)?.[1]))

/** So many final failures, one after the other. */
async function failTimes(hook: Hook, count: number) {
  const before = (await hooks.deliveries(hook)).length
  for (let failure = 1; failure <= count; failure += 1) {
    await hooks.emit(1)
    await hooks.ended(hook, before + failure)
  }
}

const lastError = async (hook: Hook) => {
  const [row] = await api.sql`select error_class from owner_notices
    where subscription_id = ${hook.id} and failures = 5`
  return row?.error_class
}

test('notified at 5, 8 and 10, once each, with a link to the webhook', async () => {
  const worker = await mailing()
  const hook = await hooks.subscribe(receiver.url('/answers/404/e'), { label: 'Mailed' })
  await failTimes(hook, 4)
  expect(mailsOf('Mailed')).toEqual([])
  await failTimes(hook, 6)
  await until(() => mailsOf('Mailed').length === 3)
  expect(idsOf(mailsOf('Mailed')).size).toBe(3)
  const page = `https://workspace.example/dashboard/webhooks/${hook.id}`
  expect(mailsOf('Mailed').at(-1)).toContain(page)
  expect(mailsOf('Mailed').join()).not.toContain('/answers/404')
  await worker.stop()
})

test('a mail server that stands still or refuses delays no delivery, and gets it later', async () => {
  mailServer.behave('silent')
  const worker = await mailing()
  const hook = await hooks.subscribe(receiver.url('/answers/404/f'), { label: 'Waiting' })
  await failTimes(hook, 5)
  await until(() => mailServer.connections() > 0)
  const well = await hooks.subscribe(receiver.url('/ok/next'))
  await hooks.emit(20)
  await hooks.ended(well, 20)
  await until(async () => (await lastError(hook)) === 'timeout')
  mailServer.behave('refusing')
  await until(async () => (await lastError(hook)) === 'status')
  mailServer.behave('well')
  await until(() => mailsOf('Waiting').length > 0)
  await until(async () => (await lastError(hook)) === null)
  await worker.stop()
})

test('what a worker that ended had not sent is sent by the next one', async () => {
  const silent = await hooks.startWorker()
  const hook = await hooks.subscribe(receiver.url('/answers/404/c'), { label: 'Later' })
  await failTimes(hook, 9)
  await silent.stop()
  const worker = await mailing()
  await until(() => idsOf(mailsOf('Later')).size === 2)
  await worker.stop()
})
