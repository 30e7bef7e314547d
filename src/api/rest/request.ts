// Reads what every request carries: its path and query as sent, and the input of its operation.
import { ApiError } from '../../errors.ts'
import { type Parameters, readValue, type Values } from '../../operations/parameters.ts'
import { decode, readQuery } from '../http/query_string.ts'
import type { PathParameter, RestRoute } from './route.ts'

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
