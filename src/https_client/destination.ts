// Where a request goes: the parts of a target URL that may be called, and the bytes of a request to it.
import { readTargetUrl } from '../model/target_url.ts'
import { version } from '../version.ts'

export type Destination = {
  /** Connections are shared by requests of the same key: group, host and port. */
  poolKey: string
  hostname: string
  port: string
  /** With the query. */
  path: string
  /** The Host header. */
  host: string
}

// Ten times the default of HOOKS_MAX; with more subscriptions some URLs are parsed again.
const cachedMax = 1_000

const commonHeaders = [
  `User-Agent: workspace-data-api/${version}`,
  'Accept: */*',
  'Accept-Encoding: identity',
  'Content-Type: application/json',
  'Connection: keep-alive',
  '',
].join('\r\n')

/** Undefined for a URL that must not be called. */
function readDestination(
  url: string,
  group: string,
  allowed: readonly string[],
): Destination | undefined {
  const read = readTargetUrl(url, allowed)
  if ('refused' in read) return undefined
  const { hostname, port, pathname, search, host } = new URL(read.url)
  return {
    poolKey: `${group} ${host}`,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port || '443',
    path: pathname + search,
    host,
  }
}

/** Parses each group's URL once, not for every request. */
export function openDestinationCache(allowed: readonly string[]) {
  const cached = new Map<string, { url: string; destination: Destination | undefined }>()
  return (url: string, group: string): Destination | undefined => {
    const last = cached.get(group)
    if (last?.url === url) return last.destination
    if (last === undefined && cached.size >= cachedMax) cached.clear()
    const destination = readDestination(url, group, allowed)
    cached.set(group, { url, destination })
    return destination
  }
}

const headerName = /^[\w-]+$/
// Any other character could end the header's line.
const headerValue = /^[\x20-\x7e]*$/

/** A whole POST request. Throws for a header that could break out of its line. */
export function requestText(
  { path, host }: Destination,
  headers: Record<string, string>,
  body: string,
): string {
  let head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${commonHeaders}`
  for (const [name, value] of Object.entries(headers)) {
    if (!headerName.test(name) || !headerValue.test(value))
      throw new Error(`not a valid header: ${name}`)
    head += `${name}: ${value}\r\n`
  }
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
