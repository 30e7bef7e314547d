// The published OpenAPI document in a test: its parts, and whether an answer is as it describes it.
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { apiDocument } from '../../../src/api/docs/document.ts'
import type { Json } from '../../../src/api/http/json_schema.ts'
import { basePath } from '../../../src/operations/contract.ts'

type Body = { schema: Json; example?: unknown; examples?: Record<string, { value: unknown }> }
type Content = { content: { 'application/json': Body } }
type Answer = Content & { headers: Record<string, unknown> }

type Operation = {
  operationId: string
  security: unknown
  'x-scope': string
  parameters: { name: string; in: 'path' | 'query'; required: boolean; schema: Json }[]
  requestBody?: Content
  responses: Record<string, Answer>
}

type Paths = Record<string, Record<string, Operation>>

export type Document = {
  openapi: string
  servers: unknown
  paths: Paths
  webhooks: Paths
  tags: { name: string; description: string }[]
  info: { description: string }
  components: {
    schemas: Record<string, Json>
    responses: Record<string, Answer>
    securitySchemes: Record<string, Json>
  }
}

const sharedResponse = '#/components/responses/'

const mapValues = <Value, Mapped>(from: Record<string, Value>, map: (value: Value) => Mapped) =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]))

/** The document with its shared responses where operations refer to them. */
export function withResponses(document: Document): Document {
  const { responses } = document.components
  const resolved = (answer: Answer) => {
    const { $ref } = answer as { $ref?: string }
    return $ref === undefined ? answer : (responses[$ref.slice(sharedResponse.length)] as Answer)
  }
  const resolve = (operation: Operation) => ({
    ...operation,
    responses: mapValues(operation.responses, resolved),
  })
  return { ...document, paths: mapValues(document.paths, methods => mapValues(methods, resolve)) }
}

/** A schema of the document by itself: every reference is to be found in the document that was added as `document`. */
export const absolute = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'))

/** Every operation with its name as the spec writes it, such as `GET /leads/{leadId}`. */
export const operationsOf = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  )

/** The document lets members be added; today an answer has those that it names and no others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const inner = mapValues(schema as Json, closed)
  return 'properties' in inner && inner.type === 'object'
    ? { additionalProperties: false, ...inner }
    : inner
}

const published = withResponses(apiDocument('http://test', 240) as Document)
// Tests emit events with data of their own; what triggers write is held against its schema where it is tested.
const schemas = Object.fromEntries(
  Object.entries(published.components.schemas).map(([name, schema]) => [
    name,
    name.endsWith('Payload') ? { type: 'object' } : closed(schema),
  ]),
)
const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }))
ajv.addSchema({ $id: 'document', components: { schemas } }, 'document')

const byPath = operationsOf(published)
  .map(({ name, path, operation }) => ({
    name,
    operation,
    pattern: new RegExp(`^\\w+ ${basePath}${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .sort((one, other) => Number(one.name.includes('{')) - Number(other.name.includes('{')))
const validators = new Map<string, ReturnType<typeof ajv.compile>>()

const headerNames = new Set(
  byPath.flatMap(({ operation: { responses } }) =>
    Object.values(responses).flatMap(({ headers }) => Object.keys(headers ?? {})),
  ),
)
const sometimes = ['Link', 'X-Ignored-Parameters']

/** Throws when a documented operation answered with a body or headers that the document does not describe. */
export function assertDocumented(
  method: string,
  url: string,
  { status, headers }: Response,
  body: unknown,
): void {
  const asked = `${method} ${new URL(url).pathname}`
  const found = byPath.find(
    ({ name, pattern }) => name.startsWith(`${method} `) && pattern.test(asked),
  )
  if (!found) return
  const key = `${found.name} ${status}`
  const answer = found.operation.responses[status]
  if (!answer) throw new Error(`the document has no ${key}`)
  const described = Object.keys(answer.headers ?? {})
  const wrong = [...headerNames].filter(name =>
    headers.has(name)
      ? !described.includes(name)
      : status < 400 && described.includes(name) && !sometimes.includes(name),
  )
  if (wrong.length > 0) throw new Error(`${key}: headers ${wrong}`)
  const validate =
    validators.get(key) ?? ajv.compile(absolute(answer.content['application/json'].schema))
  validators.set(key, validate)
  if (!validate(body)) throw new Error(`${key}: ${ajv.errorsText(validate.errors)}`)
}
