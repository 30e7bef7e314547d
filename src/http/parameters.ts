// What a query parameter takes: a strict parser and its JSON Schema side by side, so that the document
// says what the service does. Elysia would take 0x10 and 1e2 for numbers; here a number is plain decimal.
import { ApiError, type ErrorCode } from '../errors.ts'

type JsonSchema = Record<string, unknown>

export type QueryParameter<Value> = {
  schema: JsonSchema
  /** How OpenAPI says that a list stands in one value. */
  style?: JsonSchema
  description: string
  /** Used when the parameter is absent. */
  absent: Value
  /** Completes the sentence "NAME must be …" when parse returns undefined. */
  expected: string
  parse(text: string): Value | undefined
  /** The contract's code for a bad value. */
  code?: ErrorCode
}

export type QueryParameters = Record<string, QueryParameter<unknown>>
export type QueryValues<Parameters extends QueryParameters> = {
  [Name in keyof Parameters]: Parameters[Name] extends QueryParameter<infer Value> ? Value : never
}

const plainInteger = /^(0|[1-9]\d{0,15})$/

export function integerParameter(options: {
  min: number
  max: number
  absent: number
  description: string
}): QueryParameter<number> {
  const { min, max, absent, description } = options
  return {
    schema: { type: 'integer', minimum: min, maximum: max, default: absent },
    description,
    absent,
    expected: `a whole number from ${min} to ${max}, in plain decimal digits`,
    parse: text => {
      const value = Number(text)
      return plainInteger.test(text) && value >= min && value <= max ? value : undefined
    },
  }
}

// A search or status longer than any name, address or number serves nobody.
export const textLengthMax = 200
// Control characters would let one search span two fields; no field is meant to hold them. Characters are
// counted as JSON Schema counts them: one outside the basic plane is one, and half of one is none.
const printable = '[^\\p{Cc}\\p{Cs}]'
const textForm = new RegExp(`^${printable}{1,${textLengthMax}}$`, 'u')

export const textParameter = (description: string): QueryParameter<string | null> => ({
  schema: { type: 'string', minLength: 1, maxLength: textLengthMax, pattern: `^${printable}+$` },
  description,
  absent: null,
  expected: `1 to ${textLengthMax} printable characters`,
  parse: text => (textForm.test(text) ? text : undefined),
})

export const booleanParameter = (description: string): QueryParameter<boolean> => ({
  schema: { type: 'boolean', default: false },
  description,
  absent: false,
  expected: 'true or false',
  parse: text => (text === 'true' || text === 'false' ? text === 'true' : undefined),
})

export const enumParameter = <Value extends string>(
  values: readonly Value[],
  description: string,
): QueryParameter<Value | null> => ({
  schema: { type: 'string', enum: values },
  description,
  absent: null,
  expected: `one of ${values.join(', ')}`,
  parse: text => values.find(value => value === text),
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

export const dateTimeParameter = (description: string): QueryParameter<string | null> => ({
  schema: { type: 'string', format: 'date-time' },
  description,
  absent: null,
  expected: 'an ISO 8601 date-time with an offset, such as 2026-03-01T09:00:00Z',
  parse: text => {
    const match = dateTimeForm.exec(text)
    if (!match || !isCalendarDay(match[1] ?? '')) return undefined
    return inUtc(text.replace(' ', '+').toUpperCase(), match[3] ?? '')
  },
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

/** Percent-decodes once. Throws `code` for bad encoding and NUL; `what` names the place. */
export function decode(text: string, what: string, code: ErrorCode = 'invalid_request'): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text)
  } catch {
    throw new ApiError(code, `${what} must be valid UTF-8 in percent-encoding.`)
  }
  if (decoded.includes('\0')) throw new ApiError(code, `${what} must not contain a NUL character.`)
  return decoded
}

function readPairs(query: string, known: QueryParameters): Map<string, string> {
  const found = new Map<string, string>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const rawName = equals < 0 ? pair : pair.slice(0, equals)
    const name = decode(rawName.replaceAll('+', ' '), 'A query parameter')
    if (!Object.hasOwn(known, name)) continue
    if (found.has(name))
      throw new ApiError(known[name]?.code ?? 'invalid_request', `${name} must be given once.`)
    const rawValue = equals < 0 ? '' : pair.slice(equals + 1)
    found.set(name, decode(rawValue.replaceAll('+', ' '), name, known[name]?.code))
  }
  return found
}

/** Reads a query string strictly; unknown parameters are ignored. Throws the parameter's own code. */
export function readQuery<Parameters extends QueryParameters>(
  query: string,
  known: Parameters,
): QueryValues<Parameters> {
  const found = query === '' ? undefined : readPairs(query, known)
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(known)) {
    const text = found?.get(name)
    const value = text === undefined ? parameter.absent : parameter.parse(text)
    if (value === undefined)
      throw new ApiError(
        parameter.code ?? 'invalid_request',
        `${name} must be ${parameter.expected}.`,
      )
    values[name] = value
  }
  return values as QueryValues<Parameters>
}
