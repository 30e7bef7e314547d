// Small parts that pages share.
import { targetHost } from '../model/target_url.ts'
import type { Area, Context, DashboardPage, Reader } from './context.ts'
import { type Html, html } from './html.ts'
import type { Texts } from './texts.ts'

const numbers = { de: new Intl.NumberFormat('de-DE'), en: new Intl.NumberFormat('en-GB') }

export const number = ({ texts }: Reader, value: number): string =>
  numbers[texts.language].format(value)

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

export type Tone = 'good' | 'bad' | 'warn' | 'calm'

/** A state as a dot and a word. */
export const state = (tone: Tone, text: string): Html =>
  html`<span class="state ${tone}">${text}</span>`

export const notice = (tone: Tone, text: Html | string, isNew = false): Html =>
  html`<p class="notice ${tone}"${isNew && html` role="status" tabindex="-1" data-done`}>${text}</p>`

type DoneTexts = Record<string, string | ((count: number, shown: string) => string)>

/** What came of the action that led here, where it is one of these. */
export function doneNotice(
  { texts, done }: Pick<Context, 'texts' | 'done'>,
  known: DoneTexts,
): Html | false {
  const said = done && Object.hasOwn(known, done.name) ? known[done.name] : undefined
  if (!done || said === undefined) return false
  const text = typeof said === 'string' ? said : countText({ texts }, said, done.count)
  return notice(done.name.startsWith('refused') ? 'bad' : 'good', text, true)
}

export const mistakeNotice = (mistake: string | undefined): Html | false =>
  mistake !== undefined &&
  html`<p class="notice bad" role="alert" tabindex="-1" data-done>${mistake}</p>`

type Fact = readonly [name: string, value: unknown, kind?: 'wide'] | false

export const facts = (rows: readonly Fact[]): Html =>
  html`<dl class="facts">
${rows.map(row => row && html`<div${row[2] && html` class="wide"`}><dt>${row[0]}</dt><dd>${row[1]}</dd></div>\n`)}</dl>`

/** head: names the row. A number has its name next to it where a narrow screen makes a card of a row, and what is `named` has, too. */
type Kind = 'head' | 'number' | 'named' | 'long' | 'act'
export type TableColumn<Row> = readonly [name: string, value: (row: Row) => unknown, kind?: Kind]

/** A table that scrolls by itself, and becomes cards on a narrow screen; `none`: what stands in its place without rows. */
export function table<Row>(
  label: string,
  rows: readonly Row[],
  columns: readonly (TableColumn<Row> | false)[],
  none = '',
): Html {
  if (rows.length === 0) return html`<p class="muted">${none}</p>`
  const shown = columns.filter(column => column !== false)
  const cell = (row: Row, [name, value, kind]: TableColumn<Row>) =>
    kind === 'head'
      ? html`<th scope="row">${value(row)}</th>`
      : html`<td${kind && html` class="${kind}"`}${(kind === 'number' || kind === 'named') && html` data-name="${name}"`}>${value(row)}</td>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="cards">
<thead><tr>${shown.map(([name, , kind]) => html`<th scope="col"${kind === 'number' && html` class="number"`}>${name}</th>`)}</tr></thead>
<tbody>
${rows.map(row => html`<tr>${shown.map(column => cell(row, column))}</tr>\n`)}</tbody></table></div>`
}

/** A form that changes something; `kind`: inline, in a line of text. */
export const form = (
  { csrf }: Pick<Context, 'csrf'>,
  action: string,
  content: Html,
  kind = '',
): Html => html`<form method="post" action="${action}"${kind && html` class="${kind}"`}>
${hidden('csrf', csrf)}${content}
</form>`

export const button = (text: string, kind = '', label = ''): Html =>
  html`<button${kind && html` class="${kind}"`}${label && html` aria-label="${label}"`}>${text}</button>`

