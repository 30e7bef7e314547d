// Übersicht: is everything well, and if not, with which webhook and what to do? What to do first where all is new.
import { listHealth } from '../../operations/health.ts'
import {
  getNoticeSettings,
  isLastRefused,
  listNotices,
  type NoticeSettings,
} from '../../operations/notices.ts'
import {
  countMax,
  getOverview,
  listHooksBehind,
  listNewestEvents,
} from '../../operations/overview.ts'
import { chart } from '../chart.ts'
import type { Context, Page } from '../context.ts'
import { hookPath } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import { needingOwner } from '../layout.ts'
import {
  countText,
  countUpTo,
  earlierOf,
  eventName,
  followingAll,
  number,
  percent,
  shortReason,
  tableOf,
  tookWords,
  when,
} from '../parts.ts'
import { noEvents } from './events.ts'
import { link, type Overview, pausedByOwnerCount, verdict } from './overview_verdict.ts'

type Newest = Awaited<ReturnType<typeof listNewestEvents>>
type Healths = Awaited<ReturnType<typeof listHealth>>

/** What waits for the owner goes before what waits for its turn. */
function queueHint(context: Context, found: Overview): Html | string {
  const { overview } = context.texts
  const oldest = earlierOf(found.due_since, found.unsequenced_since)
  if (found.given_up > 0) return countText(context, overview.givenUp, found.given_up, countMax)
  if (oldest !== null) return html`${overview.queueSince} ${when(context, oldest)}`
  if (found.pending === 0) return overview.queueNone
  const isRetrying = context.hooks.some(hook => hook.active && hook.is_retrying)
  return (isRetrying ? overview.queueAgain : overview.queueCatchingUp)(found.pending)
}

function tiles(context: Context, found: Overview, { all }: Healths): Html {
  const { overview } = context.texts
  const tile = (name: string, value: string, note: Html | string) =>
    html`<div><dt>${name}</dt><dd>${value}</dd><dd class="muted">${note}</dd></div>\n`
  const undelivered = found.pending + found.unsequenced + found.given_up
  const { faults } = context.serving
  const [lastFault] = faults.latest
  const words = tookWords(context, all)
  return html`<dl class="tiles">
${tile(overview.rate, percent(context, all.rate), overview.rateHint)}
${tile(overview.delivered, number(context, all.delivered), html`${overview.deliveredHint}${words !== null && `; ${words}`}`)}
${tile(
  overview.queue,
  countUpTo(context, undelivered, countMax),
  html`${queueHint(context, found)}${pausedByOwnerCount(context) > 0 && overview.queueByOwner}`,
)}
${tile(overview.requests, number(context, found.requests), overview.requestsHint)}
${tile(
  overview.faults,
  number(context, faults.count),
  lastFault
    ? html`<a href="/dashboard/status">${overview.faultsLast} ${when(context, lastFault.at)}</a>`
    : overview.faultsNone,
)}
</dl>`
}

type Progress = { hasKeys: boolean; hasDelivered: boolean; hasNotices: boolean }

/** Of the first steps, the one that is left where all works without it. */
function noticesHint({ texts: { overview, first }, serving }: Context): Html | false {
  // Where the operator set up no mail server, the owner cannot.
  if (serving.about.notices.mailServer === null) return false
  return html`<div class="notice calm"><p>${overview.noticesUnset} <a href="/dashboard/notices">${first.noticesAction}</a></p></div>`
}

/** The first steps, each with whether it is done; once they are, what is said of those left. */
function checklist(
  context: Context,
  { hasKeys, hasDelivered, hasNotices }: Progress,
): Html | false {
  const { texts, hooks } = context
  const { first } = texts
  if (hooks.length > 0 && hasKeys && hasDelivered) return !hasNotices && noticesHint(context)
  const [hook] = hooks
  const tested = hook ? hookPath(hook.id, '#test') : '/dashboard/webhooks/new'
  const steps: [done: boolean, text: string, path: string, action: string][] = [
    [hasKeys, first.key, '/dashboard/keys#new', first.keyAction],
    [hooks.length > 0, first.hook, '/dashboard/connect', first.hookAction],
    [hasDelivered, first.test, tested, first.testAction],
    [hasNotices, first.notices, '/dashboard/notices', first.noticesAction],
  ]
  // One button in a view leads on, and a webhook in trouble goes first.
  const current = needingOwner(context).length > 0 ? -1 : steps.findIndex(([done]) => !done)
  const step = ([done, text, path, action]: (typeof steps)[number], index: number) =>
    html`<li${done && html` class="done"`}><b>${done ? html`<span aria-hidden="true">✓</span><span class="unseen">${first.done}</span>` : index + 1}</b><span>${text} ${!done && html`<a href="${path}"${index === current && html` class="button primary"`}>${action}</a>`}</span></li>\n`
  return html`<section class="card"><h2>${first.title}</h2><p>${first.text}</p>
<ol class="steps">${steps.map(step)}</ol></section>`
}

