// One request and its response over a connection of the pool, within a limit of time.
import {
  type Connection,
  ConnectTimeoutError,
  type Exchange,
  type Stage,
  writeAtEndOfTurn,
} from './connection.ts'
import type { Destination } from './destination.ts'
import type { ConnectionPool } from './pool.ts'
import { type ErrorClass, failure, type Reply, type Result, resultOf } from './reply.ts'
import { openResponseParser } from './response_parser.ts'
import { NoAddressError } from './tls.ts'

function errorClassOf(stage: Stage, error: Error | undefined): ErrorClass {
  if (error instanceof NoAddressError) return error.errorClass
  if (error instanceof ConnectTimeoutError) return 'timeout'
  return stage === 'tls' ? 'tls' : 'connect'
}

export const replyOf = (result: Result, since: number): Reply => ({
  ...result,
  durationMs: Math.round(performance.now() - since),
})

/**
 * Settles once, and leaves no timer behind and no socket except one that can carry another request. It never repeats
 * a request: when a kept connection breaks, the server may have read the POST.
 */
export function runExchange(
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
  const timer = setTimeout(() => finish(failure('timeout'), false), totalMs)

  function finish(result: Result, reusable: boolean) {
    clearTimeout(timer)
    if (connection === undefined) pool.cancel(destination, exchange)
    else if (reusable && sent) pool.release(destination, connection)
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
      if (parsed === 'invalid') finish(failure('connect'), false)
      else if (parsed !== 'incomplete') finish(resultOf(parsed), parsed.reusable)
    },
    onClose(stage, error) {
      // The status of a response that breaks off is known, and that counts.
      const response = parser.end()
      finish(response ? resultOf(response) : failure(errorClassOf(stage, error)), false)
    },
  }
  pool.acquire(destination, exchange)
  return promise
}
