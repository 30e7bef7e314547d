// Moments as a reader wants them: how long ago, to the minute, to the second. In UTC; the page's script turns them into
// the viewer's zone.
import type { Visit } from './context.ts'
import { type Html, html } from './html.ts'

type Reader = Pick<Visit, 'texts'>
type Language = 'de' | 'en'
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

const formatsOf = (language: Language) => ({
  minute: new Intl.DateTimeFormat(locales[language], minute),
  second: new Intl.DateTimeFormat(locales[language], { ...minute, second: '2-digit' }),
  ago: new Intl.RelativeTimeFormat(locales[language], { numeric: 'always', style: 'short' }),
})

const formats = { de: formatsOf('de'), en: formatsOf('en') }
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

const missing = ({ texts }: Reader, none?: string) =>
  html`<span class="muted">${none ?? texts.never}</span>`

/** To the minute. */
export function toTheMinute(reader: Reader, at: At, none?: string): Html {
  if (at === null) return missing(reader, none)
  const date = new Date(at)
  return html`<time datetime="${date.toISOString()}">${of(reader).minute.format(date)} UTC</time>`
}

/** To the second. */
export function exactly(reader: Reader, at: At, none?: string): Html {
  if (at === null) return missing(reader, none)
  const date = new Date(at)
  return html`<time datetime="${date.toISOString()}" data-as="second">${of(reader).second.format(date)} UTC</time>`
}

/** How long ago, or until when; to the second in its title. */
export function when(reader: Reader, at: At, none?: string): Html {
  if (at === null) return missing(reader, none)
  const date = new Date(at)
  const shown = ago(reader, date)
  if (shown === null) return toTheMinute(reader, at)
  return html`<time datetime="${date.toISOString()}" data-as="ago" title="${of(reader).second.format(date)} UTC">${shown}</time>`
}

const seconds = (reader: Reader, milliseconds: number) =>
  new Intl.NumberFormat(locales[reader.texts.language], {
    maximumFractionDigits: milliseconds < 10_000 ? 1 : 0,
  }).format(milliseconds / 1_000)

/** 12 ms, 2,5 s, in one piece. */
export const duration = (reader: Reader, milliseconds: number): string =>
  milliseconds < 1_000 ? `${milliseconds}\u00a0ms` : `${seconds(reader, milliseconds)}\u00a0s`
