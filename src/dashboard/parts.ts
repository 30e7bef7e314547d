// Small parts that pages share.
import { targetHost } from '../model/target_url.ts'
import type { Context } from './context.ts'
import { type Html, html } from './html.ts'
import type { Texts } from './texts.ts'

import { duration } from './times.ts'

export { duration, earlierOf, exactly, toTheMinute, when } from './times.ts'

type Reader = Pick<Context, 'texts'>

const numbers = { de: new Intl.NumberFormat('de-DE'), en: new Intl.NumberFormat('en-GB') }

export const number = ({ texts }: Reader, value: number): string =>
  numbers[texts.language as 'de' | 'en'].format(value)

/** A count that stopped at `max` is that or more. */
export const countUpTo = (reader: Reader, value: number, max: number): string =>
  value < max ? number(reader, value) : reader.texts.atLeast(number(reader, max))

/** The same in words that depend on the number. */
export const countText = (
  reader: Reader,
  say: (count: number, shown: string) => string,
  count: number,
  max = Number.POSITIVE_INFINITY,
): string => say(count, countUpTo(reader, count, max))

type FormOptions = {
  /** A second sending of the same form does nothing. */
  once?: boolean
  /** Stands in a line of text. */
  inline?: boolean
  /** What was typed is kept by the browser until it was sent: holds nothing of the workspace's persons. */
  keeps?: boolean
}

/** A form that changes something. */
export const form = (
  context: Context,
  action: string,
  content: Html,
  { once, inline, keeps }: FormOptions = {},
): Html => html`<form method="post" action="${action}"${inline && html` class="inline"`}${keeps && html` data-keeps`}>
<input type="hidden" name="csrf" value="${context.csrf}">
${once && html`<input type="hidden" name="once" value="${crypto.randomUUID()}">`}
${content}
</form>`

export const button = (text: string, kind = ''): Html =>
  html`<button${kind && html` class="${kind}"`}>${text}</button>`

/** A form below a long list leads to it with `#mistake`, so it is in sight without scripts, too. */
export const mistakeNotice = (mistake: string | undefined): Html | false =>
  mistake !== undefined &&
  html`<p class="notice bad" role="alert" tabindex="-1" id="mistake">${mistake}</p>`

/** Of a field with a hint: where it is refused, mistakeNotice describes it, too. */
export const describedBy = (hint: string, isRefused: boolean): Html =>
  isRefused
    ? html` aria-invalid="true" aria-describedby="mistake ${hint}"`
    : html` aria-describedby="${hint}"`

/** A text to take along: shown as it is, with a button that copies it where scripts run. */
export const copyable = ({ texts }: Reader, text: string, label: string): Html =>
  html`<div class="copyable"><pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>
<button type="button" data-copy="${texts.copied}" hidden>${texts.copy}</button></div>`

/** Follows what happens at all webhooks: the page is much work, so it is asked for less often than that of one. */
export const followingAll = (content: Html): Html =>
  html`<div id="live-all" data-live>
${content}</div>`

type Tone = 'good' | 'bad' | 'warn' | 'calm'

/** A state as a dot and a word. */
export const state = (tone: Tone, text: string): Html =>
  html`<span class="state ${tone}">${text}</span>`

type Fact = [name: Html | string, value: Html | string | number, kind?: 'wide'] | false

export const facts = (rows: readonly Fact[]): Html =>
  html`<dl class="facts">
${rows.map(row => row && html`<div${row[2] && html` class="wide"`}><dt>${row[0]}</dt><dd>${row[1]}</dd></div>\n`)}</dl>`

type Column = { name: string; kind?: 'number' }

