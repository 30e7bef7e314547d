// Notices by e-mail, over one short connection each. The mail server may be slow, broken or hostile: each attempt has a time
// and a size that it may take. A text names the webhook and its host: nothing of events, nothing of persons.
import { isIPv4 } from 'node:net'
import { rootCertificates } from 'node:tls'
import { createTransport } from 'nodemailer'
import { readMailAddresses } from '../lib/mail_addresses.ts'
import type { NoticeLanguage } from '../model/notice.ts'
import { targetHost } from '../model/target_url.ts'
import { type Notice, type NoticeMail, type NoticeOutcome, noticeType } from './notices.ts'

export type NoticeMailOptions = {
  /** smtp:// or smtps://, with user and password. */
  url: string
  from: string
  /** To whom, unless the owner entered others. */
  to: readonly string[]
  language: NoticeLanguage
  /** PEM; trusted next to the usual authorities. */
  ca: string | undefined
  dashboardUrl: string | null
  /** For one attempt as a whole. */
  totalMs: number
}

// A reply of SMTP has a few lines.
const replyBytesMax = 64 * 1024

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** How the server of an address is reached. Without TLS only on this machine, or where the address says so. */
export function mailServerOf(url: string) {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'smtps:'
  const asked = searchParams.get('tls')
  const isPlain = !secure && (asked === 'off' || (asked === null && isLoopback(host)))
  const [user, pass] = [username, password].map(decodeURIComponent)
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isPlain,
    ignoreTLS: isPlain,
    ...(user && { auth: { user, pass } }),
  }
}

type MailError = { code?: string; originalCode?: string; responseCode?: number; message?: string }

const classes: Record<string, string> = {
  EDNS: 'dns',
  ETLS: 'tls',
  ETIMEDOUT: 'timeout',
  EAUTH: 'auth',
}
const aboutTls = /CERT|SSL|TLS|ALTNAME|ISSUER|certificate/i

/** Why a mail server did not take it. Its own words stay out: they may repeat addresses. */
function outcomeOf(error: MailError, isLate: boolean): NoticeOutcome {
  const { code = '', originalCode = '', responseCode, message = '' } = error
  const status = responseCode ?? null
  const known = classes[code]
  if (isLate) return { status: null, errorClass: 'timeout' }
  if (known !== undefined) return { status, errorClass: known }
  if (status !== null) return { status, errorClass: 'status' }
  const isTls = code === 'ESOCKET' && aboutTls.test(`${originalCode} ${message}`)
  return { status, errorClass: isTls ? 'tls' : 'connect' }
}

const statusOf = (response: string) => Number(/^\d{3}/.exec(response)?.[0] ?? 250)

/** The same for every attempt, so that mail servers know a second one. */
const messageIdOf = ({ id }: Notice, from: string) => `<${id}@${from.split('@')[1]}>`

type NoticeValues = { name: string; host: string; failures: string; since: string; at: string }

const texts = {
  de: {
    locale: 'de-DE',
    // As the dashboard shows it to a reader in Germany.
    clock: { timeZone: 'Europe/Berlin', name: 'Uhr' },
    unnamed: 'ohne Namen',
    unknown: 'Adresse unbekannt',
    failing: {
      subject: ({ name, failures }: NoticeValues) =>
        `Webhook „${name}“: ${failures} Zustellungen nacheinander fehlgeschlagen`,
      text: ({ name, host, failures, since }: NoticeValues) =>
        `Der Webhook „${name}“ (${host}) hat ${failures} Zustellungen nacheinander nicht angenommen, die erste am ${since}.

Was nicht ankam, wird aufbewahrt und lässt sich nachliefern. Nach zehn nacheinander fehlgeschlagenen Zustellungen wird der Webhook angehalten.`,
    },
    paused: {
      subject: ({ name }: NoticeValues) => `Webhook „${name}“ wurde angehalten`,
      text: ({ name, host, at }: NoticeValues) =>
        `Der Webhook „${name}“ (${host}) wurde am ${at} angehalten: Zehn Zustellungen nacheinander sind fehlgeschlagen.

Was seitdem geschieht, wird aufbewahrt. Im Dashboard sehen Sie, woran es liegt; dort schalten Sie ihn wieder ein und liefern das Verpasste nach.`,
    },
    test: {
      subject: () => 'Testnachricht: Benachrichtigungen kommen an',
      text: () =>
        'Dies ist eine Testnachricht. Wenn ein Webhook nicht zustellen kann, erfahren Sie es auf diesem Weg.',
    },
    look: 'Ansehen und beheben:',
    settings: 'Einstellungen:',
    foot: 'Diese Nachricht kommt automatisch von Ihrer Workspace Data API. Wohin Nachrichten gehen, ändern Sie im Dashboard unter „Benachrichtigungen“.',
  },
  en: {
    locale: 'en-GB',
    clock: { timeZone: 'UTC', name: 'UTC' },
    unnamed: 'unnamed',
    unknown: 'address unknown',
    failing: {
      subject: ({ name, failures }: NoticeValues) =>
        `Webhook “${name}”: ${failures} deliveries in a row failed`,
      text: ({ name, host, failures, since }: NoticeValues) =>
        `The webhook “${name}” (${host}) did not accept ${failures} deliveries in a row, the first of them on ${since}.

What did not arrive is kept and can be delivered later. After ten failed deliveries in a row the webhook is paused.`,
    },
    paused: {
      subject: ({ name }: NoticeValues) => `Webhook “${name}” was paused`,
      text: ({ name, host, at }: NoticeValues) =>
        `The webhook “${name}” (${host}) was paused on ${at}: ten deliveries in a row failed.

What happens from now on is kept. The dashboard shows the reason; resume the webhook there and deliver what it missed.`,
    },
    test: {
      subject: () => 'Test notice: notices arrive',
      text: () => 'This is a test. When a webhook cannot deliver, you learn about it this way.',
    },
    look: 'Review:',
    settings: 'Settings:',
    foot: 'The Workspace Data API sent this automatically. Change where notices go in the dashboard, under “Notices”.',
  },
}

