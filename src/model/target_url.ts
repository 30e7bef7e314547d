// The address a subscription's events are sent to, judged by its text alone: whether it may be tried at all.
// Which addresses its name leads to is another question, asked again at every connection (src/https_client/resolve.ts).
import { isForbidden } from './networks.ts'

export type TargetUrl = { url: string } | { refused: string }

const lengthMax = 2_048
const hostLengthMax = 253

// What answers with a machine's credentials. Their addresses are refused too; a search domain or a
// resolver of the cloud may lead elsewhere.
const metadataNames = [
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.azure.internal',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
  'rancher-metadata',
]

const isLocalhost = (host: string) =>
  /^(.+\.)?(localhost|localhost\.localdomain|localhost[46]|ip6-localhost|ip6-loopback)$/.test(host)

const isIpv4 = (host: string) => /^\d+(\.\d+){3}$/.test(host)

const isDnsName = (host: string) =>
  host.length <= hostLengthMax &&
  host.split('.').every(label => /^[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?$/.test(label))

// The parser decodes it, and a person would read another name.
const encodedHost = /^https:\/\/[^/?#]*%/i

/** The address of a host that is one, without brackets; undefined for a name. */
export function literalAddress(host: string): string | undefined {
  if (host.startsWith('[')) return host.slice(1, -1)
  return isIpv4(host) ? host : undefined
}

function refusalOfHost(host: string, allowed: readonly string[]): string | undefined {
  const address = literalAddress(host)
  if (address !== undefined)
    return isForbidden(address, allowed)
      ? 'target_url must not lead to a private or reserved address'
      : undefined
  if (!isDnsName(host)) return 'target_url must name a host'
  if (metadataNames.includes(host)) return 'target_url must not lead to a metadata server'
  return isLocalhost(host) && isForbidden('127.0.0.1', allowed)
    ? 'target_url must not lead to this machine'
    : undefined
}

function refusalOfText(text: string): string | undefined {
  if (text.length > lengthMax)
    return `target_url must have at most ${lengthMax.toLocaleString('en')} characters`
  // A parser of URLs drops and mends these; a person who reads the URL would see another one than is called.
  if (!text.isWellFormed()) return 'target_url must be Unicode text'
  if (/[\s\p{Cc}\\]/u.test(text)) return 'target_url must not hold spaces, control characters or \\'
  if (!/^https:\/\//i.test(text)) return 'target_url must begin with https://'
  if (!/^https:\/\/[^/]/i.test(text)) return 'target_url must name a host'
  return URL.canParse(text) ? undefined : 'target_url must be a URL'
}

// A parser of URLs leaves these in a path or a query; no URI has them (RFC 3986).
const noUri = /%(?![\da-f]{2})|[|[\]{}^`\\]/gi
const encoded = (text: string) =>
  text.replace(noUri, one => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/** One spelling per target, a URI: a host without its trailing dot, and no fragment, which is never sent. */
function canonical(text: string): URL {
  const url = new URL(text)
  url.hash = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  url.pathname = encoded(url.pathname)
  url.search = encoded(url.search)
  return url
}

/** The canonical form of a target URL, or why it is refused. `allowed` are networks open all the same. */
export function readTargetUrl(text: string, allowed: readonly string[]): TargetUrl {
  const refusedText = refusalOfText(text)
  if (refusedText !== undefined) return { refused: refusedText }
  const url = canonical(text)
  if (url.username !== '' || url.password !== '')
    return { refused: 'target_url must not hold a user name or password' }
  if (url.port === '0') return { refused: 'target_url must not use port 0' }
  const refusedHost = refusalOfHost(url.hostname, allowed)
  if (refusedHost !== undefined) return { refused: refusedHost }
  if (encodedHost.test(text)) return { refused: 'target_url must not encode its host with %' }
  // Characters that had to be percent-encoded make it longer.
  const refusedLength = refusalOfText(url.href)
  return refusedLength === undefined ? { url: url.href } : { refused: refusedLength }
}

/** What a target is shown as: its path may hold a token. Null: a row written by hand may hold no address. */
export const targetHost = (url: string | null): string | null =>
  url !== null && URL.canParse(url) ? new URL(url).host : null