export const hidden = (name: string, value: string | number): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`

/** By the name of a field. */
export type Mistakes = Record<string, string | undefined>

export const hasMistakes = (mistakes: Mistakes): boolean =>
  Object.values(mistakes).some(mistake => mistake !== undefined)

type Field = {
  name: string
  label: string
  value?: string
  type?: 'text' | 'url' | 'search' | 'datetime-local'
  hint?: string
  placeholder?: string
  lengthMax?: number
  isRequired?: boolean
  mistake?: string | undefined
}

const mistakeLine = (id: string, mistake: string | undefined): Html | false =>
  mistake !== undefined &&
  html`<small class="mistake" id="${id}" role="alert" tabindex="-1" data-done>${mistake}</small>`

/** A line of text; what is wrong with it stands below. */
export function field({ name, label, value = '', type = 'text', mistake, ...more }: Field): Html {
  const { hint, placeholder, lengthMax, isRequired } = more
  const id = `field-${name.replaceAll('_', '-')}`
  const described = [hint && `${id}-hint`, mistake && `${id}-mistake`].filter(Boolean).join(' ')
  return html`<label>${label}
<input name="${name}" type="${type}" value="${value}" autocomplete="off" spellcheck="false"${placeholder && html` placeholder="${placeholder}"`}${lengthMax && html` maxlength="${lengthMax}"`}${isRequired && html` required`}${mistake && html` aria-invalid="true"`}${described && html` aria-describedby="${described}"`}>
${hint && html`<small id="${id}-hint">${hint}</small>`}${mistakeLine(`${id}-mistake`, mistake)}</label>`
}

export const searchField = (label: string, value: string, hint: string, mistake?: string): Html =>
  field({ name: 'q', type: 'search', label, value, hint, mistake })

type Choice = { value: string; text: Html | string; isOn?: boolean; note?: Html | string }

export const select = (label: string, name: string, choices: readonly Choice[]): Html =>
  html`<label>${label}
<select name="${name}">${choices.map(({ value, text, isOn }) => html`<option value="${value}"${isOn && html` selected`}>${text}</option>`)}</select></label>`

export const tick = (name: string, { value, text, isOn, note }: Choice): Html =>
  html`<label class="tick"><input type="checkbox" name="${name}" value="${value}"${isOn && html` checked`}>${text}${note && html` <small>${note}</small>`}</label>`

/** What cannot be undone: a click alone does nothing. */
export const sureTick = (text: string, mistake?: string): Html =>
  html`<label class="tick"><input type="checkbox" name="sure" value="yes" required>${text}</label>${mistakeLine('sure-mistake', mistake)}`

/** Boxes to tick under one name. */
export const ticks = (legend: string, content: Html, mistake?: string): Html =>
  html`<fieldset><legend>${legend}</legend>${mistakeLine('ticks-mistake', mistake)}${content}</fieldset>`

export const folded = (summary: Html | string, content: Html, isOpen = false): Html =>
  html`<details${isOpen && html` open`}><summary>${summary}</summary>
${content}</details>`

/** A text to take along: shown as it is, with a button that copies it where scripts run. */
export const copyable = ({ texts }: Reader, text: string, label: string): Html =>
  html`<div class="copyable"><pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>
<button type="button" data-copy="${texts.copied}" hidden>${texts.copy}</button></div>`

type Once = { title: string; area: Area; said: Html; more: Html; actions: Html }

/** A secret that no other page shows, and the ways on. */
export const shownOnce = (
  reader: Reader,
  [label, secret]: readonly [label: string, secret: string],
  { title, area, said, more, actions }: Once,
): DashboardPage => ({
  title,
  area,
  isOnce: true,
  content: html`<div class="notice good">${said}</div>
${copyable(reader, secret, label)}
${more}
<div class="actions">${actions}</div>`,
})

/** The page of a webhook, or what is below it. */
export const hookPath = (id: string, rest = ''): string => `/dashboard/webhooks/${id}${rest}`

// A client may have set it: no line breaks, and nothing that turns the rest of a sentence around.
const unseen = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

// A name of these alone is none: its link could not be seen or clicked. Inside of a name some join characters.
const blank = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u
const nameMax = 80

/** In one line that can be seen. */
export function nameOf(texts: Texts, hook: { label: string | null; target_url: string }): string {
  const shown = (hook.label ?? '').replace(unseen, ' ').trim()
  const name = blank.test(shown) ? '' : [...shown]
  const cut = name.length > nameMax ? [...name.slice(0, nameMax - 1), '…'] : name
  return [...cut].join('') || targetHost(hook.target_url) || texts.webhooks.unnamed
}

export const eventName = (texts: Texts, type: string | null): string =>
  type === null ? '–' : ((texts.eventNames as Record<string, string>)[type] ?? type)

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

const searchedMax = 320

/** Without what no database takes. */
export const searchedOf = (text: string | null): string =>
  (text ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, searchedMax)
    .toWellFormed()
