// What a tool takes: the parameters of REST, sent as JSON. The schema says which JSON, the parser reads it as
// the text it would be in a query, so both faces refuse the same values with the same code.
import { ApiError } from '../errors.ts'
import type { Json } from '../http/json_schema.ts'
import type { QueryParameter } from '../http/parameters.ts'
import { uuidForm } from '../model/uuid.ts'

type Parameter<Value> = QueryParameter<Value> & { required?: true }

export type ToolParameters = Record<string, Parameter<unknown>>

export type Values<Taken extends ToolParameters> = {
  [Name in keyof Taken]: Taken[Name] extends Parameter<infer Value> ? Value : never
}

/** The same parameter, which a call must give. */
export const required = <Value>(parameter: QueryParameter<Value | null>): Parameter<Value> => ({
  ...(parameter as QueryParameter<Value>),
  // What nobody gave is refused in the words of what would have been right.
  absent: undefined as Value,
  required: true,
})

export const uuidParameter = (description: string): QueryParameter<string | null> => ({
  schema: { type: 'string', format: 'uuid' },
  description,
  absent: null,
  expected: 'a UUID',
  code: 'invalid_id',
  parse: text => (uuidForm.test(text) ? text : undefined),
})

// No identity is longer: 254 characters of email address, with room for how people write one.
const keyLengthMax = 1_000
const keyForm = new RegExp(`^[^\\0\\p{Cs}]{1,${keyLengthMax}}$`, 'u')

export const keyParameter = (description: string): QueryParameter<string | null> => ({
  schema: { type: 'string', minLength: 1, maxLength: keyLengthMax },
  description,
  absent: null,
  expected:
    'an identity: email:…, phone:… or lead:…, or a bare email address, phone number or lead id',
  parse: text => (keyForm.test(text) ? text : undefined),
})

/** A list of REST, which stands in one text there; models write it as an array or as that text. */
export const listParameter = <Value>(parameter: QueryParameter<Value>): QueryParameter<Value> => ({
  ...parameter,
  schema: { anyOf: [parameter.schema, { type: 'string', description: 'Separated by commas.' }] },
})

const isListEntry = (entry: unknown) => typeof entry === 'string' && !entry.includes(',')

/** A JSON value as the text it would be in a query; undefined where its type is none the schema takes. */
function textOf({ schema }: Parameter<unknown>, value: unknown): string | undefined {
  if (schema.type === 'integer') return typeof value === 'number' ? String(value) : undefined
  if (typeof value === 'string') return value
  return schema.anyOf !== undefined && Array.isArray(value) && value.every(isListEntry)
    ? value.join(',')
    : undefined
}

function readOne(name: string, parameter: Parameter<unknown>, given: unknown): unknown {
  if (given === undefined && !parameter.required) return parameter.absent
  const text = textOf(parameter, given)
  const value = text === undefined ? undefined : parameter.parse(text)
  if (value === undefined)
    throw new ApiError(
      parameter.code ?? 'invalid_request',
      `${name} must be ${parameter.expected}.`,
    )
  return value
}

/** Reads a call's arguments strictly. Throws the parameter's own code. */
export function readArguments<Taken extends ToolParameters>(
  given: Json,
  taken: Taken,
): Values<Taken> {
  const names = Object.keys(taken)
  if (Object.keys(given).some(name => !Object.hasOwn(taken, name)))
    throw new ApiError(
      'invalid_request',
      `This tool takes the arguments ${names.join(', ')} alone.`,
    )
  const values = names.map(name => [
    name,
    readOne(
      name,
      taken[name] as Parameter<unknown>,
      Object.hasOwn(given, name) ? given[name] : undefined,
    ),
  ])
  return Object.fromEntries(values) as Values<Taken>
}

/** The arguments as the JSON Schema that a client is shown. */
export function argumentsSchema(taken: ToolParameters): Json {
  const names = Object.keys(taken)
  const properties = names.map(name => {
    const { schema, description } = taken[name] as Parameter<unknown>
    return [name, { ...schema, description }]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: names.filter(name => taken[name]?.required),
    additionalProperties: false,
  }
}
