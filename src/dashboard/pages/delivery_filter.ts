// The filter above the deliveries of one webhook: read from the address, shown as a form that works without scripts.
import { type EventType, isEventType } from '../../model/event_type.ts'
import { cursorForm, type DeliveryState, deliveryStates } from '../../operations/deliveries.ts'
import type { DeliveryFilter } from '../../operations/found_deliveries.ts'
import { isPeriod, type Period } from '../../operations/health.ts'
import type { HookReport } from '../../operations/overview.ts'
import type { Context } from '../context.ts'
import { hookPath } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import { button, eventName } from '../parts.ts'

const hourMs = 3_600_000
const times = { '1h': hourMs, '24h': 24 * hourMs, '7d': 168 * hourMs, '30d': 720 * hourMs } as const
type Time = keyof typeof times

const classes = ['dns', 'connect', 'tls', 'timeout', 'blocked'] as const
const families = ['2xx', '3xx', '4xx', '5xx'] as const
const reasonForm = new RegExp(`^([1-5]\\d\\d|${[...classes, ...families].join('|')})$`)
const momentForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/
export const searchedMax = 320

/** What is asked for, as it was spelled. */
export type Asked = {
  /** all: every state. */
  state: DeliveryState | 'all' | null
  types: EventType[]
  reason: string
  time: Time | ''
  /** In UTC, as browsers write it. */
  from: string
  to: string
  searched: string
  before: number | null
  /** The time that the numbers above cover: no part of the filter, and kept by every link. */
  span: Period | ''
}

const momentOf = (text: string): Date | null =>
  momentForm.test(text) && !text.startsWith('0000') && !Number.isNaN(Date.parse(`${text}Z`))
    ? new Date(`${text}Z`)
    : null

/** Without what no database takes. */
export const searchedOf = (text: string | null): string =>
  (text ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, searchedMax)
    .toWellFormed()

/** What is of no known form counts as not given. */
export function readAsked(query: URLSearchParams): Asked {
  const states = [...deliveryStates, 'all'] as const
  const text = (name: string) => (query.get(name) ?? '').trim()
  const before = text('before')
  return {
    state: states.find(one => one === text('state')) ?? null,
    types: [...new Set(query.getAll('type').filter(isEventType))],
    reason: reasonForm.test(text('reason')) ? text('reason') : '',
    time: Object.hasOwn(times, text('time')) ? (text('time') as Time) : '',
    from: momentOf(text('from')) ? text('from') : '',
    to: momentOf(text('to')) ? text('to') : '',
    searched: searchedOf(query.get('q')),
    before: cursorForm.test(before) ? Number(before) : null,
    span: isPeriod(query.get('span')) ? (query.get('span') as Period) : '',
  }
}

export const isFiltered = ({ types, reason, time, from, to, searched }: Asked): boolean =>
  types.length > 0 || [reason, time, from, to, searched].some(text => text !== '')

/** A moment that is given goes before a period. */
export const filterOf = ({ types, reason, time, from, to, searched }: Asked): DeliveryFilter => ({
  types: types.length === 0 ? null : types,
  reason: reason === '' ? null : reason.replaceAll('x', reason.endsWith('xx') ? '_' : 'x'),
  since: momentOf(from) ?? (time === '' ? null : new Date(Date.now() - times[time])),
  until: momentOf(to),
  searched,
})

/** As names and values, for links and hidden fields; `changes` go before. */
export function pairsOf(asked: Asked, changes: Record<string, string> = {}): [string, string][] {
  const { state, types, reason, time, from, to, searched, span } = asked
  const single = { state: state ?? '', reason, time, from, to, q: searched, span, ...changes }
  return [
    ...types.map((type): [string, string] => ['type', type]),
    ...Object.entries(single).filter(([, value]) => value !== ''),
  ]
}

export const queryOf = (asked: Asked, changes: Record<string, string> = {}): string =>
  new URLSearchParams(pairsOf(asked, changes)).toString()

export const hiddenFields = (pairs: [string, string][]): Html =>
  html`${pairs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`

type Choice = [value: string, text: string]

const select = (label: string, name: string, chosen: string, choices: Choice[]): Html =>
  html`<label>${label}
<select name="${name}">${choices.map(([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`)}</select></label>`

/** Families and classes, and in front of them what happened lately. */
function reasonChoices({ texts }: Context, { reason }: Asked, lately: readonly string[]): Choice[] {
  const { found, delivery, shortFailures } = texts
  const codes = new Set([...lately, reason].filter(one => /^\d+$/.test(one)))
  return [
    ['', found.anyReason],
    ...[...codes].sort().map((code): Choice => [code, delivery.answered(Number(code))]),
    ...families.map((family): Choice => [family, found.families[family]]),
    ...classes.map((one): Choice => [one, shortFailures[one]]),
  ]
}

function typeTicks({ texts }: Context, hook: HookReport, { types }: Asked): Html {
  const tick = (type: string) =>
    html`<label class="tick"><input type="checkbox" name="type" value="${type}"${types.some(one => one === type) && html` checked`}>${eventName(texts, type)}</label>`
  return html`<fieldset><legend>${texts.found.types}</legend><div class="groups">${hook.event_types.map(tick)}</div></fieldset>`
}

/** Moments are in UTC; the page's script shows them in the viewer's zone, and sends them in UTC again. */
const momentField = ({ texts }: Context, label: string, name: string, value: string): Html =>
  html`<label>${label} <span data-utc-note>${texts.found.utc}</span>
<input type="datetime-local" name="${name}" value="${value}" data-utc></label>`

export function filterForm(
  context: Context,
  hook: HookReport,
  asked: Asked,
  lately: readonly string[],
): Html {
  const { found, webhooks } = context.texts
  const periods = (Object.keys(times) as Time[]).map((one): Choice => [one, webhooks.periods[one]])
  const isOn = isFiltered(asked)
  const { span } = asked
  const kept: [string, string][] = span === '' ? [] : [['span', span]]
  const unfiltered = `${hookPath(hook.id)}${span && `?span=${span}`}#deliveries`
  return html`<details class="card"${isOn && html` open`}><summary>${found.title}</summary>
<form method="get" action="${hookPath(hook.id)}#deliveries">${hiddenFields(kept)}
${asked.state && hiddenFields([['state', asked.state]])}
<label>${found.search}
<input name="q" type="search" maxlength="${searchedMax}" value="${asked.searched}" autocomplete="off" aria-describedby="search-hint">
<small id="search-hint">${found.searchHint}</small></label>
<div class="row">${select(found.reason, 'reason', asked.reason, reasonChoices(context, asked, lately))}
${select(found.time, 'time', asked.time, [['', found.anyTime], ...periods])}
${momentField(context, found.from, 'from', asked.from)}
${momentField(context, found.to, 'to', asked.to)}</div>
${hook.event_types.length > 1 && typeTicks(context, hook, asked)}
<div class="actions">${button(found.apply)}${isOn && html`<a href="${unfiltered}">${found.reset}</a>`}</div></form></details>`
}
