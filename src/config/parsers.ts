// The forms of settings. Each throws an Error whose message completes the sentence "NAME must be …".
import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { Cron } from 'croner'
import { hostUrls } from '../lib/host_urls.ts'
import { isMailAddress, readMailAddresses } from '../lib/mail_addresses.ts'
import { retryDelays } from '../model/delivery_rules.ts'

export const integer = (min: number, max: number) => (text: string) => {
  if (!/^\d{1,15}$/.test(text) || Number(text) < min || Number(text) > max)
    throw new Error(`a whole number from ${min} to ${max}`)
  return Number(text)
}

export const oneOf =
  <Value extends string>(values: readonly Value[]) =>
  (value: string) => {
    if (!(values as readonly string[]).includes(value))
      throw new Error(`one of ${values.join(', ')}`)
    return value as Value
  }

/** What stands between commas. */
const partsOf = (value: string) => value.split(',').map(part => part.trim())

export function readRoles(value: string): ('api' | 'worker')[] {
  const named = [...new Set(partsOf(value))]
  if (named.every(name => name === 'api' || name === 'worker')) return named
  throw new Error('api, worker, or both')
}

// 8.64 s: a retention that is much shorter rounds to no second.
const daysMin = 0.0001

export function daysOrEver(value: string): number {
  const days = Number(value)
  const isEver = value === '-1'
  if (!isEver && (!/^\d{1,5}(\.\d{1,6})?$/.test(value) || days < daysMin))
    throw new Error(`a number of days from ${daysMin} on, or -1 to keep events for ever`)
  return days
}

const nextRunOf = (value: string) => {
  try {
    return new Cron(value).nextRun()
  } catch {
    return undefined
  }
}

/** Six fields: with five the seconds are missing, a seventh is a year, which passes. */
export function schedule(value: string): string {
  const next = nextRunOf(value)
  if (next === undefined || value.trim().split(/\s+/).length !== 6)
    throw new Error('a schedule of six fields, seconds first')
  if (next === null) throw new Error('a schedule of dates that exist')
  return value
}

const isNetwork = (value: string) => {
  const [address = '', bits = '0', ...rest] = value.split('/')
  const width = isIP(address) === 4 ? 32 : 128
  return isIP(address) !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= width
}

export const networks = (value: string) => {
  const list = partsOf(value).filter(part => part !== '')
  if (!list.every(isNetwork)) throw new Error('addresses or CIDR networks')
  return list
}

const retriesMax = retryDelays.length

/** A delay for each retry: the last one named stands for those that are not. */
export const delays = (value: string) => {
  const texts = partsOf(value)
  const seconds = texts.map(Number)
  if (
    texts.length > retriesMax ||
    !texts.every(part => /^\d{1,5}(\.\d{1,3})?$/.test(part)) ||
    seconds.some(one => one > 86_400)
  )
    throw new Error(`1 to ${retriesMax} delays in seconds up to 86400`)
  return Array.from({ length: retriesMax }, (_, index) => seconds[index] ?? seconds.at(-1) ?? 0)
}

const hostName = /^[\w-]+(\.[\w-]+)*\.?$/

export const host = (value: string) => {
  if (isIP(value.replace(/^\[(.*)\]$/, '$1')) === 0 && !hostName.test(value))
    throw new Error('an address or a name of this machine, without a port')
  return value
}

export const directory = (path: string) => {
  try {
    return readdirSync(path) && path
  } catch {
    throw new Error('a readable directory')
  }
}

export const certificateFile = (path: string) => {
  try {
    return new X509Certificate(readFileSync(path)) && path
  } catch {
    throw new Error('a readable file of certificates in PEM form')
  }
}

// 32 bytes: 64 hexadecimal digits, or 43 of base64, with or without its padding.
const secretsKeyForm = /^([\da-f]{64}|[\w+/-]{43}=?)$/i

export const secretsKeys = (value: string) => {
  const keys = partsOf(value)
  if (!keys.every(key => secretsKeyForm.test(key)))
    throw new Error('32 bytes in hex or base64, several with commas')
  return keys
}

const passwordLengthMin = 12
// Well within what the sign-in's form may hold, however it is encoded.
const passwordLengthMax = 1_024

