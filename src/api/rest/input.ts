// Reads what a request carries: path and query as they were sent, and from them the input of its operation.
import { ApiError, type ErrorCode } from '../../errors.ts'
import type { Operation } from '../../operations/operation.ts'
import {
  keyLengthMax,
  type Parameters,
  readValue,
  type Values,
} from '../../operations/parameters.ts'

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

// A value without any of them holds nothing that is refused.
const unplain = new RegExp(`[%${replacement}]`)
const ignoredMax = 10
const ignoredLengthMax = 40

/** As a header can carry it: cut, and escaped. */
const nameOf = (name: string) => encodeURIComponent([...name].slice(0, ignoredLengthMax).join(''))

function readPairs(query: string, known: Parameters) {
  const found = new Map<string, string>()
  const ignored = new Set<string>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const rawName = equals < 0 ? pair : pair.slice(0, equals)
    const rawValue = equals < 0 ? '' : pair.slice(equals + 1)
    const name = decode(rawName.replaceAll('+', ' '), 'A query parameter')
    if (!Object.hasOwn(known, name)) {
      if (ignored.size < ignoredMax) ignored.add(nameOf(name))
      // What no text can be is refused everywhere.
      if (unplain.test(rawValue)) decode(rawValue, 'A query parameter')
      continue
    }
    const before = found.get(name)
    if (before !== undefined && !known[name]?.isList)
      throw new ApiError(known[name]?.code ?? 'invalid_request', `${name} must be given once.`)
    const value = decode(rawValue.replaceAll('+', ' '), name, known[name]?.code)
    found.set(name, before === undefined ? value : `${before},${value}`)
  }
  return { found, ignored: [...ignored] }
}

/** What was read, and the names of parameters that there are not: a misspelt filter would give all rows without a trace. */
type Read<Known extends Parameters> = { input: Values<Known>; ignored: string[] }

/** Reads a query string strictly; unknown parameters are ignored. Throws the parameter's own code. */
export function readQuery<Known extends Parameters>(query: string, known: Known): Read<Known> {
  const { found, ignored } = readPairs(query, known)
  const values = Object.entries(known).map(([name, parameter]) => [
    name,
    readValue(name, parameter, found.get(name)),
  ])
  return { input: Object.fromEntries(values) as Values<Known>, ignored }
}

/** Path and query as they were sent: Elysia's own decoding hides bad percent-encoding. */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const question = url.indexOf('?', start)
  return question < 0
    ? { path: url.slice(start), query: '' }
    : { path: url.slice(start, question), query: url.slice(question + 1) }
}

/** An id is written as it is; a key is percent-encoded. */
function decodeSegment(raw: string, name: string, isId: boolean): string {
  if (isId) return raw
  if (raw.length > keyLengthMax)
    throw new ApiError('invalid_request', `${name} is too long for an identity.`)
  return decode(raw, name)
}

type Reading = Pick<Operation, 'inPath' | 'parameters' | 'query'>

/** What path and query of a request give its operation. Throws the parameters' own codes. */
export function readInput({ inPath, parameters, query }: Reading, url: string): Read<Parameters> {
  const sent = splitUrl(url)
  const segments = sent.path.split('/')
  const found = inPath.map(({ name, input, segment }) => {
    const parameter = parameters[input] as Parameters[string]
    const isId = parameter.schema.format === 'uuid'
    const text = decodeSegment(segments.at(segment) ?? '', name, isId)
    return [input, readValue(name, parameter, text)]
  })
  const read = readQuery(sent.query, query)
  return { ...read, input: { ...Object.fromEntries(found), ...read.input } }
}
