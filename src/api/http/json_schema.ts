// TypeBox objects as plain JSON Schema 2020-12, for the OpenAPI document and for the tools.
import type { TSchema } from '@sinclair/typebox'
import { apiVersion } from './envelope.ts'

export type Json = Record<string, unknown>

/** The schemas that were met by a name of their own, for `components`. */
export type NamedSchemas = Map<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isNull = (schema: unknown) => (schema as { type?: string }).type === 'null'

export const schemaRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/**
 * One schema of TypeBox as JSON Schema 2020-12: enums instead of constants side by side, null as a type. With `named`
 * a schema that has a name is put there and referred to; without, it is written out.
 */
export function toJsonSchema(schema: unknown, named?: NamedSchemas): unknown {
  if (Array.isArray(schema)) return schema.map(one => toJsonSchema(one, named))
  if (!isObject(schema)) return schema
  const { $id: name, ...rest } = schema
  if (typeof name !== 'string') return writtenOut(rest, named)
  if (named === undefined) return { title: name, ...writtenOut(rest) }
  if (!named.has(name)) named.set(name, writtenOut(rest, named))
  return schemaRef(name)
}

/** Nothing is closed: members may be added within a version. */
const isLeftOut = ([keyword, value]: [string, unknown]) =>
  (keyword === 'additionalProperties' && value === false) ||
  (keyword === 'properties' && Object.keys(value as Json).length === 0)

function writtenOut({ anyOf, ...rest }: Json, named?: NamedSchemas): Json {
  const plain = Object.fromEntries(
    Object.entries(rest)
      .filter(entry => !isLeftOut(entry))
      .map(([keyword, value]) => [keyword, toJsonSchema(value, named)]),
  )
  // Some generators know a constant as an enumeration alone.
  if (typeof rest.const === 'string') plain.enum = [rest.const]
  return anyOf === undefined ? plain : { ...plain, ...toUnion(anyOf as TSchema[], named) }
}

/**
 * Generators know a null by the array of types, and hardly one of them by anyOf. Of an enumeration with null among its
 * values they make a shape of its own for each place, so the values stand in the description.
 */
function orNull({ type, enum: values, description, ...rest }: Json): Json {
  const named = Array.isArray(values) ? `One of ${values.join(', ')}, or null.` : undefined
  const text = [description, named].filter(Boolean).join(' ')
  return { ...rest, type: [type, 'null'], ...(text && { description: text }) }
}

function toUnion(members: TSchema[], named?: NamedSchemas): Json {
  if (members.every(member => 'const' in member))
    return { type: 'string', enum: members.map(member => member.const) }
  const [first, second] = members
  if (members.length === 2 && first && second && isNull(second)) {
    const { $id: _name, ...unnamed } = first
    const written = writtenOut(unnamed, named)
    if (typeof written.type === 'string') return orNull(written)
  }
  return { anyOf: members.map(member => toJsonSchema(member, named)) }
}

export const apiVersionSchema: Json = { type: 'string', const: apiVersion, enum: [apiVersion] }

/** The schema of a successful answer in the envelope. */
export const envelopeSchema = (data: TSchema, meta?: TSchema, named?: NamedSchemas): Json => ({
  type: 'object',
  properties: {
    api_version: apiVersionSchema,
    data: toJsonSchema(data, named),
    ...(meta && { meta: toJsonSchema(meta, named) }),
  },
  required: ['api_version', 'data', ...(meta ? ['meta'] : [])],
})
