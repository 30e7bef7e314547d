// What every operation of the document refers to: the key, headers, the error body, and one response to each kind of failure.
import { type ErrorCode, errorCodes, errorStatus } from '../../errors.ts'
import { scopes } from '../../model/scope.ts'
import { ratePolicy } from '../http/authorize.ts'
import { apiVersionSchema, type Json, schemaRef } from '../http/json_schema.ts'

export const sharedSecurity = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: `API key from the dashboard, \`wda_…\`. Scopes: ${scopes.map(scope => `\`${scope}\``).join(', ')}. Keys belong on servers: there is no CORS.`,
  },
}

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, schema })

/** `permitsMax` is the limit of this service: requests of one key in a window. */
export const sharedHeaders = (permitsMax: number) => ({
  'X-Request-Id': header(
    'Id of the request: the one sent, or a new one. Quote it when something fails.',
  ),
  'Cache-Control': header('Always `no-store`: responses hold personal data.', {
    type: 'string',
    enum: ['no-store'],
  }),
  RateLimit: header(
    'Requests left for this key and seconds until more are free, `"default";r=180;t=12`.',
  ),
  'RateLimit-Policy': header(`The limit of this key, \`${ratePolicy(permitsMax)}\`.`),
  'X-Ignored-Parameters': header(
    'Names of query parameters that this path does not have, where some were sent: cut, and percent-encoded.',
  ),
  Link: header(
    'The next page, where there may be one, relative to the address of this: `</api/v1/leads?offset=50>; rel="next"`.',
  ),
  'X-Key-Scopes': header('The scopes of the key that was sent, separated by spaces.'),
  'X-Feed-Head': header(
    'Cursor of the last event of the feed as the answer was made. A copy begins here: send it as `after` once the lists are read.',
    { type: 'integer', format: 'int64', minimum: 0 },
  ),
  'Retry-After': header('Whole seconds to wait.', { type: 'integer', minimum: 1 }),
  'WWW-Authenticate': header('Why the key was not accepted, as RFC 6750 has it.'),
})

export const errorSchemas: Record<string, Json> = {
  Error: {
    type: 'object',
    description: 'Every failure has this body. `code` is stable; the wording of `message` is not.',
    properties: { api_version: apiVersionSchema, error: schemaRef('ErrorDetail') },
    required: ['api_version', 'error'],
  },
  ErrorDetail: {
    type: 'object',
    properties: {
      code: schemaRef('ErrorCode'),
      message: { type: 'string', description: 'For people; may say how to mend it.' },
    },
    required: ['code', 'message'],
  },
  ErrorCode: { type: 'string', enum: errorCodes, description: 'What went wrong, for programs.' },
}

const headerRefs = (...names: string[]): Json =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

const commonHeaders = headerRefs('X-Request-Id', 'Cache-Control')
/** Of every answer to a key that is known, a refusal or a fault included. */
const keyHeaders = headerRefs('RateLimit', 'RateLimit-Policy', 'X-Key-Scopes')
const feedHeaders = headerRefs('X-Feed-Head')
const authenticate = headerRefs('WWW-Authenticate')
const retryAfter = headerRefs('Retry-After')

/** By the shape of `meta`, which an answer without a list does not have. */
export const successHeaders = (meta?: string): Json => ({
  ...commonHeaders,
  ...keyHeaders,
  ...headerRefs('X-Ignored-Parameters'),
  ...((meta === 'ListMeta' || meta === 'FeedMeta') && headerRefs('Link')),
  ...(meta === 'FeedMeta' && feedHeaders),
})

const kinds: Record<number, { title: string; headers?: Json }> = {
  400: { title: 'Bad input' },
  401: { title: 'No key, or an unknown one', headers: authenticate },
  403: { title: 'The key lacks the scope', headers: authenticate },
  404: { title: 'Not found' },
  408: { title: 'The body was too slow' },
  410: { title: 'The cursor has expired' },
  413: { title: 'The body is too large' },
  415: { title: 'The body has a Content-Encoding' },
  429: { title: 'Too many requests', headers: retryAfter },
  500: { title: 'Unexpected failure' },
  503: { title: 'The database is busy', headers: retryAfter },
}

// What is known of the feed is sent along.
const ofFeed: ErrorCode[] = ['invalid_cursor', 'cursor_expired']

function errorResponse(status: number, codes: ErrorCode[]): Json {
  const { title, headers } = kinds[status] ?? { title: 'Refused' }
  return {
    description: `${title}: ${codes.map(code => `\`${code}\``).join(', ')}.`,
    headers: {
      ...commonHeaders,
      // Without a known key there is no limit to speak of.
      ...(status !== 401 && keyHeaders),
      ...(codes.some(code => ofFeed.includes(code)) && feedHeaders),
      ...headers,
    },
    content: {
      'application/json': {
        schema: schemaRef('Error'),
        example: { api_version: 'v1', error: { code: codes[0], message: `${title}.` } },
      },
    },
  }
}

// A path or query that is no valid percent-encoding is invalid_request on every route.
const commonErrors: ErrorCode[] = [
  'invalid_request',
  'missing_token',
  'invalid_token',
  'missing_scope',
  'rate_limited',
  'internal_error',
]

/** By status. */
export function errorResponses(codes: ErrorCode[], hasBody: boolean): Json {
  const all = new Set([...codes, ...commonErrors])
  const byStatus = Map.groupBy(all, code => errorStatus[code] as number)
  byStatus.set(503, ['internal_error'])
  // Refused by its declared length, whether or not it would be read.
  byStatus.set(413, ['invalid_request'])
  if (hasBody) for (const status of [408, 415]) byStatus.set(status, ['invalid_request'])
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [String(status), errorResponse(status, group)]),
  )
}
