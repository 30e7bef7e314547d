// The forms of settings. Each throws an Error whose message completes the sentence "NAME must be …".
import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { Cron } from 'croner'
import { hostUrls } from '../lib/host_urls.ts'
import { isMailAddress, readMailAddresses } from '../lib/mail_addresses.ts'
import { retryDelays } from '../model/delivery_rules.ts'
import { readNetwork } from '../model/networks.ts'

/** `read` throws, or returns undefined, where the text has not the form. */
const form =
  <Value>(rule: string, read: (text: string) => Value | undefined) =>
  (text: string): Value => {
    let value: Value | undefined
    try {
      value = read(text)
    } catch {}
    if (value === undefined) throw new Error(rule)
    return value
  }

const matching = (pattern: RegExp, rule: string) =>
  form(rule, text => (pattern.test(text) ? text : undefined))

/** What stands between commas, each of which has to be of a form. */
const listOf = <Value>(rule: string, read: (part: string) => Value | undefined) =>
  form(rule, text => {
    const values = text.split(',').map(part => read(part.trim()))
    return values.includes(undefined) ? undefined : (values as Value[])
  })

export const oneOf = <Value extends string>(values: readonly Value[]) =>
  form(`one of ${values.join(', ')}`, text => values.find(value => value === text))

const numberIn = (text: string, pattern: RegExp, min: number, max: number) =>
  pattern.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined

export const integer = (min: number, max: number) =>
  form(`a whole number from ${min} to ${max}`, text => numberIn(text, /^\d{1,15}$/, min, max))

const roleNames = ['api', 'worker'] as const

export const roles = listOf('api, worker, or both', part => roleNames.find(name => name === part))

// 8.64 s: a retention that is much shorter rounds to no second.
const daysMin = 0.0001

export const daysOrEver = form(
  `a number of days from ${daysMin} on, or -1 to keep events for ever`,
  text => (text === '-1' ? -1 : numberIn(text, /^\d{1,5}(\.\d{1,6})?$/, daysMin, 99_999)),
)

/** With five fields the seconds are missing, a seventh is a year, which passes. */
export const schedule = form('a schedule of six fields, seconds first, that comes up', text =>
  text.trim().split(/\s+/).length === 6 && new Cron(text).nextRun() ? text : undefined,
)

export const networks = listOf(
  'addresses or CIDR networks, such as 10.0.0.0/8',
  part => readNetwork(part) && part,
)

const delaysRule = `1 to ${retryDelays.length} delays in seconds up to 86400`
const readDelays = listOf(delaysRule, part => numberIn(part, /^\d{1,5}(\.\d{1,3})?$/, 0, 86_400))

/** A delay for each retry: the last one named stands for those that are not. */
export const delays = form(delaysRule, text => {
  const seconds = readDelays(text)
  const all = retryDelays.map((_, index) => seconds[index] ?? seconds.at(-1) ?? 0)
  return seconds.length > retryDelays.length ? undefined : all
})

export const directory = form('a readable directory', path => readdirSync(path) && path)

export const certificateFile = form(
  'a readable file of certificates in PEM form',
  path => new X509Certificate(readFileSync(path)) && path,
)

export const secretsKeys = listOf(
  '32 bytes in hex or base64, as `openssl rand -base64 32` makes them, several with commas',
  part =>
    // 64 hexadecimal digits, or 43 of base64, with or without its padding.
    /^([\da-f]{64}|[\w+/-]{43}=?)$/i.test(part) ? part : undefined,
)

/** One that can be typed into the sign-in. A file of a secret often ends with a line end. */
export const ownersPassword = matching(
  /^\P{Cc}{12,1024}$/u,
  '12 to 1,024 characters long, without a line end or another control character',
)

/** A line of text that fits into the dashboard's side bar. */
export const shortName = matching(/^(?=.*\S)\P{Cc}{1,60}$/u, '1 to 60 characters in one line')

/** An address whose parts can be decoded. */
const urlOf = (text: string, pattern: RegExp): URL => {
  const url = new URL(text)
  decodeURIComponent(url.username + url.password + url.pathname)
  if (!pattern.test(text)) throw new Error(text)
  return url
}

/** With TLS unless the address says otherwise. */
export const mailServer = form(
  'an address of a mail server, such as smtp://user:password@mail.example.com:587, with both user and password or neither',
  text => {
    const url = urlOf(text, /^smtps?:\/\/[^/?#\s]+\/?(\?tls=(off|required))?$/)
    const isWhole = url.hostname !== '' && url.port !== '0'
    return isWhole && (url.username === '') === (url.password === '') ? text : undefined
  },
)

export const mailAddress = form(
  'an e-mail address without a name, such as workspace@example.com',
  text => (isMailAddress(text) ? text : undefined),
)

export const mailAddresses = form(
  'up to 5 e-mail addresses without names',
  text => readMailAddresses(text) ?? undefined,
)

// Those of libpq. postgres.js takes most other words for "verify-full", and a typing error for a server that fails.
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

function checkTls(parameters: URLSearchParams): void {
  const modes = parameters.getAll('sslmode')
  const file = parameters.get('sslrootcert')
  if (!modes.every(mode => sslModes.includes(mode)))
    throw new Error(`an address of PostgreSQL whose sslmode is one of ${sslModes.join(', ')}`)
  if (file === null) return
  // With another mode the certificate is not looked at.
  if (modes.length === 0 || !modes.every(mode => mode.startsWith('verify-')))
    throw new Error('an address of PostgreSQL whose sslmode is verify-full, as sslrootcert needs')
  if (file !== 'system') certificateFile(file)
}

const addressOf = form(
  'an address such as postgres://user:password@127.0.0.1:5432/workspace, in which a space, /, ?, # and % of a password are written as %20, %2F, %3F, %23 and %25',
  text => urlOf(text, /^postgres(ql)?:\/\/\S+$/),
)

/** One host or several, of which one takes writes. */
export const postgresUrls = (text: string) => {
  const urls = hostUrls(text).map(addressOf)
  for (const { searchParams } of urls) checkTls(searchParams)
  if (urls.length > 1 && urls.some(({ hostname }) => hostname === ''))
    throw new Error('an address of PostgreSQL whose hosts all have a name')
  return text
}

export const postgresUrl = (text: string) => {
  if (hostUrls(text).length > 1) throw new Error('an address of PostgreSQL with one host')
  return postgresUrls(text)
}

// A browser reads a backslash as a slash: what stands behind it is a path.
export const origin = form('an origin without a path, such as https://api.example.com', text =>
  /^https?:\/\/[^/\\?#@\s]+$/.test(text) && URL.canParse(text) ? text : undefined,
)
