// Small parts that pages share.
import type { Context } from './context.ts'
import { type Html, html } from './html.ts'
import type { Texts } from './texts.ts'

type Reader = Pick<Context, 'texts'>

const moments = Object.fromEntries(
  ['de', 'en'].map(language => [
    language,
    new Intl.DateTimeFormat(language === 'de' ? 'de-DE' : 'en-GB', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'UTC',
    }),
  ]),
)

/** A moment in UTC; the page's script turns it into the viewer's zone. */
export function moment({ texts }: Reader, at: string | Date | null, none?: string): Html {
  if (at === null) return html`<span class="muted">${none ?? texts.never}</span>`
  const date = new Date(at)
  const shown = moments[texts.language]?.format(date)
  return html`<time datetime="${date.toISOString()}">${shown} UTC</time>`
}

const numbers = { de: new Intl.NumberFormat('de-DE'), en: new Intl.NumberFormat('en-GB') }

export const number = ({ texts }: Reader, value: number): string =>
  numbers[texts.language as 'de' | 'en'].format(value)

/** A count that stopped at `max` is more than that. */
export const countUpTo = (reader: Reader, value: number, max: number): string =>
  value < max ? number(reader, value) : reader.texts.atLeast(number(reader, max - 1))

/** A form that changes something. `once` makes a second sending of the same form do nothing. */
export const form = (
  context: Context,
  action: string,
  content: Html,
  options: { once?: boolean } = {},
): Html => html`<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${context.csrf}">
${options.once && html`<input type="hidden" name="once" value="${crypto.randomUUID()}">`}
${content}
</form>`

/** A text to take along: shown as it is, with a button that copies it where scripts run. */
export const copyable = ({ texts }: Reader, text: string, label: string): Html =>
  html`<div class="copyable"><pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>
<button type="button" class="secondary outline" data-copy="${texts.copied}" hidden>${texts.copy}</button></div>`

type Tone = 'good' | 'bad' | 'warn' | 'calm'

export const badge = (tone: Tone, text: string): Html =>
  html`<span class="badge ${tone}">${text}</span>`

/** What is shown of a subscription's name and address: its host, since the path may hold a token. */
export const nameOf = (
  texts: Texts,
  { label, target_url }: { label: string | null; target_url: string },
): string => label?.trim() || new URL(target_url).host || texts.webhooks.unnamed

export const eventName = (texts: Texts, type: string | null): string =>
  type === null ? '–' : ((texts.eventNames as Record<string, string>)[type] ?? type)

/** The name in words, and the type as applications know it. */
export const eventCell = (texts: Texts, type: string | null): Html =>
  html`${eventName(texts, type)}<br><small class="muted">${type}</small>`

/** Why an attempt failed, in words for somebody who is no developer. */
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
