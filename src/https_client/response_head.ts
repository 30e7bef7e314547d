// The head of an HTTP/1.1 response: its status, its headers, and where its body ends.

export type ResponseHeaders = Readonly<Record<string, string>>

/** How the end of the body is found. `close`: by the end of the connection. */
type Framing = { kind: 'none' | 'chunked' | 'close' } | { kind: 'length'; length: number }

export type ResponseHead = Readonly<{
  status: number
  headers: ResponseHeaders
  framing: Framing
  /** Every client would find the same end of this response, and the server keeps the connection open. */
  reusable: boolean
  /** For how long the connection may be kept unused, in milliseconds; Infinity: the server does not say. */
  keepMs: number
}>

// The connection is closed this long before the server closes it.
const keepMarginMs = 1_000

const isHeaderName = (text: string) => /^[!#$%&'*+.^_`|~\w-]+$/.test(text)

// A client that ends lines at any of these would read other headers.
const hasStrayLineEnd = (line: string) => /[\r\n\0]/.test(line)

const isBlank = (character: string | undefined) => character === ' ' || character === '\t'

/** Without the spaces and tabs around it. A pattern for both ends backtracks for minutes on a hostile line. */
function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (isBlank(text[start])) start += 1
  while (end > start && isBlank(text[end - 1])) end -= 1
  return text.slice(start, end)
}

/** A header or trailer as RFC 9112 writes it, without folding and without blanks before the colon. */
export const isHeaderLine = (line: string): boolean =>
  isHeaderName(line.slice(0, Math.max(line.indexOf(':'), 0))) && !hasStrayLineEnd(line)

/** Lines that are no header are skipped, and a folded line continues the one before; both are not `wellFormed`. */
function readFields(lines: readonly string[]): { headers: ResponseHeaders; wellFormed: boolean } {
  // Without a prototype, so that a header called constructor is a header like any other.
  const headers: Record<string, string> = Object.create(null)
  let wellFormed = true
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
    wellFormed &&= isPlain && !hasStrayLineEnd(line)
  }
  return { headers, wellFormed }
}

/** A length that is repeated is no contradiction (RFC 9110, 8.6). */
function contentLengthOf(value: string): number | undefined {
  const [first = '', ...others] = value.split(',').map(trimmed)
  const isLength = /^\d{1,15}$/.test(first) && others.every(other => other === first)
  return isLength ? Number(first) : undefined
}

const isBodiless = (status: number) => status === 101 || status === 204 || status === 304

function framingOf(status: number, headers: ResponseHeaders): Framing | undefined {
  const { 'transfer-encoding': coding, 'content-length': value } = headers
  if (isBodiless(status)) return { kind: 'none' }
  if (coding !== undefined)
    return { kind: coding.toLowerCase() === 'chunked' ? 'chunked' : 'close' }
  if (value === undefined) return { kind: 'close' }
  const length = contentLengthOf(value)
  return length === undefined ? undefined : { kind: 'length', length }
}

/** Whether a client that reads the framing headers otherwise would still find the same end. */
function isPlainlyFramed(
  status: number,
  { 'transfer-encoding': coding, 'content-length': value }: ResponseHeaders,
): boolean {
  if (status < 200) return coding === undefined && value === undefined
  if (status === 204) return coding === undefined && (value === undefined || value === '0')
  if (status === 304)
    return coding === undefined && (value === undefined || contentLengthOf(value) !== undefined)
  return coding === undefined || value === undefined
}

function keepMsOf({ connection = '', 'keep-alive': keepAlive = '' }: ResponseHeaders): number {
  if (/close|upgrade/i.test(connection)) return 0
  const seconds = /(?:^|[ ,;])timeout=(\d{1,9})/i.exec(keepAlive)?.[1]
  if (seconds === undefined) return Number.POSITIVE_INFINITY
  return Math.max(0, Number(seconds) * 1_000 - keepMarginMs)
}

function parseHead(text: string): ResponseHead | undefined {
  const [start = '', ...lines] = text.split('\r\n')
  const [, minor, digits] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/.exec(start) ?? []
  if (minor === undefined || digits === undefined) return undefined
  const status = Number(digits)
  const { headers, wellFormed } = readFields(lines)
  const framing = framingOf(status, headers)
  if (framing === undefined) return undefined
  const keepMs = keepMsOf(headers)
  const reusable =
    wellFormed &&
    !hasStrayLineEnd(start) &&
    minor === '1' &&
    status !== 101 &&
    isPlainlyFramed(status, headers) &&
    keepMs > 0
  return { status, headers, framing, reusable, keepMs }
}

// Receivers answer with the same few heads until the second in their date changes.
const remembered = new Map<string, ResponseHead>()
const rememberedMax = 64
const rememberedLengthMax = 1_024

/** Reads a head without its last line end; undefined when it is not HTTP/1.x, or contradicts itself. */
export function readHead(text: string): ResponseHead | undefined {
  const known = remembered.get(text)
  if (known) return known
  const head = parseHead(text)
  if (head && text.length <= rememberedLengthMax) {
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(text, head)
  }
  return head
}
