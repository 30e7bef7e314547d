// Reads what a request carries: path and query as they were sent, and from them the input of its operation.
import { ApiError } from '../../errors.ts'
import type { Operation } from '../../operations/operation.ts'
import {
  keyLengthMax,
  type Parameters,
  readValue,
  type Values,
} from '../../operations/parameters.ts'

// Neither is in any text that is stored. The runtime writes U+FFFD in request.url for bytes that are no UTF-8; sent as itself it looks
// the same. A search for it would find nothing, and the client would not learn why.
const unstorable = /[\0\ufffd]/
const brokenEscape = /%(?![\da-f]{2})/i

const unreadable = (what: string) =>
  new ApiError(
    'invalid_request',
    `${what} must be valid UTF-8 in percent-encoding, without NUL and U+FFFD.`,
  )

const ignoredMax = 10
const ignoredLengthMax = 40

/** As a header can carry it: cut, and escaped. */
const nameOf = (name: string) => encodeURIComponent([...name].slice(0, ignoredLengthMax).join(''))

/** What was read, and the names of parameters that there are not: a misspelt filter would give all rows without a trace. */
type Read<Known extends Parameters> = { input: Values<Known>; ignored: string[] }

/** Reads a query string strictly; unknown parameters are ignored. Throws the parameter's own code. */
export function readQuery<Known extends Parameters>(query: string, known: Known): Read<Known> {
  const pairs = [...new URLSearchParams(query)]
  const given = new Map<string, string>()
  for (const [name, value] of pairs) {
    const before = given.get(name)
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined
    if (before !== undefined && parameter && !parameter.isList)
      throw new ApiError(parameter.code ?? 'invalid_request', `${name} must be given once.`)
    given.set(name, before === undefined ? value : `${before},${value}`)
  }
  const values = Object.entries(known).map(([name, parameter]) => [
    name,
    readValue(name, parameter, given.get(name)),
  ])
  if (brokenEscape.test(query) || pairs.flat().some(text => unstorable.test(text)))
    throw unreadable('The query')
  const ignored = [...given.keys()].filter(name => !Object.hasOwn(known, name))
  return {
    input: Object.fromEntries(values) as Values<Known>,
    ignored: ignored.slice(0, ignoredMax).map(nameOf),
  }
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
  try {
    const decoded = decodeURIComponent(raw)
    if (!unstorable.test(decoded)) return decoded
  } catch {
    // Answered below.
  }
  throw unreadable(name)
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
