// What a tool takes: the parameters of its operation, sent as JSON. The schema says which JSON, the parser reads it as
// the text it would be in a query, so both faces refuse the same values with the same code.
import { ApiError } from '../../errors.ts'
import {
  type Parameter,
  type Parameters,
  readValue,
  required,
  type Values,
} from '../../operations/parameters.ts'
import { type Json, toJsonSchema } from '../http/json_schema.ts'

/** The same parameter in words for a model. */
export const described = <Value>(
  parameter: Parameter<Value>,
  description: string,
): Parameter<Value> => ({ ...parameter, description })

// No identity is longer: 254 characters of email address, with room for how people write one.
const keyLengthMax = 1_000
const keyForm = new RegExp(`^[^\\0\\p{Cs}]{1,${keyLengthMax}}$`, 'u')

export const keyParameter = (description: string): Parameter<string> =>
  required({
    schema: { type: 'string', minLength: 1, maxLength: keyLengthMax },
    description,
    absent: null,
    expected:
      'an identity: email:…, phone:… or lead:…, or a bare email address, phone number or lead id',
    parse: text => (keyForm.test(text) ? text : undefined),
  })

/** A list of REST, which stands in one text there; models write it as an array or as that text. */
export const listParameter = <Value>(parameter: Parameter<Value>): Parameter<Value> => ({
  ...parameter,
  schema: { anyOf: [parameter.schema, { type: 'string', description: 'Separated by commas.' }] },
})

const dayForm = /^\d{4}-\d\d-\d\d$/
const germanOffset = new Intl.DateTimeFormat('en', {
  timeZone: 'Europe/Berlin',
  timeZoneName: 'longOffset',
})

/** Midnight in Germany, with its offset: clocks are changed later in the day. */
function startOfDay(day: string): string {
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime())) return day
  const parts = germanOffset.formatToParts(midnight)
  const zone = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return `${day}T00:00:00${/[+-]\d\d:\d\d/.exec(zone)?.[0] ?? 'Z'}`
}

/** A moment that may be a date alone: models ask for days, and mean those of the broker. */
export const dayParameter = (moment: Parameter<string | null>): Parameter<string | null> => ({
  ...moment,
  schema: {
    anyOf: [moment.schema, { type: 'string', format: 'date', description: 'The day begins.' }],
  },
  parse: text => moment.parse(dayForm.test(text) ? startOfDay(text) : text),
})

const isListEntry = (entry: unknown) => typeof entry === 'string' && !entry.includes(',')

/** A JSON value as the text it would be in a query; undefined where its type is none the schema takes. */
function textOf({ schema, isList }: Parameter<unknown>, value: unknown): string | undefined {
  if (schema.type === 'integer') return typeof value === 'number' ? String(value) : undefined
  if (typeof value === 'string') return value
  return isList && Array.isArray(value) && value.every(isListEntry) ? value.join(',') : undefined
}

function readOne(name: string, parameter: Parameter<unknown>, given: unknown): unknown {
  if (given === undefined && !parameter.required) return parameter.absent
  return readValue(name, parameter, textOf(parameter, given))
}

/** Reads a call's arguments strictly. Throws the parameter's own code. */
export function readToolArguments<Taken extends Parameters>(
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
export function argumentsSchema(taken: Parameters): Json {
  const names = Object.keys(taken)
  const properties = names.map(name => {
    const { schema, description } = taken[name] as Parameter<unknown>
    return [name, { ...(toJsonSchema(schema) as Json), description }]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: names.filter(name => taken[name]?.required),
    additionalProperties: false,
  }
}