/** A table that scrolls by itself, and becomes cards on a narrow screen. */
export const tableOf = (
  label: string,
  columns: readonly (string | Column)[],
  rows: Html[],
): Html => {
  const head = columns.map(column => {
    const { name, kind } = typeof column === 'string' ? { name: column } : column
    return html`<th scope="col"${kind && html` class="${kind}"`}>${name}</th>`
  })
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="cards">
<thead><tr>${head}</tr></thead>
<tbody>
${rows}</tbody></table></div>`
}

// A client may have set it: no line breaks, and nothing that turns the rest of a sentence around.
const unseen = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

// A name of these alone is none: its link could not be seen or clicked. Inside of a name some join characters.
const blank = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Empty: it has no name that can be seen. */
export function labelOf({ label }: { label: string | null }): string {
  const shown = (label ?? '').replace(unseen, ' ').trim()
  return blank.test(shown) ? '' : shown
}

export const nameOf = (texts: Texts, hook: { label: string | null; target_url: string }): string =>
  labelOf(hook) || targetHost(hook.target_url) || texts.webhooks.unnamed

export const eventName = (texts: Texts, type: string | null): string =>
  type === null ? '–' : ((texts.eventNames as Record<string, string>)[type] ?? type)

/** Why an attempt failed, in words for an owner who is no developer. */
export function reason(texts: Texts, status: number | null, errorClass: string | null): string {
  const { failures } = texts
  if (errorClass !== 'status' || status === null)
    return (failures as Record<string, unknown>)[errorClass ?? '']?.toString() ?? ''
  const exact: Record<number, string> = {
    401: failures.s401,
    403: failures.s401,
    404: failures.s404,
    410: failures.s410,
    429: failures.s429,
  }
  const family = status >= 500 ? failures.s5 : status >= 400 ? failures.s4 : failures.s3
  return `${failures.status(status)} ${exact[status] ?? family}`
}

/** Why there was no answer, in a few words; undefined: of a class that has none. */
export const failureText = ({ shortFailures }: Texts, errorClass: string): string | undefined =>
  (shortFailures as Record<string, string>)[errorClass]

/** The same in a few words, of a reason as it is counted: a status, else an error class. */
export function shortReason(texts: Texts, counted: string): string {
  const { found, delivery } = texts
  if (!/^\d+$/.test(counted)) return failureText(texts, counted) ?? counted
  const family = (found.families as Record<string, string>)[`${counted[0]}xx`]
  return family?.replace(/\dxx/, counted) ?? delivery.answered(Number(counted))
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

/** What a receiver said, without the tags of the page it said it in. */
export function plainExcerpt(excerpt: string): string {
  if (!/<\/?(html|body|head|!doctype|title|h1|p|div)\b/i.test(excerpt)) return excerpt
  return excerpt
    .replace(/<(script|style)\b[^>]*>[\s\S]*?(<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^>]*(>|$)/g, ' ')
    .replace(/&(\w+);/g, (whole, name) => entities[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim()
}

const percents = Object.fromEntries(
  ['de-DE', 'en-GB'].map(locale => [
    locale.slice(0, 2),
    new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }),
  ]),
)

const nearly = 0.999
const hardly = 0.001

/** Rounded; but nothing but all is 100 %, and nothing but none is 0 %. */
export function percent({ texts }: Reader, share: number | null): string {
  if (share === null) return '–'
  const shown = share === 0 || share === 1 ? share : Math.min(nearly, Math.max(hardly, share))
  return percents[texts.language]?.format(shown) ?? ''
}

type Times = { p50_ms: number | null; p95_ms: number | null } | undefined

/** How long half of the attempts took, and nearly all of them. */
function tookAs(
  reader: Reader,
  health: Times,
  say: (half: string, nearlyAll: string) => string,
): string | null {
  if (health?.p50_ms == null || health.p95_ms === null) return null
  return say(duration(reader, health.p50_ms), duration(reader, health.p95_ms))
}

export const took = (reader: Reader, health: Times): string =>
  tookAs(reader, health, (half, nearlyAll) => `${half} / ${nearlyAll}`) ?? '–'

/** The same as a sentence, for where no column explains it. Null: there were none. */
export const tookWords = (reader: Reader, health: Times): string | null =>
  tookAs(reader, health, reader.texts.webhooks.took)
