// The parts of an OpenAPI document that tests look into.
import type { Json } from '../../../src/api/http/json_schema.ts'

export type DocumentedParameter = {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: Json
}

export type Body = {
  schema: Json
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

type Operation = {
  operationId: string
  security: unknown
  'x-scope': string
  parameters: DocumentedParameter[]
  requestBody?: { content: { 'application/json': Body } }
  responses: Record<
    string,
    {
      headers: Record<string, unknown>
      content: {
        'application/json': Body
      }
    }
  >
}

export type Document = {
  openapi: string
  servers: unknown
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  tags: { name: string; description: string }[]
  info: { description: string }
  components: {
    schemas: Record<string, Json>
    responses: Record<string, Operation['responses'][string]>
    securitySchemes: Record<string, Json>
  }
}

const sharedResponse = '#/components/responses/'

/** The document with its shared responses where operations refer to them. */
export function withResponses(document: Document): Document {
  const { responses } = document.components
  const resolved = (response: Json) =>
    typeof response.$ref === 'string'
      ? responses[response.$ref.slice(sharedResponse.length)]
      : response
  const inOperation = (operation: Operation) => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, one]) => [status, resolved(one)]),
    ),
  })
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, one]) => [method, inOperation(one)]),
      ),
    ]),
  )
  return { ...document, paths } as Document
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
