// The address a subscription's events are sent to, judged by its text alone: whether it may be tried at all.
// Which addresses its name leads to is another question, asked again at every connection (src/sending/sender.ts).
import { isForbidden } from './networks.ts'

/** network: it leads where nothing is sent; form: no address that can be called. */
export type TargetRefusal = 'network' | 'scheme' | 'credentials' | 'form'
/** `refused` is the reason as the API says it. */
type RefusedTarget = { refused: string; reason: TargetRefusal }
type TargetUrl = { url: string } | RefusedTarget

const refuse = (rule: string, reason: TargetRefusal = 'form'): RefusedTarget => ({
  refused: `target_url ${rule}`,
  reason,
})

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

// Most who name such an address develop a receiver, or have one in their own network.
const wayOut =
  '; the command listen brings events to your own machine, WEBHOOK_ALLOWED_NETWORKS opens networks'

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

function refusalOfHost(host: string, allowed: readonly string[]): RefusedTarget | undefined {
  const address = literalAddress(host)
  if (address !== undefined)
    return isForbidden(address, allowed)
      ? refuse(`must not lead to a private or reserved address${wayOut}`, 'network')
      : undefined
  if (!isDnsName(host)) return refuse('must name a host')
  if (metadataNames.includes(host)) return refuse('must not lead to a metadata server', 'network')
  if (isLocalhost(host) && isForbidden('127.0.0.1', allowed))
    return refuse(`must not lead to this machine${wayOut}`, 'network')
  // Where private networks are allowed a receiver may have such a name, as in a Compose file.
  return !host.includes('.') && allowed.length === 0
    ? refuse(`must name a host with its domain, such as hooks.example.com${wayOut}`, 'network')
    : undefined
}

function refusalOfText(text: string): RefusedTarget | undefined {
  if (text.length > lengthMax)
    return refuse(`must have at most ${lengthMax.toLocaleString('en')} characters`)
  // A parser of URLs drops and mends these; a person who reads the URL would see another one than is called.
  if (!text.isWellFormed()) return refuse('must be Unicode text')
  if (/[\s\p{Cc}\\]/u.test(text)) return refuse('must not hold spaces, control characters or \\')
  if (!/^https:\/\//i.test(text)) return refuse('must begin with https://', 'scheme')
  if (!/^https:\/\/[^/]/i.test(text)) return refuse('must name a host')
  return URL.canParse(text) ? undefined : refuse('must be a URL')
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
  if (refusedText !== undefined) return refusedText
  const url = canonical(text)
  if (url.username !== '' || url.password !== '')
    return refuse('must not hold a user name or password', 'credentials')
  if (url.port === '0') return refuse('must not use port 0')
  const refusedHost = refusalOfHost(url.hostname, allowed)
  if (refusedHost !== undefined) return refusedHost
  if (encodedHost.test(text)) return refuse('must not encode its host with %')
  // Characters that had to be percent-encoded make it longer.
  return refusalOfText(url.href) ?? { url: url.href }
}

/** What a target is shown as: its path may hold a token. Null: a row written by hand may hold no address. */
export const targetHost = (url: string | null): string | null =>
  url !== null && URL.canParse(url) ? new URL(url).host : null
