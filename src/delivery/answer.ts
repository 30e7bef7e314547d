// Reads one HTTP/1.1 answer off a connection, as far as a delivery needs it: status, a few headers, the
// beginning of the body, and whether the connection can carry another request. What is not plainly framed
// is never followed by one.
// By hand, because node:https takes 115 to 170 µs of processor time for a delivery where this takes 50 to 70,
// signing and TLS included (Bun 1.4.5, 16 to 64 at once).

export type AnswerHeaders = Record<string, string>

export type Answer = {
  status: number
  headers: AnswerHeaders
  body: Buffer[]
  /** Nothing came after it, and both sides go on. */
  keep: boolean
}

/** `more`: not over yet. `broken`: no HTTP, or more of it than we read. */
export type Reading = Answer | 'more' | 'broken'

export type AnswerReader = {
  read(bytes: Buffer): Reading
  /** When the other side has ended: an answer whose status is known counts. */
  end(): Answer | undefined
}

// More than any server's headers.
const headBytesMax = 16 * 1_024
// The excerpt takes 1 KiB; a somewhat longer body is read, so that its connection can be kept.
const bodyBytesMax = 16 * 1_024
// Chunks of a byte each take six on the wire.
const wireBytesMax = 4 * bodyBytesMax
// 1xx answers before the one that counts.
const hintsMax = 16
const sizeLineMax = 256
// Servers that keep connections for less end them about when the next request is on its way.
const keepAliveSecondsMin = 3

/** `plain`: every line of it was a header, as a header is written. */
type Head = { status: number; minor: string; headers: AnswerHeaders; plain: boolean }
type Framing = { kind: 'none' | 'chunked' | 'close' } | { kind: 'length'; length: number }

const nothing: Buffer = Buffer.alloc(0)

const isHeaderName = (text: string) => /^[!#$%&'*+.^_`|~\w-]+$/.test(text)

const isBlank = (character: string | undefined) => character === ' ' || character === '\t'

/** Without the spaces and tabs around it. By hand: one pattern for all of it took an hour for a line of 16 KB. */
function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (isBlank(text[start])) start += 1
  while (end > start && isBlank(text[end - 1])) end -= 1
  return text.slice(start, end)
}

/** What is no header is passed over, and costs the connection; a line that begins blank goes on the one before. */
function readHead(text: string): Head | undefined {
  const [start = '', ...lines] = text.split('\r\n')
  const [, minor, status] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(start) ?? []
  if (minor === undefined || status === undefined) return undefined
  const headers: AnswerHeaders = {}
  let plain = true
  let last: string | undefined
  for (const line of lines) {
    const colon = line.indexOf(':')
    const written = line.slice(0, Math.max(colon, 0))
    const isPlain = isHeaderName(written)
    const name = isPlain ? written : trimmed(written)
    if (isBlank(line[0]) && last !== undefined) headers[last] += ` ${trimmed(line)}`
    else if (isPlain || isHeaderName(name)) {
      last = name.toLowerCase()
      const value = trimmed(line.slice(colon + 1))
      headers[last] = headers[last] === undefined ? value : `${headers[last]}, ${value}`
    }
    plain &&= isPlain && !/[\r\n\0]/.test(line)
  }
  return { status: Number(status), minor, headers, plain }
}

function framingOf({ status, headers }: Head): Framing | undefined {
  const { 'transfer-encoding': coding, 'content-length': length } = headers
  if (status === 101 || status === 204 || status === 304) return { kind: 'none' }
  if (coding !== undefined)
    return { kind: coding.toLowerCase() === 'chunked' ? 'chunked' : 'close' }
  if (length === undefined) return { kind: 'close' }
  // The same said twice is no contradiction.
  const [first = '', ...others] = length.split(',').map(trimmed)
  const isLength = /^\d{1,15}$/.test(first) && others.every(other => other === first)
  return isLength ? { kind: 'length', length: Number(first) } : undefined
}

