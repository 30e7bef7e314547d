// Reads one HTTP/1.1 response as its bytes arrive, as far as a webhook needs it: status, headers, the start of the body,
// and whether the connection can carry another request. The result does not depend on how the bytes are split.
// docs/decisions/https_client.md says why this is not the runtime's parser.
import { isHeaderLine, type ResponseHead, type ResponseHeaders, readHead } from './response_head.ts'

export type ParsedResponse = {
  status: number
  headers: ResponseHeaders
  /** At most 16 KiB. */
  body: Buffer[]
  /** The response is complete and plainly framed, nothing followed it, and the server keeps the connection open. */
  reusable: boolean
  /** If so, for how long it may be kept unused, in milliseconds; Infinity: the server does not say. */
  keepMs: number
}

/** `invalid`: not HTTP/1.x, or heads beyond the limits. */
export type ParseResult = ParsedResponse | 'incomplete' | 'invalid'

export type ResponseParser = {
  /** To be called until the result is another than `incomplete`. */
  push(bytes: Buffer): ParseResult
  /** When the server has closed the connection: the response, if its status is known. */
  end(): ParsedResponse | undefined
}

// More than any server's headers.
const headBytesMax = 16 * 1_024
// An excerpt takes far less; a longer body is read to its end, so that its connection can be used again.
const bodyBytesMax = 16 * 1_024
// A chunk of one byte takes six on the wire.
const chunkedBytesMax = 4 * bodyBytesMax
// 1xx responses before the final one.
const interimMax = 16

const headEnd = '\r\n\r\n'
const noBytes: Buffer = Buffer.alloc(0)

/** Keeps the start of a body and counts all of it. */
function openBody() {
  const chunks: Buffer[] = []
  let size = 0
  return {
    chunks,
    take(bytes: Buffer): void {
      const room = bodyBytesMax - size
      if (room > 0 && bytes.length > 0)
        chunks.push(bytes.length > room ? bytes.subarray(0, room) : bytes)
      size += bytes.length
    },
    size: () => size,
  }
}

/** Reads heads up to the one of the final response. */
function openHeads() {
  let interim = 0
  let reusable = true
  return (received: Buffer): { head: ResponseHead | undefined; rest: Buffer } | 'invalid' => {
    let rest = received
    for (;;) {
      const end = rest.indexOf(headEnd)
      // The last bytes may be the beginning of the head's end.
      const length = end < 0 ? rest.length - headEnd.length + 1 : end
      if (length > headBytesMax) return 'invalid'
      if (end < 0) return { head: undefined, rest }
      const head = readHead(rest.toString('latin1', 0, end))
      if (head === undefined) return 'invalid'
      rest = rest.subarray(end + headEnd.length)
      reusable &&= head.reusable
      if (head.status >= 200 || head.status === 101) return { head: { ...head, reusable }, rest }
      interim += 1
      if (interim > interimMax) return 'invalid'
    }
  }
}

// The size of a chunk, or a trailer.
const lineBytesMax = 256

/** `rest`: bytes that are not used yet. */
type ChunkProgress = { ended: boolean; rest: Buffer }

/**
 * Decodes a chunked body (RFC 9112, 7.1) as its bytes arrive, and gives the data to `take`. The result is undefined when the
 * bytes are not chunked.
 */
function openChunkedBody(take: (bytes: Buffer) => void) {
  let left = 0
  let state: 'size' | 'data' | 'data end' | 'trailer' = 'size'

  /** Takes one line, without its end; false when it may not stand here. */
  function takeLine(line: string): boolean {
    if (state === 'trailer') return isHeaderLine(line)
    if (state === 'data end') {
      state = 'size'
      return line === ''
    }
    const size = /^([\da-f]{1,8})[ \t]*(?:;.*)?$/i.exec(line)?.[1]
    if (size === undefined) return false
    left = Number.parseInt(size, 16)
    state = left === 0 ? 'trailer' : 'data'
    return true
  }

  return (received: Buffer): ChunkProgress | undefined => {
    let rest = received
    for (;;) {
      if (state === 'data') {
        const data = rest.subarray(0, left)
        take(data)
        rest = rest.subarray(data.length)
        left -= data.length
        if (left > 0) return { ended: false, rest }
        state = 'data end'
      }
      const end = rest.indexOf('\r\n')
      // The last byte may be the first of the line's end.
      if (end < 0) return rest.length - 1 > lineBytesMax ? undefined : { ended: false, rest }
      if (end > lineBytesMax) return undefined
      const line = rest.toString('latin1', 0, end)
      rest = rest.subarray(end + 2)
      if (state === 'trailer' && line === '') return { ended: true, rest }
      if (!takeLine(line)) return undefined
    }
  }
}

export function openResponseParser(): ResponseParser {
  const readHeads = openHeads()
  const body = openBody()
  let readChunks: ReturnType<typeof openChunkedBody> | undefined
  let pending = noBytes
  let head: ResponseHead | undefined
  let chunkedBytes = 0

  const response = ({ status, headers, reusable, keepMs }: ResponseHead, plainEnd: boolean) => ({
    status,
    headers,
    body: body.chunks,
    reusable: reusable && plainEnd,
    keepMs,
  })

  function readChunked(known: ResponseHead): ParseResult {
    readChunks ??= openChunkedBody(body.take)
    const within = pending.subarray(0, chunkedBytesMax - chunkedBytes)
    const isCut = within.length < pending.length
    const progress = readChunks(within)
    // The status is known, and that counts.
    if (progress === undefined || body.size() > bodyBytesMax) return response(known, false)
    if (progress.ended) return response(known, !isCut && progress.rest.length === 0)
    if (isCut) return response(known, false)
    chunkedBytes += within.length - progress.rest.length
    pending = progress.rest
    return 'incomplete'
  }

  function readBody(known: ResponseHead): ParseResult {
    const { framing } = known
    if (framing.kind === 'none') return response(known, pending.length === 0)
    if (framing.kind === 'chunked') return readChunked(known)
    const left = framing.kind === 'length' ? framing.length - body.size() : Number.POSITIVE_INFINITY
    const beyond = pending.length - left
    body.take(beyond > 0 ? pending.subarray(0, left) : pending)
    pending = noBytes
    if (body.size() > bodyBytesMax) return response(known, false)
    return beyond >= 0 ? response(known, beyond === 0) : 'incomplete'
  }

  return {
    push(bytes) {
      pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
      if (head === undefined) {
        const read = readHeads(pending)
        if (read === 'invalid') return read
        head = read.head
        pending = read.rest
      }
      return head === undefined ? 'incomplete' : readBody(head)
    },
    end: () => head && response(head, false),
  }
}
