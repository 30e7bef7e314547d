// The responses of the OpenAPI document to what goes wrong: one of each kind, which every operation refers to.
import { type ErrorCode, errorStatus } from '../../errors.ts'
import { type Json, schemaRef } from '../http/json_schema.ts'
import type { Messages } from './openapi_errors.ts'

// A path or query that is no valid percent-encoding is invalid_request on every route.
const commonErrors: ErrorCode[] = [
  'invalid_request',
  'missing_token',
  'invalid_token',
  'missing_scope',
  'rate_limited',
  'internal_error',
]

const titles: Record<number, string> = {
  400: 'Bad input',
  401: 'No key, or an unknown one',
  403: 'The key lacks the scope',
  404: 'Not found',
  408: 'The body was too slow',
  410: 'The cursor has expired',
  413: 'The body is too large',
  429: 'Too many requests',
  500: 'Unexpected failure',
  503: 'The database is busy',
}

const names: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'BodyTooSlow',
  410: 'CursorExpired',
  413: 'BodyTooLarge',
  429: 'RateLimited',
  500: 'ServerError',
  503: 'Busy',
}

// Which bad input there can be differs by operation; what one of these codes brings along does not.
const badInputs: Partial<Record<ErrorCode, string>> = {
  invalid_id: 'BadId',
  invalid_cursor: 'BadFeedRequest',
  invalid_json: 'BadSubscription',
  unknown_event_type: 'BadSampleType',
}

const nameOf = (status: number, codes: ErrorCode[]): string =>
  names[status] ?? codes.map(code => badInputs[code]).find(Boolean) ?? 'BadRequest'

const headerRef = (name: string): Json => ({ $ref: `#/components/headers/${name}` })

export const commonHeaderRefs: Json = {
  'X-Request-Id': headerRef('RequestId'),
  'Cache-Control': headerRef('CacheControl'),
}

/** Of every answer to a key that is known, a refusal or a fault included. */
export const keyHeaderRefs: Json = {
  RateLimit: headerRef('RateLimit'),
  'RateLimit-Policy': headerRef('RateLimitPolicy'),
  'X-Key-Scopes': headerRef('KeyScopes'),
}

export const feedHeaderRefs: Json = { 'X-Feed-Head': headerRef('FeedHead') }

// What one of the bad inputs brings along: a cursor beyond the head is answered with the head.
const badInputHeaders: Record<string, Json> = { BadFeedRequest: feedHeaderRefs }

const ownHeaders: Record<number, Json> = {
  401: { 'WWW-Authenticate': headerRef('Authenticate') },
  403: { 'WWW-Authenticate': headerRef('Authenticate') },
  410: feedHeaderRefs,
  429: { 'Retry-After': headerRef('RetryAfter') },
  503: { 'Retry-After': headerRef('RetryAfter') },
}

const headersOf = (status: number, name: string): Json => ({
  ...commonHeaderRefs,
  // Without a known key there is none to speak of.
  ...(status !== 401 && keyHeaderRefs),
  ...ownHeaders[status],
  ...badInputHeaders[name],
})

const exampleOf = (code: ErrorCode, name: string, messages: Messages): Json => ({
  summary: code,
  value: {
    api_version: 'v1',
    error: { code, message: messages[name]?.[code] ?? messages.common?.[code] },
  },
})

const errorResponse = (
  status: number,
  codes: ErrorCode[],
  name: string,
  messages: Messages,
): Json => ({
  description: `${titles[status]}: ${codes.map(code => `\`${code}\``).join(', ')}.`,
  headers: headersOf(status, name),
  content: {
    'application/json': {
      schema: schemaRef('Error'),
      examples: Object.fromEntries(codes.map(code => [code, exampleOf(code, name, messages)])),
    },
  },
})

/** What the descriptions of errors share. */
export type SharedErrors = { responses: Json; messages: Messages }

/** References by status; `responses` gathers what they refer to. */
export function errorResponses(
  codes: ErrorCode[],
  hasBody: boolean,
  { responses, messages }: SharedErrors,
): Json {
  const all = new Set([...codes, ...commonErrors])
  const byStatus = Map.groupBy(all, code => errorStatus[code] as number)
  byStatus.set(503, ['internal_error'])
  // Refused by its declared length, whether or not it would be read.
  byStatus.set(413, ['invalid_request'])
  if (hasBody) byStatus.set(408, ['invalid_request'])
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const name = nameOf(status, group)
      responses[name] ??= errorResponse(status, group, name, messages)
      return [String(status), { $ref: `#/components/responses/${name}` }]
    }),
  )
}