const shownMax = 5
const noticesMax = 30

/** Why deliveries failed most, over all webhooks. */
function problems(context: Context, { all, byHook }: Healths): Html {
  const { texts, hooks } = context
  const { overview } = texts
  const rows = hooks
    .flatMap(hook => (byHook.get(hook.id)?.reasons ?? []).map(reason => ({ hook, ...reason })))
    .toSorted((one, other) => Date.parse(other.last_at) - Date.parse(one.last_at))
    .slice(0, shownMax)
    .map(
      ({ hook, reason, attempts, last_at }) => html`<tr>
<th scope="row">${link(context, hook)}</th>
<td data-name="${overview.problem}">${shortReason(texts, reason)}</td>
<td class="number" data-name="${texts.webhooks.attempts}">${number(context, attempts)}</td>
<td data-name="${texts.webhooks.latest}">${when(context, last_at)}</td></tr>
`,
    )
  const columns = [
    texts.webhooks.name,
    overview.problem,
    { name: texts.webhooks.attempts, kind: 'number' as const },
    texts.webhooks.latest,
  ]
  return html`<section><h2>${overview.problems}</h2>
${rows.length === 0 ? html`<p class="muted">${all.delivered > 0 ? overview.problemsNone : overview.problemsIdle}</p>` : tableOf(overview.problems, columns, rows)}</section>`
}

function newest(context: Context, events: Newest, horizon: number): Html {
  const { texts } = context
  const rows = events.map(
    event => html`<tr><th scope="row"><a href="/dashboard/events/${event.cursor}">${eventName(texts, event.event_type)}</a></th>
<td class="long" data-name="${texts.events.about}">${event.person?.trim() || '–'}</td>
<td data-name="${texts.events.at}">${when(context, event.occurred_at)}</td></tr>
`,
  )
  const columns = [texts.events.type, texts.events.about, texts.events.at]
  return html`<section><h2>${texts.overview.events}</h2>
${rows.length === 0 ? html`<p class="muted">${noEvents(context, horizon)}</p>` : tableOf(texts.overview.events, columns, rows)}</section>`
}

/** Who counts on notices has to hear that none arrive. */
async function refusedNotices(context: Context, { mailTo }: NoticeSettings): Promise<Html | false> {
  const { overview } = context.texts
  if (mailTo.length === 0) return false
  const listed = await listNotices(context.database, true, noticesMax)
  return (
    isLastRefused(listed) &&
    html`<div class="notice warn"><p>${overview.noticeRefused} <a href="/dashboard/notices">${overview.toNotices}</a></p></div>`
  )
}

export async function overviewPage(context: Context): Promise<Page> {
  const { database, texts } = context
  const [found, late, healths, events, noticeSettings] = await Promise.all([
    getOverview(database),
    listHooksBehind(database),
    listHealth(database),
    listNewestEvents(database, { types: [], before: null, limit: shownMax }),
    getNoticeSettings(database, context.serving.about.notices),
  ])
  const hasDelivered = found.has_delivered === true || healths.all.delivered > 0
  return {
    title: texts.pages.overview,
    area: 'overview',
    isAboutTrouble: true,
    isAboutWorker: true,
    content: followingAll(html`${verdict(context, found, late)}
${await refusedNotices(context, noticeSettings)}
${checklist(context, {
  hasKeys: found.has_keys === true,
  hasDelivered,
  hasNotices: noticeSettings.mailTo.length > 0,
})}
${tiles(context, found, healths)}
<section class="card"><h2>${texts.overview.chart}</h2>
${chart(context, healths.all.steps)}</section>
<div class="halves">${problems(context, healths)}
${newest(context, events, found.horizon)}</div>`),
  }
}
