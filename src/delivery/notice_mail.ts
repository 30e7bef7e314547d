// Notices by e-mail, over one short connection each. The mail server may be slow, broken or hostile: each attempt has a time
// and a size that it may take.
import { isIPv4 } from 'node:net'
import { rootCertificates } from 'node:tls'
import { createTransport } from 'nodemailer'
import { readMailAddresses } from '../lib/mail_addresses.ts'
import { defaultLanguage, type NoticeLanguage } from '../model/notice.ts'
import { type Notice, noticeText } from './notice_texts.ts'

export type NoticeMailOptions = {
  /** smtp:// or smtps://, with user and password. */
  url: string
  from: string
  /** To whom, unless the owner entered others. */
  to: readonly string[]
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

/** The result of an attempt; a null error class means accepted. */
type NoticeOutcome = { status: number | null; errorClass: string | null }

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

export function openNoticeMail(options: NoticeMailOptions) {
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
    /** Whether a setting says where to. What the owner entered in the dashboard comes with each notice. */
    isSet: options.to.length > 0,
    /** Never fails, and ends within seconds. */
    async send(notice: Notice): Promise<NoticeOutcome> {
      const to = readMailAddresses(notice.mail_to ?? '') ?? options.to
      const language = (notice.language ?? defaultLanguage) as NoticeLanguage
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
    /** Ends what is being sent. */
    close() {
      stop.abort()
      transport.close()
    },
  }
}
