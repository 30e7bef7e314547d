// Sends POST requests to targets it does not trust, within limits of time, size and address. Every failure of a target is a
// result, not an exception. undici speaks HTTP; this file decides where a connection may lead and how much is read.
import type { LookupFunction } from 'node:net'
import { createSecureContext, rootCertificates } from 'node:tls'
import { buildConnector, Pool } from 'undici-http'
import { withTimeout } from '../lib/timeout.ts'
import { isForbidden } from '../model/networks.ts'
import { readTargetUrl } from '../model/target_url.ts'
import { type Lookup, lookupAll } from '../runtime/lookup.ts'
import { failedResult, noAddress, type Reply, type Result, sendOnce } from './exchange.ts'

export type { ErrorClass, Reply } from './exchange.ts'

export type OutgoingRequest = {
  url: string
  /** Only requests of one group share connections, so that an unsolicited response harms no other group. */
  group: string
  /** In addition to Content-Type, Content-Length, Host and the like. Printable ASCII values. */
  headers: Record<string, string>
  /** Sent as UTF-8, byte for byte what was signed. */
  body: string
}

export type Sender = {
  /** Rejects only for a header that HTTP does not allow; every failure of the target is a Reply. */
  send(request: OutgoingRequest): Promise<Reply>
  /** Closes every connection. Requests in flight fail, and so do later ones. */
  close(): void
}

export type SenderTimeouts = {
  /** Name, TCP and TLS together. */
  connectMs: number
  /** From the request to the last byte of the response, with the time to connect. */
  totalMs: number
  /** How long an unused connection is kept; shorter where the receiver says so. */
  idleMs: number
  /** How long a connection is used at most, so that a name that moves is followed. */
  ageMaxMs: number
}

export type SenderOptions = {
  /** Private networks that may be called all the same. */
  allowedNetworks: readonly string[]
  /** PEM; trusted in addition to the usual authorities. */
  ca?: string | undefined
  /** Of one group. */
  connectionsMax?: number
  timeouts?: Partial<SenderTimeouts>
  /** How names are resolved; only tests change it. */
  lookup?: Lookup
}

const usualTimeouts: SenderTimeouts = {
  connectMs: 5_000,
  totalMs: 15_000,
  // Most servers keep one for 5 s and longer.
  idleMs: 4_000,
  ageMaxMs: 60_000,
}
const usualConnectionsMax = 8
// Leaves time to connect of the 5 s there are for both; resolvers themselves try for 10 s and longer.
const lookupMs = 3_000
const headBytesMax = 16 * 1_024
const unusedMs = 60_000

/**
 * A `lookup` for net.connect, which connects only to the addresses it returns: asked a second time, a name may lead elsewhere.
 * One forbidden address is enough to refuse.
 */
const checkedLookup =
  (allowed: readonly string[], lookup: Lookup): LookupFunction =>
  (hostname, { all }, callback) => {
    const answer = async () => {
      const addresses = await withTimeout(lookup(hostname), lookupMs).catch(() => [])
      const [first] = addresses
      if (first === undefined) return callback(noAddress('dns'), [])
      if (addresses.some(({ address }) => isForbidden(address, allowed)))
        return callback(noAddress('blocked'), [])
      return all ? callback(null, addresses) : callback(null, first.address, first.family)
    }
    void answer()
  }

function openConnector({ allowedNetworks, ca, lookup }: SenderOptions, connectMs: number) {
  const authorities = [...rootCertificates, ...(ca === undefined ? [] : [ca])]
  return buildConnector({
    timeout: connectMs,
    lookup: checkedLookup(allowedNetworks, lookup ?? lookupAll),
    // Parsed once, not at every handshake; `ca` is for runtimes that ignore secureContext.
    secureContext: createSecureContext({ ca: authorities }),
    ca: authorities,
    // NODE_TLS_REJECT_UNAUTHORIZED must not switch it off.
    rejectUnauthorized: true,
    allowH2: false,
    // Each connection checks the certificate again.
    maxCachedSessions: 0,
  })
}

/** Undefined for a URL that must not be called. */
function readDestination(url: string, allowed: readonly string[]) {
  const read = readTargetUrl(url, allowed)
  if ('refused' in read) return undefined
  const { origin, pathname, search } = new URL(read.url)
  return { origin, path: pathname + search }
}

/** Where a group's requests go, with its connections. */
type Target = {
  url: string
  usedAt: number
  destination: ReturnType<typeof readDestination>
  pool: Pool | undefined
}

export function openSender(options: SenderOptions): Sender {
  const { allowedNetworks, connectionsMax = usualConnectionsMax } = options
  const { connectMs, totalMs, idleMs, ageMaxMs } = { ...usualTimeouts, ...options.timeouts }
  const connect = openConnector(options, connectMs)
  // By group, the one that was used last at the end.
  const targets = new Map<string, Target>()
  let closed = false

  const openPool = (origin: string) =>
    new Pool(origin, {
      connect,
      connections: connectionsMax,
      pipelining: 1,
      allowH2: false,
      useMilo: false,
      maxHeaderSize: headBytesMax,
      // One limit for all of it is in sendOnce().
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      clientTtl: ageMaxMs,
    })

  /** Checked here though it was checked when it was stored: under other settings, maybe, and an address is never looked up. */
  function openTarget(url: string, before: Target | undefined): Target {
    const destination = readDestination(url, allowedNetworks)
    const isSame = before !== undefined && before.destination?.origin === destination?.origin
    if (!isSame) void before?.pool?.close()
    const pool = isSame ? before.pool : destination && openPool(destination.origin)
    return { url, usedAt: 0, destination, pool }
  }

  function targetOf({ url, group }: OutgoingRequest): Target {
    const known = targets.get(group)
    const target = known?.url === url ? known : openTarget(url, known)
    target.usedAt = performance.now()
    targets.delete(group)
    targets.set(group, target)
    for (const [unused, { usedAt, pool }] of targets) {
      if (target.usedAt - usedAt < unusedMs) break
      targets.delete(unused)
      void pool?.close()
    }
    return target
  }

  async function resultFor(request: OutgoingRequest): Promise<Result> {
    if (closed) return failedResult('connect')
    const { pool, destination } = targetOf(request)
    if (pool === undefined || destination === undefined) return failedResult('blocked')
    return await sendOnce(pool, destination.path, request, totalMs)
  }

  return {
    async send(request) {
      const since = performance.now()
      const result = await resultFor(request)
      return { ...result, durationMs: Math.round(performance.now() - since) }
    },
    close() {
      closed = true
      for (const { pool } of targets.values()) void pool?.destroy()
      targets.clear()
    },
  }
}
