// Reads what a request to a route carries: path and query as they were sent, and from them the input of its operation.
import { ApiError, type ErrorCode } from '../../errors.ts'
import { type Parameters, readValue, type Values } from '../../operations/parameters.ts'
import type { PathParameter, RestRoute } from './route.ts'

// What the runtime writes in request.url for bytes that are no UTF-8; sent as itself it looks the same. A search for it would
// find nothing, and the client would not learn why.
const replacement = '\ufffd'

/** Percent-decodes once. Throws `code` for bytes that are no UTF-8, bad encoding and NUL; `what` names the place. */
export function decode(text: string, what: string, code: ErrorCode = 'invalid_request'): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text)
  } catch {
    throw new ApiError(code, `${what} must be valid UTF-8 in percent-encoding.`)
  }
  if (decoded.includes(replacement))
    throw new ApiError(code, `${what} must be valid UTF-8, and without the character U+FFFD.`)
  if (decoded.includes('\0')) throw new ApiError(code, `${what} must not contain a NUL character.`)
  return decoded
}

// How some clients write lists. As an unknown parameter it would be ignored, and the answer would hold everything.
const bracketed = /^([a-z_]+)\[\d*\]$/

function refuseBrackets(name: string, known: Parameters): void {
  const base = bracketed.exec(name)?.[1] ?? ''
  if (!Object.hasOwn(known, base)) return
  const cure = known[base]?.isList
    ? `write ${base} with commas, or repeat it, without brackets`
    : `write ${base} without brackets`
  throw new ApiError(
    known[base]?.code ?? 'invalid_request',
    `There is no list in brackets: ${cure}.`,
  )
}

// A value without any of them holds nothing that is refused.
const unplain = new RegExp(`[%${replacement}]`)

function readPairs(query: string, known: Parameters): Map<string, string> {
  const found = new Map<string, string>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const rawName = equals < 0 ? pair : pair.slice(0, equals)
    const rawValue = equals < 0 ? '' : pair.slice(equals + 1)
    const name = decode(rawName.replaceAll('+', ' '), 'A query parameter')
    if (!Object.hasOwn(known, name)) {
      refuseBrackets(name, known)
      // Ignored, but what no text can be is refused everywhere.
      if (unplain.test(rawValue)) decode(rawValue, 'A query parameter')
      continue
    }
    const before = found.get(name)
    if (before !== undefined && !known[name]?.isList)
      throw new ApiError(known[name]?.code ?? 'invalid_request', `${name} must be given once.`)
    const value = decode(rawValue.replaceAll('+', ' '), name, known[name]?.code)
    found.set(name, before === undefined ? value : `${before},${value}`)
  }
  return found
}

/** Reads a query string strictly; unknown parameters are ignored. Throws the parameter's own code. */
export function readQuery<Known extends Parameters>(query: string, known: Known): Values<Known> {
  const found = query === '' ? undefined : readPairs(query, known)
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(known)) {
    values[name] = readValue(name, parameter, found?.get(name))
  }
  return values as Values<Known>
}

// No identity is longer: 254 characters of email address, each at most 12 characters in percent-encoding.
const keyLengthMax = 3_072

/** Path and query as they were sent: Elysia's own decoding hides bad percent-encoding. */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const question = url.indexOf('?', start)
  return question < 0
    ? { path: url.slice(start), query: '' }
    : { path: url.slice(start, question), query: url.slice(question + 1) }
}

/** An id is written as it is; a key is percent-encoded. */
function textOf(raw: string, { name, parameter }: PathParameter): string {
  if (parameter.schema.format === 'uuid') return raw
  if (raw.length > keyLengthMax)
    throw new ApiError('invalid_request', `${name} is too long for an identity.`)
  return decode(raw, name)
}

/** What the path and the query of a request to the route give its operation. Throws the parameters' own codes. */
export function readInput({ pathParameters, query }: RestRoute, url: string): Values<Parameters> {
  const sent = splitUrl(url)
  if (pathParameters.length === 0) return readQuery(sent.query, query)
  const segments = sent.path.split('/')
  const found = pathParameters.map(one => {
    const text = textOf(segments.at(one.segment) ?? '', one)
    return [one.input, readValue(one.name, one.parameter, text)]
  })
  return { ...Object.fromEntries(found), ...readQuery(sent.query, query) }
}
