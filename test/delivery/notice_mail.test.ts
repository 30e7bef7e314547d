// Notices by e-mail: to whom and through whom the owner says, encrypted unless the server is on this machine, in one language,
// without anything that could become another header; and no mail server holds anything up.
import { beforeEach, describe, expect, test } from 'bun:test'
import {
  mailServerOf,
  type NoticeMailOptions,
  openNoticeMail,
} from '../../src/delivery/notice_mail.ts'
import type { Notice } from '../../src/delivery/notice_texts.ts'
import { type MailServer, smtpUser, useMailServer } from '../support/smtp/server.ts'
import { until } from '../support/until.ts'

const server: MailServer = useMailServer()
beforeEach(() => {
  server.behave('well')
  server.mails.length = 0
})

const notice = (changes: Partial<Notice> = {}): Notice => ({
  id: 'e0000000-0000-4000-8000-000000000001',
  failures: 10,
  created_at: '2026-03-04T05:06:07Z',
  subscription_id: 'a0000000-0000-4000-8000-000000000002',
  label: 'CRM',
  target_url: 'https://crm.example.com/hooks/token-123',
  failing_since: '2026-03-04T04:00:00Z',
  status: 503,
  error_class: 'status',
  mail_to: null,
  language: null,
  ...changes,
})

const channel = (changes: Partial<NoticeMailOptions> = {}) =>
  openNoticeMail({
    url: `smtp://127.0.0.1:${server.port()}`,
    from: 'workspace@example.com',
    to: ['owner@example.com'],
    ca: server.ca(),
    dashboardUrl: 'https://workspace.example/dashboard',
    totalMs: 5_000,
    ...changes,
  })

const send = (changes: Partial<NoticeMailOptions> = {}, told: Partial<Notice> = {}) =>
  channel(changes).send(notice(told))

const fromQuoted = (text: string) =>
  Buffer.from(
    text.replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()

const decodeWords = (text: string) =>
  text
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/gi, (_, word) => fromQuoted(word.replaceAll('_', ' ')))
    .replace(/=\?UTF-8\?B\?(.*?)\?=/gi, (_, word) => Buffer.from(word, 'base64').toString())

/** The last mail: headers by lower-case name, unfolded, with encoded words read; its text, whichever way it was encoded. */
function lastMail() {
  const mail = server.mails.at(-1)
  if (!mail) throw new Error('no mail came')
  const [head = '', ...parts] = mail.data.split('\r\n\r\n')
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = new Map(
    lines.map(line => {
      const [, name = '', value = ''] = /^(.*?): *(.*)$/.exec(line) ?? []
      return [name.toLowerCase(), decodeWords(value)]
    }),
  )
  const body = parts.join('\r\n\r\n')
  const isBase64 = headers.get('content-transfer-encoding') === 'base64'
  const text = isBase64
    ? Buffer.from(body, 'base64').toString()
    : fromQuoted(body.replace(/=\r\n/g, ''))
  return { ...mail, headers, text }
}

test('the owner reads which webhook was paused, since when, and where to look', async () => {
  expect(await send()).toEqual({ status: 250, errorClass: null })
  const { from, to, headers, text } = lastMail()
  expect([from, to]).toEqual(['workspace@example.com', ['owner@example.com']])
  expect(headers.get('subject')).toBe('Webhook „CRM“ wurde angehalten')
  expect(headers.get('message-id')).toBe('<e0000000-0000-4000-8000-000000000001@example.com>')
  expect(headers.get('auto-submitted')).toBe('auto-generated')
  expect(headers.get('content-type')).toStartWith('text/plain')
  expect(text).toContain(
    'Der Webhook „CRM“ (crm.example.com) wurde am 4. März 2026 um 06:06 Uhr angehalten',
  )
  expect(text).toContain(
    'https://workspace.example/dashboard/webhooks/a0000000-0000-4000-8000-000000000002',
  )
  expect(text).not.toContain('token-123')
})

test('at five failures it names their number; a test is marked as one; each in two languages', async () => {
  await send({}, { failures: 5 })
  expect(lastMail().headers.get('subject')).toBe(
    'Webhook „CRM“: 5 Zustellungen nacheinander fehlgeschlagen',
  )
  await send({}, { failures: 8, language: 'en' })
  expect(lastMail().headers.get('subject')).toBe('Webhook “CRM”: 8 deliveries in a row failed')
  // What the owner chose in the dashboard counts before the setting.
  const none = { subscription_id: null, label: null, target_url: null, active: null }
  await send({}, { ...none, failures: null, failing_since: null, language: 'en' })
  const { headers, text } = lastMail()
  expect(headers.get('subject')).toBe('Test notice: notices arrive')
  expect(text).toContain('https://workspace.example/dashboard/system#notices')
})

test('without a public URL there is no link, and without a name there is the host', async () => {
  await send({ dashboardUrl: null }, { label: ' \u200b ' })
  expect(lastMail().headers.get('subject')).toBe('Webhook „crm.example.com“ wurde angehalten')
  expect(lastMail().text).not.toMatch(/https?:|null|undefined/)
  // A target that was changed by hand.
  expect((await send({}, { target_url: 'https://exa mple' })).status).toBe(250)
})

