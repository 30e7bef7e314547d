// Moments as clients, tools and commands write them: ISO 8601 with an offset, or a date alone.

// A space stands for the plus that a client forgot to write as %2B, and for the T, which Python and PostgreSQL leave out.
const momentForm =
  /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,9})?)?(?:Z|([+ -])([01]\d|2[0-3])(?::?([0-5]\d))?))?$/i

function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return day >= '0001' && !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/**
 * The moment in UTC, with every digit of its fraction; undefined for a text that is none. A date alone is its start in UTC.
 * PostgreSQL would know neither offsets beyond 15:59 nor the year 0.
 */
export function parseMoment(text: string): string | undefined {
  const [, day = '', hour = '00', minute = '00', second = '00', fraction = '', ...offset] =
    momentForm.exec(text) ?? []
  if (!isCalendarDay(day)) return undefined
  const [sign = '+', hours = '00', minutes = '00'] = offset
  const zone = `${sign.replace(' ', '+')}${hours}:${minutes}`
  const moment = new Date(`${day}T${hour}:${minute}:${second}${zone}`).toISOString()
  return /^(?!0000)\d{4}-/.test(moment) ? moment.replace('.000', fraction) : undefined
}
