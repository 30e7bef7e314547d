// The few building blocks all shapes of spec part 2 share.
import { type TSchema, Type } from '@sinclair/typebox'

export const Nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

export const Uuid = Type.String({ format: 'uuid' })
export const DateTime = Type.String({ format: 'date-time' })

/** A JSON object whose members are the workspace's own affair. */
export const FreeForm = Type.Object({}, { additionalProperties: true })

/** Exactly the members named, each always present. `$id` is the name the API description gives the shape. */
export const Exact = <Properties extends Record<string, TSchema>>(
  properties: Properties,
  options: { description?: string; $id?: string } = {},
) => Type.Object(properties, { additionalProperties: false, ...options })