function allowsAnother({ status, minor, headers, plain }: Head): boolean {
  const { connection = '', 'keep-alive': kept = '' } = headers
  const seconds = /(?:^|[ ,;])timeout=(\d{1,9})/i.exec(kept)?.[1]
  return (
    plain &&
    minor === '1' &&
    status !== 101 &&
    !/close|upgrade/i.test(connection) &&
    !('transfer-encoding' in headers && 'content-length' in headers) &&
    (seconds === undefined || Number(seconds) >= keepAliveSecondsMin)
  )
}

/** Takes a chunked body apart, and says what it could not use yet; undefined: it is not chunked. */
function chunkReader(take: (bytes: Buffer) => void) {
  let left = 0
  let state: 'size' | 'data' | 'data end' | 'trailer' = 'size'
  return (received: Buffer): { over: boolean; rest: Buffer } | undefined => {
    let rest = received
    for (;;) {
      if (state === 'data') {
        take(rest.subarray(0, left))
        const taken = Math.min(left, rest.length)
        rest = rest.subarray(taken)
        left -= taken
        if (left > 0) return { over: false, rest }
        state = 'data end'
      }
      const end = rest.indexOf('\r\n')
      if (end < 0) return rest.length > sizeLineMax ? undefined : { over: false, rest }
      const line = rest.toString('latin1', 0, end)
      rest = rest.subarray(end + 2)
      if (end > sizeLineMax || (state === 'data end' && line !== '')) return undefined
      if (state === 'trailer' && line === '') return { over: true, rest }
      if (state === 'data end') state = 'size'
      else if (state === 'size') {
        const size = /^([\da-f]{1,8})[ \t]*(?:;.*)?$/i.exec(line)?.[1]
        if (size === undefined) return undefined
        left = Number.parseInt(size, 16)
        state = left === 0 ? 'trailer' : 'data'
      }
    }
  }
}

export function answerReader(): AnswerReader {
  let pending = nothing
  let head: Head | undefined
  let framing: Framing = { kind: 'close' }
  let hints = 0
  let size = 0
  let wireSize = 0
  const body: Buffer[] = []
  const take = (bytes: Buffer) => {
    if (bytes.length > 0) body.push(bytes)
    size += bytes.length
  }
  let readChunks: ReturnType<typeof chunkReader> | undefined
  const answer = (known: Head, keep: boolean): Answer => ({
    status: known.status,
    headers: known.headers,
    body,
    keep: keep && allowsAnother(known),
  })

  /** Reads heads until the one that counts. */
  function takeHead(): 'more' | 'broken' | Head {
    for (;;) {
      const end = pending.indexOf('\r\n\r\n')
      if (end < 0) return pending.length > headBytesMax ? 'broken' : 'more'
      const read = readHead(pending.toString('latin1', 0, end))
      const framed = read && framingOf(read)
      if (end > headBytesMax || read === undefined || framed === undefined) return 'broken'
      pending = pending.subarray(end + 4)
      if (read.status >= 200 || read.status === 101) {
        framing = framed
        return read
      }
      hints += 1
      if (hints > hintsMax) return 'broken'
    }
  }

  function takeBody(known: Head): Reading {
    if (framing.kind === 'none') return answer(known, pending.length === 0)
    if (framing.kind === 'chunked') {
      readChunks ??= chunkReader(take)
      const read = readChunks(pending)
      // Its status was given, and that counts.
      if (read === undefined) return answer(known, false)
      pending = read.rest
      if (read.over) return answer(known, pending.length === 0)
    } else {
      take(framing.kind === 'length' ? pending.subarray(0, framing.length - size) : pending)
      const beyond = framing.kind === 'length' ? wireSize - framing.length : -1
      pending = nothing
      if (beyond >= 0) return answer(known, beyond === 0)
    }
    return size > bodyBytesMax || wireSize > wireBytesMax ? answer(known, false) : 'more'
  }

  return {
    read(bytes) {
      pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
      if (head === undefined) {
        const read = takeHead()
        if (typeof read === 'string') return read
        head = read
        wireSize = pending.length
      } else wireSize += bytes.length
      return takeBody(head)
    },
    end: () => head && answer(head, false),
  }
}
