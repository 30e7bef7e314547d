// What an operation takes: a strict parser and its JSON Schema side by side, so that both faces describe what they do. One parser
// reads both: REST gives it the text of a query, a tool the JSON of an argument. Numbers in text are plain decimal: neither 0x10
// nor 1e2.
import { ApiError, type ErrorCode } from '../errors.ts'
import { EventTypeName } from '../model/event.ts'
import { type EventType, eventTypes, isEventType } from '../model/event_type.ts'
import { parseMoment } from '../model/moment.ts'
import { uuidForm } from '../model/uuid.ts'

export type Parameter<Value> = {
  schema: Record<string, unknown>
  description: string
  /** Used when the parameter is absent. */
  absent: Value
  /** Completes the sentence "NAME must be …" when parse returns undefined. */
  expected: string
  /** Of query text or a JSON value. */
  parse(given: unknown): Value | undefined
  /** The contract's code for a bad value. */
  code?: ErrorCode
  /** A list: commas separate its entries, and given more than once it is one list. */
  isList?: true
  required?: true
}

export type Parameters = Record<string, Parameter<unknown>>

export type Values<Taken extends Parameters> = {
  [Name in keyof Taken]: Taken[Name] extends Parameter<infer Value> ? Value : never
}

/** Reads what was given for a parameter; undefined: nothing was. Throws the parameter's own code. */
export function readValue(name: string, parameter: Parameter<unknown>, given: unknown): unknown {
  if (given === undefined && !parameter.required) return parameter.absent
  const value = given === undefined ? undefined : parameter.parse(given)
  if (value !== undefined) return value
  const sentence = `${name} must be ${parameter.expected}.`
  throw new ApiError(
    parameter.code ?? 'invalid_request',
    given === undefined ? `${name} is missing: ${sentence}` : sentence,
  )
}

/** The same parameter, which must be given. */
const required = <Value>(parameter: Parameter<Value | null>): Parameter<Value> => ({
  ...(parameter as Parameter<Value>),
  absent: undefined as Value,
  required: true,
})

// What no text in PostgreSQL holds. A query cannot carry half a character, JSON can.
const unstorable = /[\0\p{Cs}]/u

/** Parses text. A number stands for its digits: JSON clients send it where a text of digits is meant. */
const ofText =
  <Value>(parse: (text: string) => Value | undefined) =>
  (given: unknown): Value | undefined => {
    const text = Number.isSafeInteger(given) ? String(given) : given
    return typeof text === 'string' && !unstorable.test(text) ? parse(text) : undefined
  }

const uuid = (description: string): Parameter<string | null> => ({
  schema: { type: 'string', format: 'uuid' },
  description,
  absent: null,
  expected: 'a UUID',
  code: 'invalid_id',
  parse: ofText(given => (uuidForm.test(given) ? given : undefined)),
})

// No identity is longer: 254 characters of email address, each at most 12 characters in percent-encoding.
export const keyLengthMax = 3_072

/** What it may be is for the database to say. */
const identity = (description: string): Parameter<string | null> => ({
  schema: { type: 'string', minLength: 1 },
  description,
  absent: null,
  expected: 'an identity',
  parse: ofText(given => (given.length <= keyLengthMax ? given : undefined)),
})

const plainIntegerForm = /^(0|[1-9]\d{0,15})$/

/** A whole number, in plain decimal digits where it is text, and small enough for JSON to keep it exact; else undefined. */
export function readPlainInteger(given: unknown): number | undefined {
  const value = typeof given === 'string' && plainIntegerForm.test(given) ? Number(given) : given
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

const integer = (
  min: number,
  max: number,
  absent: number,
  description: string,
): Parameter<number> => ({
  schema: { type: 'integer', minimum: min, maximum: max, default: absent },
  description,
  absent,
  expected: `a whole number from ${min} to ${max}, in plain decimal digits`,
  parse: given => {
    const value = readPlainInteger(given)
    return value !== undefined && value >= min && value <= max ? value : undefined
  },
})

// A whole email address, as long as an identity may be. Longer names are found by a part.
const textLengthMax = 254
// Control characters would let one search span two fields; no field is meant to hold them. U+FFFD stands for bytes that were no
// text. Written for readers of the schema: Python's re knows no class such as \p{Cc}, RE2 no \u.
const printable = '[^\\x00-\\x1f\\x7f-\\x9f\ufffd]'
// Characters are counted as JSON Schema counts them: one outside the basic plane is one.
const textForm = new RegExp(`^${printable}{0,${textLengthMax}}$`, 'u')

/** A filter. An empty one, as a form sends an empty field, is none. */
const text = (description: string): Parameter<string | null> => ({
  schema: { type: 'string', maxLength: textLengthMax, pattern: `^${printable}*$` },
  description,
  absent: null,
  expected: `at most ${textLengthMax} printable characters, U+FFFD not among them`,
  parse: ofText(given => (textForm.test(given) ? given || null : undefined)),
})

const boolean = (description: string): Parameter<boolean> => ({
  schema: { type: 'boolean', default: false },
  description,
  absent: false,
  expected: 'true or false',
  parse: given => {
    if (typeof given === 'boolean') return given
    return given === 'true' || given === 'false' ? given === 'true' : undefined
  },
})

/** `schema` is the named one, where there is one. */
const oneOf = <const Value extends string>(
  values: readonly Value[],
  description: string,
  schema: Record<string, unknown> = { type: 'string', enum: values },
): Parameter<Value | null> => ({
  schema,
  description,
  absent: null,
  expected: `one of ${values.join(', ')}`,
  parse: given => values.find(value => value === given),
})

/** A type that is repeated counts once, so that no list is longer than the enumeration. */
function readEventTypes(given: unknown): EventType[] | undefined {
  const entries = typeof given === 'string' ? given.split(',') : given
  const named: unknown[] = Array.isArray(entries) ? [...new Set(entries)] : []
  return named.length > 0 && named.every(isEventType) ? named : undefined
}

const someEventTypes = (description: string): Parameter<EventType[] | null> => ({
  schema: { type: 'array', items: EventTypeName, minItems: 1 },
  isList: true,
  description,
  absent: null,
  expected: `a comma-separated list of event types: ${eventTypes.join(', ')}`,
  code: 'invalid_types',
  parse: readEventTypes,
})

const oneEventType = (description: string): Parameter<EventType | null> => ({
  ...oneOf(eventTypes, description, EventTypeName),
  code: 'unknown_event_type',
})

const moment = (description: string): Parameter<string | null> => ({
  schema: { type: 'string', format: 'date-time' },
  description,
  absent: null,
  expected: 'an ISO 8601 moment with an offset, such as 2026-03-01T09:00:00Z, or a date',
  parse: ofText(parseMoment),
})

/** Of the feed: as large as JSON readers keep exact. Cursors outgrow 32 bits at the first `feed advance`. */
const cursor = (description: string): Parameter<number | null> => ({
  schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  description,
  absent: null,
  expected: 'the cursor of an event: a whole number in plain decimal digits',
  code: 'invalid_cursor',
  parse: readPlainInteger,
})

/** The parameters there are, by what they take. */
export const take = {
  ...{ required, uuid, identity, integer, text, boolean, oneOf },
  ...{ someEventTypes, oneEventType, moment, cursor },
}
