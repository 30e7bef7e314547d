// Übersicht: is everything well?
import { countMax, getOverview, listAttemptHours } from '../../operations/overview.ts'
import { TimeoutError, within } from '../../within.ts'
import { chart } from '../chart.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { inTrouble } from '../layout.ts'
import { countUpTo, moment, number } from '../parts.ts'

// The worker looks at both several times a second; what waits this long waits for a worker.
const lateMs = 30_000

// The first look after a start counts a whole day: 0.5 s at 1,000,000 attempts. The page does not wait for that; what
// was counted is remembered, and is there at the next look.
const patienceMs = 30

type Overview = Awaited<ReturnType<typeof getOverview>>

function verdict(context: Context, { at, unsequenced_since, due_since }: Overview): Html {
  const { overview } = context.texts
  const failing = inTrouble(context).length
  const isLate = (since: string | null) =>
    since !== null && Date.parse(at) - Date.parse(since) > lateMs
  if (isLate(unsequenced_since) || isLate(due_since))
    return html`<p class="notice warn"><strong>${overview.slow}</strong> ${overview.slowText}</p>`
  if (failing > 0)
    return html`<p class="notice bad"><strong>${overview.trouble(failing)}</strong></p>`
  return html`<p class="notice good"><strong>${overview.well}</strong> ${overview.wellText}</p>`
}

function tiles(context: Context, found: Overview): Html {
  const { overview } = context.texts
  const tile = (name: string, value: string, note: Html | string) =>
    html`<div><dt>${name}</dt><dd>${value}</dd><dd class="muted">${note}</dd></div>\n`
  const since = (text: string, at: string | null, none: string) =>
    at === null ? none : html`${text} ${moment(context, at)}`
  return html`<dl class="tiles">
${tile(overview.feed, number(context, found.head), overview.feedHint)}
${tile(
  overview.waiting,
  countUpTo(context, found.unsequenced, countMax),
  since(overview.waitingSince, found.unsequenced_since, overview.waitingNone),
)}
${tile(
  overview.queue,
  countUpTo(context, found.pending, countMax),
  since(overview.queueSince, found.due_since, overview.queueNone),
)}
${tile(overview.requests, number(context, found.requests), overview.requestsHint)}
${tile(
  overview.webhooks,
  number(context, context.hooks.length),
  overview.webhooksHint(inTrouble(context).length),
)}
</dl>`
}

function unlessLate(error: unknown): null {
  if (error instanceof TimeoutError) return null
  throw error
}

export async function overviewPage(context: Context): Promise<Page> {
  const { database, texts } = context
  const counting = listAttemptHours(database, new Date())
  const [found, hours] = await Promise.all([
    getOverview(database),
    within(counting, patienceMs).catch(unlessLate),
  ])
  return {
    title: texts.pages.overview,
    area: 'overview',
    content: html`${verdict(context, found)}
${tiles(context, found)}
<h2>${texts.overview.chart}</h2>
${hours ? chart(context, hours) : html`<p class="muted">${texts.overview.counting} <a href="/dashboard">${texts.overview.again}</a></p>`}`,
  }
}
