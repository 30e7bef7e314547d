// One TLS connection, used by one exchange after the other. It is made only to addresses that were checked, and only to
// servers whose certificate a trusted authority signed.
import { isIP, type LookupFunction } from 'node:net'
import { connect, createSecureContext, rootCertificates, type TLSSocket } from 'node:tls'
import type { Destination } from './destination.ts'
import { type Lookup, resolveTarget } from './resolve.ts'
import { startTimeLimit } from './time_limit.ts'

export type TrustOptions = {
  /** Private networks that may be called all the same. */
  allowedNetworks: readonly string[]
  /** PEM; trusted in addition to the usual authorities. */
  ca?: string | undefined
  /** How names are resolved; only tests change it. */
  lookup?: Lookup | undefined
}

/** No connection was tried. */
export class NoAddressError extends Error {
  readonly errorClass: 'dns' | 'blocked'

  constructor(errorClass: 'dns' | 'blocked') {
    super(errorClass)
    this.errorClass = errorClass
  }
}

/** A `lookup` for net.connect, which connects only to the addresses it returns. */
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

export function tlsOptions({ allowedNetworks, ca, lookup }: TrustOptions) {
  const authorities = [...rootCertificates, ...(ca === undefined ? [] : [ca])]
  return {
    lookup: checkedLookup(allowedNetworks, lookup),
    // Parsed once, not at every handshake; `ca` is for runtimes that ignore secureContext.
    secureContext: createSecureContext({ ca: authorities }),
    ca: authorities,
    ALPNProtocols: ['http/1.1'],
    // NODE_TLS_REJECT_UNAUTHORIZED must not switch it off.
    rejectUnauthorized: true,
  }
}

/** How far a connection came. */
export type Stage = 'connect' | 'tls' | 'open'

/** One request and its response. */
export type Exchange = {
  /** The connection is open, and belongs to the exchange until it is released or discarded. */
  onConnection(connection: Connection): void
  onData(bytes: Buffer): void
  /** No connection was made, or it was closed. The last call. */
  onClose(stage: Stage, error: Error | undefined): void
}

export type Connection = {
  readonly socket: TLSSocket
  readonly openedAt: number
  /** Address and port, once it is connected: several hosts may have the same. */
  address: string | undefined
  exchange: Exchange | undefined
  /** Bytes received before the request was written are unsolicited, and close the connection. */
  requestWritten: boolean
  idleTimer: ReturnType<typeof setTimeout> | undefined
  /** Since when it is unused. */
  idleSince: number
  /** How long it was unused before its exchange, or before it was closed, in milliseconds. */
  unusedMs: number
  /** For how long it may stay so, in milliseconds. */
  keepMs: number
}

/** The connection was not open in time. */
export class ConnectTimeoutError extends Error {}

// Requests of one turn of the event loop are written together at its end: a receiver that wakes for each of them reads
// one request at a time.
let unwritten: (() => void)[] = []

function writeAll() {
  const writes = unwritten
  unwritten = []
  // A socket takes any text without throwing, also after it was destroyed.
  for (const write of writes) write()
}

/** Writes at the end of this turn of the event loop, unless the exchange is over by then. */
export function writeAtEndOfTurn(
  connection: Connection,
  text: string,
  onWritten: () => void,
): void {
  const { exchange } = connection
  connection.requestWritten = false
  const write = () => {
    if (connection.exchange !== exchange) return
    connection.requestWritten = true
    connection.socket.write(text, onWritten)
  }
  if (unwritten.push(write) === 1) setImmediate(writeAll)
}

type Events = Pick<Exchange, 'onClose'> & { onOpen(): void }

/** Opens a connection, and passes what it receives to its exchange of the moment. */
export function openConnection(
  tls: ReturnType<typeof tlsOptions>,
  { hostname, port }: Pick<Destination, 'hostname' | 'port'>,
  connectMs: number,
  { onOpen, onClose }: Events,
): Connection {
  const name = isIP(hostname) === 0 ? { servername: hostname } : {}
  const socket = connect({ ...tls, ...name, host: hostname, port: Number(port) })
  const connection: Connection = {
    socket,
    openedAt: performance.now(),
    address: undefined,
    exchange: undefined,
    requestWritten: false,
    idleTimer: undefined,
    idleSince: 0,
    unusedMs: 0,
    keepMs: Number.POSITIVE_INFINITY,
  }
  let stage: Stage = 'connect'
  let failure: Error | undefined
  let closed = false
  const stopTimeLimit = startTimeLimit(connectMs, () => {
    failure = new ConnectTimeoutError()
    socket.destroy()
  })

  const close = () => {
    if (closed) return
    closed = true
    stopTimeLimit()
    clearTimeout(connection.idleTimer)
    socket.destroy()
    onClose(stage, failure)
  }
  socket.once('connect', () => {
    stage = 'tls'
    connection.address = `${socket.remoteAddress} ${socket.remotePort}`
  })
  socket.once('secureConnect', () => {
    stage = 'open'
    stopTimeLimit()
    onOpen()
  })
  socket.on('data', (bytes: Buffer) => {
    // It took the request, so it had not closed the connection as unused.
    connection.unusedMs = 0
    if (connection.exchange && connection.requestWritten) connection.exchange.onData(bytes)
    // Kept open, the bytes could be taken for the response to the next request.
    else socket.destroy()
  })
  socket.on('error', error => {
    failure ??= error
  })
  socket.once('end', close)
  socket.once('close', close)
  return connection
}
