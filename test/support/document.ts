// The parts of an OpenAPI document that tests look into.
export type Json = Record<string, unknown>

export type Parameter = { name: string; in: 'path' | 'query'; required: boolean; schema: Json }

export type Body = {
  schema: Json
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export type Operation = {
  operationId: string
  security: unknown
  'x-scope': string
  parameters: Parameter[]
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
  components: { schemas: Record<string, Json>; securitySchemes: Record<string, Json> }
}

/** Every operation with its name as the spec writes it, such as `GET /leads/{leadId}`. */
export const operationsOf = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  )
