// The connections deliveries go over: kept for the next delivery to the same origin, and each opened only
// to an address that was checked. A kept one still leads where it was checked to lead.
import { isIP, type LookupFunction } from 'node:net'
import { connect, createSecureContext, rootCertificates, type TLSSocket } from 'node:tls'
import { type Lookup, resolveTarget } from '../net/resolve.ts'

export type ConnectionOptions = {
  allowedNetworks: readonly string[]
  /** PEM; trusted beside the usual authorities. */
  ca?: string | undefined
  /** How names are resolved; only tests change it. */
  lookup?: Lookup | undefined
  /** How long a connection is kept unused. */
  idleMs: number
  /** How long a connection is used at most, so that a name that moves is followed. */
  ageMaxMs: number
}

export type Stage = 'connect' | 'tls' | 'open'

/** What one exchange wants to hear of its connection. */
export type Exchange = {
  onOpen(): void
  onData(bytes: Buffer): void
  /** Ended or broken; nothing follows. */
  onEnd(error: Error | undefined): void
}

export type Connection = {
  stage: Stage
  readonly origin: string
  readonly socket: TLSSocket
  readonly openedAt: number
  exchange: Exchange | undefined
  idleTimer: ReturnType<typeof setTimeout> | undefined
}

export type Connections = {
  /** Keeps to one exchange at a time: a kept connection that is open, or a new one. */
  take(place: { hostname: string; port: string }, exchange: Exchange): Connection
  /** Gives a connection back for the next exchange. */
  keep(connection: Connection): void
  close(): void
}

const keptPerOriginMax = 64

/** Why no connection was tried. */
export class NoAddressError extends Error {
  readonly errorClass: 'dns' | 'blocked'

  constructor(errorClass: 'dns' | 'blocked') {
    super(errorClass)
    this.errorClass = errorClass
  }
}

/** net.connect's own way to resolve a name: it connects to nothing but what this gives it. */
const checkedLookup =
  (allowed: readonly string[], lookup: Lookup | undefined): LookupFunction =>
  (hostname, { all }, callback) => {
    void resolveTarget(hostname, allowed, lookup).then(resolution => {
      if ('errorClass' in resolution) return callback(new NoAddressError(resolution.errorClass), [])
      const [first] = resolution.addresses
      return all
        ? callback(null, resolution.addresses)
        : callback(null, first?.address ?? '', first?.family)
    })
  }

export function tlsOptions({ allowedNetworks, ca, lookup }: ConnectionOptions) {
  const authorities = [...rootCertificates, ...(ca === undefined ? [] : [ca])]
  return {
    lookup: checkedLookup(allowedNetworks, lookup),
    // Read once, not at every handshake; `ca` is for runtimes that know no secureContext.
    secureContext: createSecureContext({ ca: authorities }),
    ca: authorities,
    ALPNProtocols: ['http/1.1'],
    // Whatever the environment says (NODE_TLS_REJECT_UNAUTHORIZED).
    rejectUnauthorized: true,
  }
}

/** Listens once for as long as the connection lives; whose turn it is hears of it. */
function attend(connection: Connection, forget: () => void): void {
  const { socket } = connection
  let failure: Error | undefined
  const end = () => {
    clearTimeout(connection.idleTimer)
    forget()
    connection.exchange?.onEnd(failure)
    socket.destroy()
  }
  socket.once('connect', () => {
    connection.stage = 'tls'
  })
  socket.once('secureConnect', () => {
    connection.stage = 'open'
    connection.exchange?.onOpen()
  })
  socket.on('data', (bytes: Buffer) => {
    // Nobody asked: what comes next on it could be taken for an answer.
    if (connection.exchange) connection.exchange.onData(bytes)
    else socket.destroy()
  })
  socket.on('error', error => {
    failure = error
  })
  socket.once('end', end)
  socket.once('close', end)
}

export function openConnections(options: ConnectionOptions): Connections {
  const { idleMs, ageMaxMs } = options
  const settings = tlsOptions(options)
  const all = new Set<Connection>()
  const kept = new Map<string, Connection[]>()

  function forget(connection: Connection): void {
    all.delete(connection)
    const left = (kept.get(connection.origin) ?? []).filter(other => other !== connection)
    if (left.length > 0) kept.set(connection.origin, left)
    else kept.delete(connection.origin)
  }

  function open(hostname: string, port: string, origin: string): Connection {
    const name = isIP(hostname) === 0 ? { servername: hostname } : {}
    const socket = connect({ ...settings, ...name, host: hostname, port: Number(port) })
    const connection: Connection = {
      stage: 'connect',
      origin,
      socket,
      openedAt: performance.now(),
      exchange: undefined,
      idleTimer: undefined,
    }
    all.add(connection)
    attend(connection, () => forget(connection))
    return connection
  }

  return {
    take({ hostname, port }, exchange) {
      const origin = `${hostname}:${port}`
      const connection = kept.get(origin)?.pop() ?? open(hostname, port, origin)
      clearTimeout(connection.idleTimer)
      connection.exchange = exchange
      return connection
    },
    keep(connection) {
      connection.exchange = undefined
      const others = kept.get(connection.origin) ?? []
      const tooOld = performance.now() - connection.openedAt > ageMaxMs
      if (tooOld || others.length >= keptPerOriginMax || !all.has(connection))
        return void connection.socket.destroy()
      connection.idleTimer = setTimeout(() => connection.socket.destroy(), idleMs)
      others.push(connection)
      kept.set(connection.origin, others)
    },
    close() {
      for (const { socket } of all) socket.destroy()
    },
  }
}
