// One POST over a pool, within limits of time and size: what of its response is read, and what its failure is called.
import { channel } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Dispatcher, Pool } from 'undici-http'
import { version } from '../version.ts'
import {
  type ErrorClass,
  excerptBytesMax,
  failedResult,
  type ResponseHead,
  type Result,
  resultOf,
} from './reply.ts'

// A longer body is not read to its end, and its connection is closed.
const bodyBytesMax = 16 * 1_024
// 1xx responses before the final one.
const interimMax = 16

export const ownHeaders = {
  'User-Agent': `workspace-data-api/${version}`,
  Accept: '*/*',
  'Accept-Encoding': 'identity',
  'Content-Type': 'application/json',
}

/** No connection was tried. */
export const noAddress = (code: 'dns' | 'blocked') => Object.assign(new Error(code), { code })

const aboutTls = /CERT|SSL|TLS|ALTNAME|ISSUER|SIGNATURE|EPROTO/

function errorClassOf(error: unknown): ErrorClass {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (code === 'dns' || code === 'blocked') return code
    if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout'
    if (code !== undefined && aboutTls.test(code)) return 'tls'
  }
  return 'connect'
}

// undici names the connection of a request only here, immediately before it writes the request.
let writtenTo: Socket | undefined
channel('undici:client:sendHeaders').subscribe(message => {
  writtenTo = (message as { socket: Socket }).socket
})

const overError = new Error('the exchange is over')

/** One POST and its response. It is never repeated: when a kept connection breaks, the receiver may have read it. */
export function sendOnce(
  pool: Pool,
  path: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  totalMs: number,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  let controller: Dispatcher.DispatchController | undefined
  let socket: Socket | undefined
  let response: ResponseHead | undefined
  const excerpt: Buffer[] = []
  let bodyBytes = 0
  let interim = 0
  let isOver = false
  const timer = setTimeout(() => finish(failedResult('timeout')), totalMs)

  /** Closes the connection unless the response is complete. */
  function finish(result: Result) {
    isOver = true
    clearTimeout(timer)
    resolve(result)
    controller?.abort(overError)
  }

  const finishWith = (head: ResponseHead) => finish(resultOf(head, Buffer.concat(excerpt)))

  pool.dispatch(
    { path, method: 'POST', headers: { ...ownHeaders, ...headers }, body },
    {
      onRequestStart(started) {
        controller = started
        // Its time was over before a connection was free.
        if (isOver) started.abort(overError)
      },
      onRequestSent() {
        socket = writtenTo
      },
      onResponseStart(_controller, status, answered) {
        // A 205 has no body (RFC 9110, 15.3.6), though it may not say so.
        if (status === 101 || status === 205) finishWith({ status, headers: answered })
        else if (status >= 200) response = { status, headers: answered }
        else if (++interim > interimMax) finish(failedResult('connect'))
      },
      onResponseData(_controller, bytes) {
        if (bodyBytes < excerptBytesMax)
          excerpt.push(bytes.subarray(0, excerptBytesMax - bodyBytes))
        bodyBytes += bytes.length
        if (response && bodyBytes > bodyBytesMax) finishWith(response)
      },
      onResponseEnd() {
        // What a receiver answers without reading would pile up on the connection, request by request.
        if (socket && socket.writableLength > 0) socket.destroy()
        if (response) finishWith(response)
      },
      onResponseError(_controller, error) {
        if (isOver) return
        // The status of a response that breaks off is known, and that counts.
        if (response) finishWith(response)
        else if ((error as NodeJS.ErrnoException).code === 'UND_ERR_INVALID_ARG') {
          clearTimeout(timer)
          reject(error)
        } else finish(failedResult(errorClassOf(error)))
      },
    },
  )
  return promise
}