const kinds = {
  'webhook.failing': 'failing',
  'webhook.paused': 'paused',
  'notice.test': 'test',
} as const

const nameLengthMax = 80

/** One short line: a label may hold anything. */
const nameOf = (label: string | null): string =>
  [
    ...(label ?? '')
      .toWellFormed()
      .replace(/[\p{C}\s]+/gu, ' ')
      .trim(),
  ]
    .slice(0, nameLengthMax)
    .join('')

type Clock = { timeZone: string; name: string }

const momentIn = (locale: string, { timeZone, name }: Clock, at: string | null): string =>
  at === null
    ? '–'
    : `${new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(new Date(at))} ${name}`

function noticeText(notice: Notice, language: NoticeLanguage, dashboardUrl: string | null) {
  const { locale, clock, unnamed, unknown, look, settings, foot, ...kindTexts } = texts[language]
  const host = targetHost(notice.target_url)
  const values: NoticeValues = {
    name: nameOf(notice.label) || host || unnamed,
    host: host ?? unknown,
    failures: String(notice.failures ?? 0),
    since: momentIn(locale, clock, notice.failing_since),
    at: momentIn(locale, clock, notice.created_at),
  }
  const { subject, text } = kindTexts[kinds[noticeType(notice.failures)]]
  const { subscription_id: id } = notice
  const link =
    id === null ? `${settings} ${dashboardUrl}/notices` : `${look} ${dashboardUrl}/webhooks/${id}`
  const parts = [text(values), ...(dashboardUrl === null ? [] : [link]), `-- \n${foot}`]
  return { subject: subject(values), text: `${parts.join('\n\n')}\n` }
}

export function openNoticeMail(options: NoticeMailOptions): NoticeMail {
  const { from, totalMs, dashboardUrl } = options
  const stop = new AbortController()
  const transport = createTransport({
    ...mailServerOf(options.url),
    tls: {
      ca: [...rootCertificates, ...(options.ca === undefined ? [] : [options.ca])],
      minVersion: 'TLSv1.2',
      // NODE_TLS_REJECT_UNAUTHORIZED must not switch it off.
      rejectUnauthorized: true,
    },
    connectionTimeout: totalMs,
    greetingTimeout: totalMs,
    socketTimeout: totalMs,
    dnsTimeout: totalMs,
    socketCloseTimeout: 0,
    maxResponseSize: replyBytesMax,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    isSet: options.to.length > 0,
    async send(notice) {
      const to = readMailAddresses(notice.mail_to ?? '') ?? options.to
      const language = (notice.language ?? options.language) as NoticeLanguage
      const late = AbortSignal.timeout(totalMs)
      try {
        const { response } = await transport.sendMail({
          ...noticeText(notice, language, dashboardUrl),
          from: { name: 'Workspace Data API', address: from },
          to: to.map(address => ({ name: '', address })),
          messageId: messageIdOf(notice, from),
          // No out-of-office replies.
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.any([late, stop.signal]),
        })
        return { status: statusOf(response), errorClass: null }
      } catch (error) {
        return outcomeOf(error as MailError, late.aborted)
      }
    },
    close() {
      stop.abort()
      transport.close()
    },
  }
}
