// One operation of the OpenAPI document, made from its route: the schemas that serve also describe.
import type { TSchema } from '@sinclair/typebox'
import type { Parameters } from '../../operations/parameters.ts'
import {
  envelopeSchema,
  isObject,
  type Json,
  type NamedSchemas,
  schemaRef,
  toJsonSchema,
} from '../http/json_schema.ts'
import { codeSamples } from './openapi_code_samples.ts'
import {
  commonHeaderRefs,
  errorResponses,
  feedHeaderRefs,
  keyHeaderRefs,
  type SharedErrors,
} from './openapi_responses.ts'
import type { PathParameter, RestRoute } from './route.ts'

/** What operations refer to, gathered on the way. */
export type Shared = SharedErrors & { schemas: NamedSchemas }

export type Examples = { example: unknown; bodyExample: unknown }

const pathParameters = (parameters: PathParameter[]) =>
  parameters.map(({ name, parameter: { schema, description } }) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema,
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

const withExample = (example: unknown) => (example === undefined ? {} : { example })

const requestBody = (schema: TSchema, example: unknown, schemas: NamedSchemas): Json => ({
  required: true,
  content: {
    'application/json': { schema: toJsonSchema(schema, schemas), ...withExample(example) },
  },
})

/** `LeadList`, `LeadEnvelope`: the name of an answer follows from that of its data. */
function envelopeName(data: TSchema, meta?: TSchema): string {
  const name = isObject(data.items) ? data.items.$id : data.$id
  if (typeof name !== 'string') throw new TypeError('the data of a route must be a named shape')
  if (meta === undefined) return `${name}Envelope`
  return meta.$id === 'FeedMeta' ? `${name}Page` : `${name}List`
}

function envelopeRef({ data, meta }: RestRoute, schemas: NamedSchemas): Json {
  const name = envelopeName(data, meta)
  if (!schemas.has(name)) schemas.set(name, envelopeSchema(data, meta, schemas))
  return schemaRef(name)
}

const sentence = (text: string) => (text.endsWith('.') ? text : `${text}.`)

/** What an operation does, in whole sentences. */
export const descriptionOf = ({ description, summary }: RestRoute): string =>
  sentence(description ?? summary)

export const tagOf = ({ path }: RestRoute): string => path.split('/')[1] ?? ''

export function describeOperation(
  route: RestRoute,
  { example, bodyExample }: Examples,
  shared: Shared,
): Json {
  const { schemas } = shared
  const { body, errors } = route
  return {
    operationId: route.name,
    summary: route.summary,
    description: `${descriptionOf(route)}\n\nScope: \`${route.scope}\`.`,
    tags: [tagOf(route)],
    security: [{ apiKey: [] }],
    'x-scope': route.scope,
    'x-codeSamples': codeSamples(route, bodyExample),
    parameters: [...pathParameters(route.pathParameters), ...queryParameters(route.query, schemas)],
    ...(body && { requestBody: requestBody(body, bodyExample, schemas) }),
    responses: {
      [route.status ?? 200]: {
        description: 'Success.',
        headers: { ...commonHeaderRefs, ...keyHeaderRefs, ...(route.stream && feedHeaderRefs) },
        content: {
          'application/json': { schema: envelopeRef(route, schemas), ...withExample(example) },
        },
      },
      ...errorResponses(errors, body !== undefined, shared),
    },
  }
}
