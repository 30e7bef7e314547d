// One operation of the OpenAPI document, made from its route: the schemas that serve also describe.
import type { TSchema } from '@sinclair/typebox'
import events from '../../model/sample_events.json' with { type: 'json' }
import type { Route } from '../../operations/contract.ts'
import type { Parameters } from '../../operations/parameters.ts'
import {
  envelopeSchema,
  isObject,
  type Json,
  type NamedSchemas,
  schemaRef,
  toJsonSchema,
} from '../http/json_schema.ts'
// By the name of the shape. Invented people, example domains, numbers kept free for media.
import shapes from './examples.json' with { type: 'json' }
import { errorResponses, successHeaders } from './responses.ts'
import { operationTexts } from './texts.ts'

const examples: Record<string, unknown> = { ...shapes, Event: { ...events[0], cursor: 4711 } }

const metas: Record<string, Json> = {
  ListMeta: { count: 1, limit: 50, offset: 0 },
  FeedMeta: { next_cursor: 4711, count: 1 },
  CountMeta: { count: 1 },
}

const pathParameters = ({ inPath, parameters }: Route) =>
  inPath.map(({ name, input }) => ({
    name,
    in: 'path',
    required: true,
    description: parameters[input]?.description,
    schema: parameters[input]?.schema,
  }))

// A list stands in one value, its entries separated by commas.
const listStyle = { style: 'form', explode: false }

const queryParameters = (parameters: Parameters, schemas: NamedSchemas) =>
  Object.entries(parameters).map(([name, { schema, isList, description }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    ...(isList && listStyle),
    schema: toJsonSchema(schema, schemas),
  }))

/** The shape of the data, or of its entries. */
const shapeOf = (data: TSchema): string =>
  (isObject(data.items) ? data.items.$id : data.$id) as string

/** `LeadList`, `LeadEnvelope`: the name of an answer follows from that of its data. */
function envelopeRef({ shape: { data, meta } }: Route, schemas: NamedSchemas): Json {
  const kind = meta === undefined ? 'Envelope' : meta.$id === 'FeedMeta' ? 'Page' : 'List'
  const name = shapeOf(data) + kind
  if (!schemas.has(name)) schemas.set(name, envelopeSchema(data, meta, schemas))
  return schemaRef(name)
}

function exampleOf({ shape: { data, meta } }: Route): Json {
  const one = examples[shapeOf(data)]
  if (meta === undefined) return { api_version: 'v1', data: one }
  return { api_version: 'v1', data: [one], meta: metas[meta.$id as string] }
}

const requestBody = (schema: TSchema, schemas: NamedSchemas): Json => ({
  required: true,
  content: {
    'application/json': {
      schema: toJsonSchema(schema, schemas),
      example: examples[schema.$id as string],
    },
  },
})

const tagOf = ({ path }: Route): string => path.split('/')[1] ?? ''

export function describeOperation(route: Route, schemas: NamedSchemas): Json {
  const { name, body, errors, scope, shape } = route
  const { summary, description } = operationTexts[name]
  return {
    operationId: name,
    summary,
    description: `${description ? `${description}\n\n` : ''}Scope: \`${scope}\`.`,
    tags: [tagOf(route)],
    security: [{ apiKey: [] }],
    'x-scope': scope,
    parameters: [...pathParameters(route), ...queryParameters(route.query, schemas)],
    ...(body && { requestBody: requestBody(body, schemas) }),
    responses: {
      [shape.status ?? 200]: {
        description: 'Success.',
        headers: successHeaders(shape.meta?.$id),
        content: {
          'application/json': { schema: envelopeRef(route, schemas), example: exampleOf(route) },
        },
      },
      ...errorResponses(errors, body !== undefined),
    },
  }
}