/** One that can be typed into the sign-in. A file of a secret often ends with a line end. */
export const ownersPassword = (value: string) => {
  if (value.length < passwordLengthMin)
    throw new Error(`at least ${passwordLengthMin} characters long`)
  if (value.length > passwordLengthMax)
    throw new Error(`at most ${passwordLengthMax.toLocaleString('en')} characters long`)
  if (/\p{Cc}/u.test(value)) throw new Error('without a line end or another control character')
  return value
}

/** A line of text that fits into the dashboard's side bar. */
export const shortName = (value: string) => {
  if (value.trim() === '' || [...value].length > 60 || /\p{Cc}/u.test(value))
    throw new Error('1 to 60 characters in one line')
  return value.trim()
}

// What postgres.js decodes. Its own complaint of an escape that is none is "URI error".
const isDecodable = ({ username, password, pathname }: URL) => {
  try {
    return decodeURIComponent(username + password + pathname) !== undefined
  } catch {
    return false
  }
}

/** A mail server, with TLS unless the address says otherwise. */
export const mailServer = (value: string) => {
  const isUrl =
    /^smtps?:\/\/[^/?#\s]+\/?(\?tls=(off|required))?$/.test(value) && URL.canParse(value)
  if (!isUrl || new URL(value).hostname === '' || !isDecodable(new URL(value)))
    throw new Error('an address smtp:// or smtps:// of a mail server')
  const { username, password, port } = new URL(value)
  if (Number(port || 1) === 0) throw new Error('an address of a mail server without port 0')
  if ((username === '') !== (password === ''))
    throw new Error('an address of a mail server with both user and password, or neither')
  return value
}

export const mailAddress = (value: string) => {
  if (!isMailAddress(value)) throw new Error('an e-mail address without a name')
  return value
}

export const mailAddresses = (value: string) => {
  const addresses = readMailAddresses(value)
  if (addresses === null) throw new Error('up to 5 e-mail addresses without names')
  return addresses
}

// Those of libpq. postgres.js takes most other words for "verify-full", and a typing error for a server that fails.
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

function checkTls(parameters: URLSearchParams): void {
  const modes = parameters.getAll('sslmode')
  if (!modes.every(mode => sslModes.includes(mode)))
    throw new Error(`an address of PostgreSQL whose sslmode is one of ${sslModes.join(', ')}`)
  const file = parameters.get('sslrootcert')
  if (file === null) return
  // With another mode the certificate is not looked at.
  if (!modes.every(mode => mode.startsWith('verify-')) || modes.length === 0)
    throw new Error(
      'an address of PostgreSQL whose sslmode is verify-full where it has sslrootcert',
    )
  try {
    if (file !== 'system') certificateFile(file)
  } catch (error) {
    throw new Error(`an address of PostgreSQL whose sslrootcert is ${(error as Error).message}`)
  }
}

export const postgresUrl = (value: string) => {
  const isAddress = /^postgres(ql)?:\/\/\S+$/.test(value)
  if (isAddress && hostUrls(value).length > 1)
    throw new Error('an address of PostgreSQL with one host')
  if (!isAddress || !URL.canParse(value))
    throw new Error(
      /^postgres(ql)?:\/\/.*[\s/?#].*@/.test(value)
        ? 'an address of PostgreSQL in which a space, /, ? and # of the password are written as %20, %2F, %3F and %23'
        : 'an address of PostgreSQL',
    )
  if (!isDecodable(new URL(value)))
    throw new Error('an address of PostgreSQL in which a % is written as %25')
  checkTls(new URL(value).searchParams)
  return value
}

/** One host or several, of which one takes writes. */
export const postgresUrls = (value: string) => {
  const urls = hostUrls(value).map(postgresUrl)
  if (urls.length > 1 && urls.some(url => new URL(url).hostname === ''))
    throw new Error('an address of PostgreSQL whose hosts all have a name')
  return value
}

export const origin = (value: string) => {
  // A browser reads a backslash as a slash: what stands behind it is a path.
  if (!/^https?:\/\/[^/\\?#@\s]+$/.test(value) || !URL.canParse(value))
    throw new Error('an origin without a path')
  return value
}
