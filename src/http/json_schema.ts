// TypeBox objects as plain JSON Schema 2020-12, for the OpenAPI document and for the tools.
import type { TSchema } from '@sinclair/typebox'
import { apiVersion } from './envelope.ts'

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isNull = (schema: unknown) => (schema as { type?: string }).type === 'null'

/** One schema of TypeBox as JSON Schema 2020-12: enums instead of constants side by side, null as a type. */
export function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema)
  if (schema === null || typeof schema !== 'object') return schema
  const { anyOf, $id: _id, ...rest } = schema as Json & { anyOf?: TSchema[] }
  const plain = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, toJsonSchema(value)]),
  )
  return anyOf === undefined ? plain : { ...plain, ...toUnion(anyOf) }
}

function toUnion(members: TSchema[]): Json {
  if (members.every(member => 'const' in member))
    return { type: 'string', enum: members.map(member => member.const) }
  const [first, second] = members
  const scalar = first?.type === 'string' || first?.type === 'number' || first?.type === 'integer'
  if (members.length === 2 && second && isNull(second) && scalar)
    return { ...(toJsonSchema(first) as Json), type: [first?.type, 'null'] }
  return { anyOf: members.map(toJsonSchema) }
}

/** The schema of a successful answer in the envelope. */
export const envelopeSchema = (data: TSchema, meta?: TSchema): Json => ({
  type: 'object',
  properties: {
    api_version: { type: 'string', const: apiVersion },
    data: toJsonSchema(data),
    ...(meta && { meta: toJsonSchema(meta) }),
  },
  required: ['api_version', 'data', ...(meta ? ['meta'] : [])],
  additionalProperties: false,
})
