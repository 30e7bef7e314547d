// Reads what every request carries: its path and query as sent, its path parameters.
import { ApiError } from '../errors.ts'
import { decode } from '../http/parameters.ts'
import { uuidForm } from '../model/uuid.ts'
import type { PathParameter, Route } from './route.ts'

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

function readPathParameter(raw: string, name: string, { kind }: PathParameter): string {
  if (kind === 'uuid') {
    if (!uuidForm.test(raw)) throw new ApiError('invalid_id', `${name} must be a UUID.`)
    return raw
  }
  if (raw.length > keyLengthMax)
    throw new ApiError('invalid_request', `${name} is too long for an identity.`)
  return decode(raw, name)
}

/** The parameters of a path that matched the route. Throws invalid_id, invalid_request. */
export function readPath(route: Route, path: string): Record<string, string> {
  const segments = route.path.slice(1).split('/')
  const given = path.split('/').slice(-segments.length)
  const values: Record<string, string> = {}
  for (const [name, parameter] of Object.entries(route.pathParameters ?? {}))
    values[name] = readPathParameter(given[segments.indexOf(`{${name}}`)] ?? '', name, parameter)
  return values
}
