// The OpenAPI 3.1 document, made from the route registry: the same schemas that validate also describe.
import type { TSchema } from '@sinclair/typebox'
import { type ErrorCode, errorStatus } from '../errors.ts'
import { envelopeSchema, type Json, toJsonSchema } from '../http/json_schema.ts'
import type { QueryParameters } from '../http/parameters.ts'
import { components } from './openapi_components.ts'
import { webhooks } from './openapi_webhooks.ts'
import type { PathParameter, Route } from './route.ts'

// A path or query that is no valid percent-encoding is invalid_request on every route.
const commonErrors: ErrorCode[] = [
  'invalid_request',
  'missing_token',
  'invalid_token',
  'missing_scope',
  'rate_limited',
  'internal_error',
]

const statusTitles: Record<number, string> = {
  400: 'Bad input',
  401: 'No key, or an unknown one',
  403: 'The key lacks the scope',
  404: 'Not found',
  408: 'The body was too slow',
  410: 'The cursor has expired',
  413: 'The body is too large',
  429: 'Too many requests',
  500: 'Unexpected failure',
}

const errorBody = (codes: ErrorCode[]): Json => ({
  allOf: [
    { $ref: '#/components/schemas/Error' },
    {
      type: 'object',
      properties: {
        error: {
          type: 'object',
          properties: { code: { type: 'string', enum: codes }, message: { type: 'string' } },
        },
      },
    },
  ],
})

const sharedHeaders = {
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
  'Cache-Control': { $ref: '#/components/headers/CacheControl' },
}
const limitHeaders = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
}

function errorHeaders(status: number): Json {
  const own: Record<number, Json> = {
    401: { 'WWW-Authenticate': { $ref: '#/components/headers/Authenticate' } },
    403: { 'WWW-Authenticate': { $ref: '#/components/headers/Authenticate' }, ...limitHeaders },
    429: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  }
  return { ...sharedHeaders, ...own[status] }
}

const errorExample = (code: ErrorCode) => ({
  summary: code,
  value: {
    api_version: 'v1',
    error: { code, message: 'What was wrong and what would have been right.' },
  },
})

const errorResponse = (status: number, codes: ErrorCode[]): Json => ({
  description: `${statusTitles[status]}: ${codes.map(code => `\`${code}\``).join(', ')}.`,
  headers: errorHeaders(status),
  content: {
    'application/json': {
      schema: errorBody(codes),
      examples: Object.fromEntries(codes.map(code => [code, errorExample(code)])),
    },
  },
})

function errorResponses(codes: ErrorCode[], hasBody: boolean): Json {
  const byStatus = Map.groupBy(new Set(codes), code => errorStatus[code] as number)
  byStatus.set(413, ['invalid_request'])
  if (hasBody) byStatus.set(408, ['invalid_request'])
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [String(status), errorResponse(status, group)]),
  )
}

const pathParameters = (parameters: Record<string, PathParameter> = {}) =>
  Object.entries(parameters).map(([name, { kind, description }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: kind === 'uuid' ? { type: 'string', format: 'uuid' } : { type: 'string', minLength: 1 },
  }))

const queryParameters = (parameters: QueryParameters) =>
  Object.entries(parameters).map(([name, { schema, style, description }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    ...style,
    schema,
  }))

const requestBody = (schema: TSchema, example: unknown): Json => ({
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: toJsonSchema(schema),
        ...(example !== undefined && { example }),
      },
    },
  },
})

function operation(route: Route, { example, bodyExample }: Examples): Json {
  const { data, meta, errors, body } = route
  return {
    operationId: route.operationId,
    summary: route.summary,
    description:
      `${route.description ?? route.summary}.`.replace('..', '.') +
      `\n\nScope: \`${route.scope}\`.`,
    tags: [route.path.split('/')[1]],
    security: [{ apiKey: [] }],
    'x-scope': route.scope,
    parameters: [...pathParameters(route.pathParameters), ...queryParameters(route.query)],
    ...(body && requestBody(body, bodyExample)),
    responses: {
      [route.status ?? 200]: {
        description: 'Success.',
        headers: { ...sharedHeaders, ...limitHeaders },
        content: {
          'application/json': {
            schema: envelopeSchema(data, meta),
            ...(example !== undefined && { example }),
          },
          ...(route.stream && {
            'text/event-stream': {
              schema: {
                type: 'string',
                description: 'One message per event: `id` is its cursor, `data` the event.',
              },
            },
          }),
        },
      },
      ...errorResponses([...errors, ...commonErrors], body !== undefined),
    },
  }
}

export type DocumentOptions = {
  /** The base URL, ending in /api/v1. */
  baseUrl: string
  version: string
  /** Example answers by operationId. */
  examples?: Record<string, unknown>
  /** Example bodies by operationId. */
  bodyExamples?: Record<string, unknown>
}

type Examples = { example: unknown; bodyExample: unknown }

/** The whole document; serialise once. */
export function buildOpenApi(routes: Route[], options: DocumentOptions): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes)
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operation(route, {
        example: options.examples?.[route.operationId],
        bodyExample: options.bodyExamples?.[route.operationId],
      }),
    }
  const tags = [...new Set(routes.map(({ path }) => path.split('/')[1] ?? ''))]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Workspace Data API',
      version: options.version,
      summary:
        "Read access to one insurance-broker workspace for the workspace's own integrations.",
      description:
        'Leads, DIN 77230 needs analyses, household records, appointments, meeting intelligence and sales signals, and every change to them as an event, pulled from a feed or pushed by webhooks. ' +
        'Enumerations may grow: treat an unknown value as unknown. Pages shift while rows are added; follow the event feed to see every change.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: {
        name: 'The owner of the workspace',
        url: options.baseUrl.replace(/\/api\/v1$/, ''),
      },
    },
    servers: [{ url: options.baseUrl }],
    tags: tags.map(name => ({ name, description: `Everything below \`/${name}\`.` })),
    paths,
    webhooks,
    components,
  }
}
