// Moments as a reader wants them: how long ago, to the minute, to the second. In UTC; the page's script turns them into
// the viewer's zone.
import type { Reader } from './context.ts'
import { type Html, html } from './html.ts'

type At = string | Date | null

const locales = { de: 'de-DE', en: 'en-GB' }
const minute = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
} as const

const formatsOf = (locale: string) => ({
  minute: new Intl.DateTimeFormat(locale, minute),
  second: new Intl.DateTimeFormat(locale, { ...minute, second: '2-digit' }),
  ago: new Intl.RelativeTimeFormat(locale, { numeric: 'always', style: 'short' }),
  tenths: new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }),
})

const formats = { de: formatsOf(locales.de), en: formatsOf(locales.en) }
const of = ({ texts }: Reader) => formats[texts.language]

const units = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
] as const

/** "vor 2 Min."; what is older than a week is named by its date. Null: it is older. */
function ago(reader: Reader, date: Date): string | null {
  let value = Math.round((date.getTime() - Date.now()) / 1_000)
  if (Math.abs(value) < 1) return reader.texts.now
  for (const [unit, size] of units) {
    if (Math.abs(value) < size) return of(reader).ago.format(value, unit)
    value = Math.trunc(value / size)
  }
  return null
}

function time(reader: Reader, at: At, kind: 'minute' | 'second' | 'ago', none?: string): Html {
  if (at === null) return html`<span class="muted">${none ?? reader.texts.never}</span>`
  const date = new Date(at)
  const near = kind === 'ago' ? ago(reader, date) : null
  const exact = `${of(reader).second.format(date)} UTC`
  if (near !== null)
    return html`<time datetime="${date.toISOString()}" data-as="ago" title="${exact}">${near}</time>`
  if (kind === 'second')
    return html`<time datetime="${date.toISOString()}" data-as="second">${exact}</time>`
  return html`<time datetime="${date.toISOString()}">${of(reader).minute.format(date)} UTC</time>`
}

export const toTheMinute = (reader: Reader, at: At): Html => time(reader, at, 'minute')

export const exactly = (reader: Reader, at: At): Html => time(reader, at, 'second')

/** How long ago, or until when; to the second in its title. */
export const when = (reader: Reader, at: At, none?: string): Html => time(reader, at, 'ago', none)

/** 12 ms, 2,5 s, in one piece. */
export const duration = (reader: Reader, milliseconds: number): string =>
  milliseconds < 1_000
    ? `${milliseconds}\u00a0ms`
    : `${of(reader).tenths.format(milliseconds / 1_000)}\u00a0s`
