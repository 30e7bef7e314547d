// One POST over a pool, within limits of time and size. What is kept of its response: status or error class, Retry-After, the
// start of the body, and headers.
import { channel } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Dispatcher, Pool } from 'undici-http'
import { version } from '../version.ts'

/** `status`: a response other than 2xx. `blocked`: the target must not be called, and nothing was sent. */
export type ErrorClass = 'dns' | 'connect' | 'tls' | 'timeout' | 'blocked' | 'status'

export type Reply = {
  /** Null when no response came, or none in time. */
  status: number | null
  errorClass: ErrorClass | null
  retryAfterMs: number | null
  /** The start of the body as harmless text; null when it is empty or encoded. */
  excerpt: string | null
  /** Of a response that is no success: a line each, of at most 1 KiB in all. */
  headers: string | null
  durationMs: number
}

export type Result = Omit<Reply, 'durationMs'>

/** Names in lower case. */
type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

type ResponseHead = { status: number; headers: ResponseHeaders }

const excerptBytesMax = 1_024

const retryAfterMaxMs = 60 * 60 * 1_000
const httpDate = /^[A-Z][a-z]{2,8},? [\w -]{6,11} \d\d:\d\d:\d\d( GMT| \d{4})$/

/** RFC 9110, 10.2.3, with its three forms of a date; null for anything else. At most an hour. */
function retryAfterMs(value: string, now: number): number | null {
  const text = value.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, retryAfterMaxMs)
  if (!httpDate.test(text)) return null
  // The oldest form has no zone and means GMT.
  const at = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`)
  return Number.isNaN(at) ? null : Math.min(Math.max(at - now, 0), retryAfterMaxMs)
}

// Control characters except tab and newline, and those that change the direction of the text around them.
// PostgreSQL stores no NUL.
const harmful = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** By the charset that a Content-Type names; UTF-8 where it names none that is known. */
function decoderFor(contentType: string): TextDecoder {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType) ?? []
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

/** The start of a body as text of at most 1 KiB in UTF-8. */
function excerptOf(body: Uint8Array, contentType: string): string | null {
  const bytes = body.subarray(0, excerptBytesMax)
  // Decoding as a stream leaves out a character that the limit cuts in two.
  const text = decoderFor(contentType).decode(bytes, { stream: true }).replace(harmful, '\ufffd')
  // The text may take more bytes in UTF-8 than it had.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(excerptBytesMax))
  return read === 0 ? null : text.slice(0, read)
}

const headerOf = (headers: ResponseHeaders, name: string): string =>
  [headers[name] ?? ''].flat().join(', ')

/** Whole lines of at most 1 KiB together; null: there is none. */
function linesOf(headers: ResponseHeaders): string | null {
  let text = ''
  for (const name of Object.keys(headers)) {
    // A cookie can authenticate a session, so it is not kept.
    if (name === 'set-cookie') continue
    const line = `${name}: ${headerOf(headers, name).replace(harmful, '\ufffd')}\n`
    if (Buffer.byteLength(text + line) > excerptBytesMax) break
    text += line
  }
  return text.trimEnd() || null
}

function resultOf({ status, headers }: ResponseHead, body: Uint8Array): Result {
  const isSuccess = status >= 200 && status < 300
  const isPlain = /^(identity)?$/i.test(headerOf(headers, 'content-encoding'))
  return {
    status,
    errorClass: isSuccess ? null : 'status',
    retryAfterMs: retryAfterMs(headerOf(headers, 'retry-after'), Date.now()),
    excerpt: isPlain ? excerptOf(body, headerOf(headers, 'content-type')) : null,
    headers: isSuccess ? null : linesOf(headers),
  }
}

export const failedResult = (errorClass: ErrorClass): Result => ({
  status: null,
  errorClass,
  retryAfterMs: null,
  excerpt: null,
  headers: null,
})

// A longer body is not read to its end, and its connection is closed.
const bodyBytesMax = 16 * 1_024
// 1xx responses before the final one.
const interimMax = 16

const ownHeaders = {
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
