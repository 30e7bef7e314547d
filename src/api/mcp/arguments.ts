// Arguments of tools: the parameters of operations, in words for a model and in the forms that models write.
import { type Parameter, required } from '../../operations/parameters.ts'

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
export const listParameter = <Value>(
  parameter: Parameter<Value>,
  entries: readonly string[],
): Parameter<Value> => ({
  ...parameter,
  expected: `one or more of ${entries.join(', ')}`,
  schema: {
    anyOf: [
      parameter.schema,
      { type: 'string', description: 'Separated by commas, spaces allowed.' },
    ],
  },
})

const dayForm = /^\d{4}-\d\d-\d\d$/
const germanOffset = new Intl.DateTimeFormat('en', {
  timeZone: 'Europe/Berlin',
  timeZoneName: 'longOffset',
})

// Midnight of it in Germany is in the year 0, which PostgreSQL does not know; no moment is stored before it.
const firstDay = '0001-01-01'

/** Midnight in Germany, with its offset: clocks are changed later in the day. */
function startOfDay(day: string): string {
  if (day === firstDay) return `${day}T00:00:00Z`
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
  expected: `${moment.expected}, or a date alone, such as 2026-03-01`,
  parse: text => moment.parse(dayForm.test(text) ? startOfDay(text) : text),
})
