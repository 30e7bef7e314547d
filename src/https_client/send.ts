// Sends POST requests to untrusted targets, within limits of time, size and address. Every failure of a target
// is a result, not an exception. This file is the module's only public one.

import {
  type Connection,
  ConnectTimeoutError,
  type Exchange,
  NoAddressError,
  type Stage,
  type TrustOptions,
  writeAtEndOfTurn,
} from './connection.ts'
import { type Destination, openDestinationCache, requestText } from './destination.ts'
import { type ConnectionPool, openConnectionPool, type PoolLimits } from './pool.ts'
import { type ErrorClass, failedResult, type Reply, type Result, resultOf } from './reply.ts'
import type { Lookup } from './resolve.ts'
import { openResponseParser } from './response_parser.ts'
import { startTimeLimit } from './time_limit.ts'

export type { ErrorClass, Reply } from './reply.ts'

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
  /** Rejects only for a header that is not printable ASCII; every failure of the target is a Reply. */
  send(request: OutgoingRequest): Promise<Reply>
  /** Closes every connection; requests in flight fail. */
  close(): void
}

export type SenderTimeouts = PoolLimits & {
  /** From the request to the last byte of the response, with the time to connect. */
  totalMs: number
}

export type SenderOptions = Omit<TrustOptions, 'lookup'> & {
  timeouts?: Partial<SenderTimeouts>
  lookup?: Lookup
}

const defaultTimeouts: SenderTimeouts = {
  connectMs: 5_000,
  totalMs: 15_000,
  // Most servers keep one for 5 s and longer, a few for one or two.
  idleMs: 4_000,
  ageMaxMs: 60_000,
}

/** Writes a request as it would be sent; undefined: nothing may be sent to its address. */
export function openRequestWriter(allowedNetworks: readonly string[]) {
  const destinationOf = openDestinationCache(allowedNetworks)
  return ({ url, group, headers, body }: OutgoingRequest): string | undefined => {
    const destination = destinationOf(url, group)
    return destination && requestText(destination, headers, body)
  }
}

function errorClassOf(stage: Stage, error: Error | undefined): ErrorClass {
  if (error instanceof NoAddressError) return error.errorClass
  if (error instanceof ConnectTimeoutError) return 'timeout'
  return stage === 'tls' ? 'tls' : 'connect'
}

const replyOf = (result: Result, since: number): Reply => ({
  ...result,
  durationMs: Math.round(performance.now() - since),
})

/**
 * One request and its response over a connection of the pool, within a limit of time. Settles once, and leaves no timer
 * behind and no socket except one that can carry another request. It never repeats a request: when a kept connection
 * breaks, the server may have read the POST.
 */
function runExchange(
  pool: ConnectionPool,
  destination: Destination,
  request: string,
  totalMs: number,
): Promise<Reply> {
  const since = performance.now()
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const parser = openResponseParser()
  let connection: Connection | undefined
  // After a response that came before the request was sent, the rest of the request would precede the next one.
  let sent = false
  const stopTimeLimit = startTimeLimit(totalMs, () => finish(failedResult('timeout'), 0))

  function finish(result: Result, keepMs: number) {
    stopTimeLimit()
    if (connection === undefined) pool.cancel(destination, exchange)
    else if (keepMs > 0 && sent) pool.release(destination, connection, keepMs)
    else pool.discard(connection)
    resolve(replyOf(result, since))
  }

  const exchange: Exchange = {
    onConnection(acquired) {
      connection = acquired
      writeAtEndOfTurn(acquired, request, () => {
        sent = true
      })
    },
    onData(bytes) {
      const parsed = parser.push(bytes)
      if (parsed === 'invalid') finish(failedResult('connect'), 0)
      else if (parsed !== 'incomplete')
        finish(resultOf(parsed), parsed.reusable ? parsed.keepMs : 0)
    },
    onClose(stage, error) {
      // The status of a response that breaks off is known, and that counts.
      const response = parser.end()
      finish(response ? resultOf(response) : failedResult(errorClassOf(stage, error)), 0)
    },
  }
  pool.acquire(destination, exchange)
  return promise
}

export function openSender(options: SenderOptions): Sender {
  const { allowedNetworks, ca, lookup } = options
  const { totalMs, ...limits } = { ...defaultTimeouts, ...options.timeouts }
  const pool = openConnectionPool({ allowedNetworks, ca, lookup, ...limits })
  // Checked again here: the URL may have been stored under other settings, and an address in it is never resolved.
  const destinationOf = openDestinationCache(allowedNetworks)

  return {
    async send({ url, group, headers, body }) {
      const destination = destinationOf(url, group)
      if (destination === undefined) return replyOf(failedResult('blocked'), performance.now())
      return await runExchange(pool, destination, requestText(destination, headers, body), totalMs)
    },
    close: () => pool.close(),
  }
}