test.each([
  'A\r\nBcc: thief@example.com',
  'A\u2028Bcc: thief@example.com',
  '\r\n\r\nA body',
  '\r\n.\r\nMAIL FROM:<thief@example.com>',
  '=?UTF-8?Q?=0D=0ABcc:_thief@example.com?=',
  `${'ü'.repeat(300)}\r\nBcc: thief@example.com`,
])('a label %j begins no header and no other mail', async label => {
  await send({}, { label })
  const { to, headers } = lastMail()
  expect(server.mails).toHaveLength(1)
  expect(to).toEqual(['owner@example.com'])
  expect([...headers.keys()].sort()).toEqual([
    ...['auto-submitted', 'content-transfer-encoding', 'content-type', 'date', 'from'],
    ...['message-id', 'mime-version', 'subject', 'to'],
  ])
})

test('addresses that the owner entered go first, and what is no address goes nowhere', async () => {
  await send({}, { mail_to: 'first@example.com, second@example.com' })
  expect(lastMail().to).toEqual(['first@example.com', 'second@example.com'])
  await send({}, { mail_to: 'a@example.com>\r\nRCPT TO:<thief@example.com' })
  expect(lastMail().to).toEqual(['owner@example.com'])
})

describe('encryption', () => {
  test.each([
    ['smtp://mail.example.com', { requireTLS: true, ignoreTLS: false, secure: false, port: 587 }],
    ['smtps://mail.example.com', { requireTLS: false, ignoreTLS: false, secure: true, port: 465 }],
    ['smtp://mail.example.com:25?tls=off', { requireTLS: false, ignoreTLS: true, port: 25 }],
    ['smtp://127.0.0.1', { requireTLS: false, ignoreTLS: true }],
    ['smtp://[::1]', { host: '::1', requireTLS: false, ignoreTLS: true }],
    ['smtp://127.0.0.1?tls=required', { requireTLS: true, ignoreTLS: false }],
    ['smtp://127.example.com', { requireTLS: true }],
    ['smtp://10.0.0.1', { requireTLS: true }],
  ])('%s', (url, expected) => {
    expect(mailServerOf(url)).toMatchObject(expected)
  })

  test('STARTTLS, and TLS from the first byte, with user and password', async () => {
    const { user, password } = smtpUser
    const named = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
    const starting = `smtp://${named}localhost:${server.port('right')}?tls=required`
    for (const url of [starting, `smtps://${named}localhost:${server.securePort()}`]) {
      expect(await send({ url })).toEqual({ status: 250, errorClass: null })
      expect(lastMail()).toMatchObject({ encrypted: true, user })
    }
    const wrong = `smtps://${encodeURIComponent(user)}:falsch@localhost:${server.securePort()}`
    expect(await send({ url: wrong })).toEqual({ status: 535, errorClass: 'auth' })
  })

  test('nothing is sent to a server without TLS, or with a certificate that is not right', async () => {
    const urls = [
      ...(['none', 'otherName', 'untrusted'] as const).map(
        kind => `smtp://localhost:${server.port(kind)}?tls=required`,
      ),
      ...(['otherName', 'untrusted'] as const).map(
        kind => `smtps://localhost:${server.securePort(kind)}`,
      ),
    ]
    for (const url of urls) expect([url, (await send({ url })).errorClass]).toEqual([url, 'tls'])
    expect(server.mails).toEqual([])
  })
})

describe('a server that behaves badly', () => {
  const patience = 300

  test.each(['silent', 'dripping'] as const)('%s: the attempt ends with its time', async mood => {
    server.behave(mood)
    const startedAt = performance.now()
    expect(await send({ totalMs: patience })).toEqual({ status: null, errorClass: 'timeout' })
    expect(performance.now() - startedAt).toBeLessThan(patience + 2_000)
    await until(() => server.connections() === 0)
  })

  test('endless: the attempt ends long before its time, with what it may read', async () => {
    server.behave('endless')
    expect(await send({ totalMs: 30_000 })).toEqual({ status: null, errorClass: 'connect' })
    await until(() => server.connections() === 0)
  })

  test('refusing: the answer is known, and none of its text', async () => {
    server.behave('refusing')
    expect(await send()).toEqual({ status: 550, errorClass: 'status' })
    server.behave('some')
    const mail_to = 'first@example.com,second@example.com'
    expect(await send({}, { mail_to })).toEqual({ status: 250, errorClass: null })
  })

  test('not there, or without a name that resolves: the attempt fails, and its class has the reason', async () => {
    expect((await send({ url: 'smtp://127.0.0.1:1' })).errorClass).toBe('connect')
    expect((await send({ url: 'smtp://mail.invalid?tls=off' })).errorClass).toBe('dns')
  })

  test('a stop ends what is being sent', async () => {
    server.behave('silent')
    const open = channel({ totalMs: 30_000 })
    const sending = open.send(notice())
    await until(() => server.connections() === 1)
    open.close()
    expect((await sending).errorClass).not.toBeNull()
    await until(() => server.connections() === 0)
  })
})
