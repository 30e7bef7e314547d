// What an operation takes: a strict parser and its JSON Schema side by side, so that both faces describe what they do. One parser
// reads both: REST gives it the text of a query, a tool the JSON of an argument. Numbers in text are plain decimal: neither 0x10
// nor 1e2.
import { ApiError, type ErrorCode } from '../errors.ts'
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
export const required = <Value>(parameter: Parameter<Value | null>): Parameter<Value> => ({
  ...(parameter as Parameter<Value>),
  absent: undefined as Value,
  required: true,
})

// What no text in PostgreSQL holds. A query cannot carry half a character, JSON can.
const unstorable = /[\0\p{Cs}]/u

/** Parses text. A number stands for its digits: JSON clients send it where a text of digits is meant. */
export const ofText =
  <Value>(parse: (text: string) => Value | undefined) =>
  (given: unknown): Value | undefined => {
    const text = Number.isSafeInteger(given) ? String(given) : given
    return typeof text === 'string' && !unstorable.test(text) ? parse(text) : undefined
  }

export const uuidParameter = (description: string): Parameter<string | null> => ({
  schema: { type: 'string', format: 'uuid' },
  description,
  absent: null,
  expected: 'a UUID',
  code: 'invalid_id',
  parse: ofText(text => (uuidForm.test(text) ? text : undefined)),
})

const plainIntegerForm = /^(0|[1-9]\d{0,15})$/

/** A whole number, in plain decimal digits where it is text, and small enough for JSON to keep it exact; else undefined. */
export function readPlainInteger(given: unknown): number | undefined {
  const value = typeof given === 'string' && plainIntegerForm.test(given) ? Number(given) : given
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

export function integerParameter(options: {
  min: number
  max: number
  absent: number
  description: string
}): Parameter<number> {
  const { min, max, absent, description } = options
  return {
    schema: { type: 'integer', minimum: min, maximum: max, default: absent },
    description,
    absent,
    expected: `a whole number from ${min} to ${max}, in plain decimal digits`,
    parse: given => {
      const value = readPlainInteger(given)
      return value !== undefined && value >= min && value <= max ? value : undefined
    },
  }
}

// A whole email address, as long as an identity may be. Longer names are found by a part.
const textLengthMax = 254
// Control characters would let one search span two fields; no field is meant to hold them. Characters are
// counted as JSON Schema counts them: one outside the basic plane is one, and half of one is none. U+FFFD stands for bytes that
// were no text.
const textForm = new RegExp(`^[^\\p{Cc}\\p{Cs}\\ufffd]{0,${textLengthMax}}$`, 'u')
// The same for readers of the schema: neither Python's re nor Rust's regex knows both of these classes, RE2 no \\u. Half a
// character is in no text that arrives as UTF-8.
const printable = '[^\\x00-\\x1f\\x7f-\\x9f\ufffd]'

/** A filter. An empty one, as a form sends an empty field, is none: operations give the database null for it. */
export const textParameter = (description: string): Parameter<string | null> => ({
  schema: { type: 'string', maxLength: textLengthMax, pattern: `^${printable}*$` },
  description,
  absent: null,
  expected: `at most ${textLengthMax} printable characters, U+FFFD not among them`,
  parse: ofText(text => (textForm.test(text) ? text : undefined)),
})

export const booleanParameter = (description: string): Parameter<boolean> => ({
  schema: { type: 'boolean', default: false },
  description,
  absent: false,
  expected: 'true or false',
  parse: given => {
    if (typeof given === 'boolean') return given
    return given === 'true' || given === 'false' ? given === 'true' : undefined
  },
})

export const enumParameter = <Value extends string>(
  values: readonly Value[],
  description: string,
): Parameter<Value | null> => ({
  schema: { type: 'string', enum: values },
  description,
  absent: null,
  expected: `one of ${values.join(', ')}`,
  parse: given => values.find(value => value === given),
})

// RFC 3339. A space stands for the plus that a client forgot to write as %2B.
const dateTimeForm =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+ -]([01]\d|2[0-3]):[0-5]\d)$/i

function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return day >= '0001' && !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/** PostgreSQL knows neither offsets beyond 15:59 nor the year 0; the fraction keeps every digit. */
function inUtc(text: string, fraction: string): string | undefined {
  const moment = new Date(text.replace(fraction, '')).toISOString()
  return /^(?!0000)\d{4}-/.test(moment) ? moment.replace('.000', fraction) : undefined
}

export const dateTimeParameter = (description: string): Parameter<string | null> => ({
  schema: { type: 'string', format: 'date-time' },
  description,
  absent: null,
  expected: 'an ISO 8601 date-time with an offset, such as 2026-03-01T09:00:00Z',
  parse: ofText(text => {
    const match = dateTimeForm.exec(text)
    if (!match || !isCalendarDay(match[1] ?? '')) return undefined
    return inUtc(text.replace(' ', '+').toUpperCase(), match[3] ?? '')
  }),
})

export const limitParameter = integerParameter({
  min: 1,
  max: 200,
  absent: 50,
  description: 'Number of entries, 1 to 200.',
})

// Further on, a page would cost more than reading the feed from its start.
export const offsetParameter = integerParameter({
  min: 0,
  max: 1_000_000,
  absent: 0,
  description: 'Number of entries to skip.',
})
