// Übersicht: is everything well, and if not, with which webhook and what to do? What to do first where all is new.
import { listHealth } from '../../operations/health.ts'
import { getNoticeSettings } from '../../operations/notices.ts'
import {
  countMax,
  getOverview,
  type HookBehind,
  type HookName,
  isWorkerMissing,
  listHooksBehind,
  listNewestEvents,
} from '../../operations/overview.ts'
import { chart } from '../chart.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { inTrouble } from '../layout.ts'
import {
  countText,
  countUpTo,
  eventName,
  moment,
  nameOf,
  number,
  percent,
  tableOf,
  took,
  when,
} from '../parts.ts'

type Overview = Awaited<ReturnType<typeof getOverview>>
type Newest = Awaited<ReturnType<typeof listNewestEvents>>
type Healths = Awaited<ReturnType<typeof listHealth>>

const link = ({ texts }: Context, hook: HookName): Html =>
  html`<a href="/dashboard/webhooks/${hook.id}">${nameOf(texts, hook)}</a>`

function troubleLine(context: Context, hook: HookName): Html {
  const { overview } = context.texts
  const { active, failing_since, paused_at } = hook
  return html`<li>${link(context, hook)}: ${active ? overview.failing : overview.paused} ${moment(context, active ? failing_since : paused_at)}</li>\n`
}

/** Active webhooks without an alarm that still have something open. */
function openLines(context: Context): { hook: HookName; line: Html }[] {
  const { overview } = context.texts
  const troubled = new Set(inTrouble(context))
  return context.hooks
    .filter(hook => hook.active && !troubled.has(hook) && (hook.has_missed || hook.is_retrying))
    .map(hook => {
      const text = hook.has_missed ? overview.missed : overview.retrying
      return { hook, line: html`<li>${link(context, hook)}: ${text}</li>\n` }
    })
}

function behindLine(context: Context, behind: HookBehind): Html | null {
  const { overview } = context.texts
  const hook = context.hooks.find(({ id }) => id === behind.id)
  if (!hook) return null
  const text = countText(context, overview.behind, behind.pending, countMax)
  return html`<li>${link(context, hook)}: ${text} ${moment(context, behind.due_since)}</li>\n`
}

/** Those that only keep others waiting: the others are in trouble already. */
function onlyBehind(context: Context, behind: HookBehind[]): HookBehind[] {
  const troubled = new Set(inTrouble(context).map(({ id }) => id))
  return behind.filter(({ id }) => !troubled.has(id))
}

/** Without a problem: that all is well, or what rests. The owner paused it, so nothing alarms. */
function noTrouble(context: Context): Html {
  const { overview } = context.texts
  if (context.hooks.length === 0) return html``
  const resting = restingCount(context)
  return resting === 0
    ? html`<p class="notice good"><strong>${overview.well}</strong> ${overview.wellText}</p>`
    : html`<p class="notice calm"><strong>${overview.calm}</strong> ${overview.resting(resting)}</p>`
}

function verdict(context: Context, found: Overview, behind: HookBehind[]): Html {
  const { overview } = context.texts
  const troubled = inTrouble(context)
  const open = openLines(context).filter(({ hook }) => !behind.some(({ id }) => id === hook.id))
  const count = troubled.length + open.length + behind.length
  const stopped =
    isWorkerMissing(found) &&
    html`<p class="notice bad"><strong>${overview.stopped}</strong> ${overview.stoppedText}</p>`
  const worst = troubled[0] ?? open[0]?.hook ?? context.hooks.find(({ id }) => id === behind[0]?.id)
  if (count > 0)
    return html`${stopped}<div class="notice ${troubled.length > 0 ? 'bad' : 'warn'}"><p><strong>${overview.trouble(count)}</strong></p>
<ul>
${troubled.map(hook => troubleLine(context, hook))}${open.map(({ line }) => line)}${behind.map(hook => behindLine(context, hook))}</ul>
${worst && html`<div class="actions"><a class="button primary" href="/dashboard/webhooks/${worst.id}">${overview.repair(nameOf(context.texts, worst))}</a></div>`}</div>`
  return stopped || noTrouble(context)
}

const restingCount = ({ hooks }: Context): number =>
  hooks.filter(({ active, pause_reason }) => !active && pause_reason !== null).length

/** What waits for the owner goes before what waits for its turn. */
function queueHint(context: Context, found: Overview): Html | string {
  const { overview } = context.texts
  const oldest = found.due_since ?? found.unsequenced_since
  if (found.given_up > 0) return countText(context, overview.givenUp, found.given_up, countMax)
  return oldest === null
    ? overview.queueNone
    : html`${overview.queueSince} ${when(context, oldest)}`
}

function tiles(context: Context, found: Overview, { all }: Healths): Html {
  const { overview } = context.texts
  const tile = (name: string, value: string, note: Html | string) =>
    html`<div><dt>${name}</dt><dd>${value}</dd><dd class="muted">${note}</dd></div>\n`
  const undelivered = found.pending + found.unsequenced + found.given_up
  const { faults } = context.serving
  const [lastFault] = faults.latest
  return html`<dl class="tiles">
${tile(overview.rate, percent(context, all.rate), overview.rateHint)}
${tile(overview.delivered, number(context, all.delivered), overview.deliveredHint(took(context, all)))}
${tile(
  overview.queue,
  countUpTo(context, undelivered, countMax),
  html`${queueHint(context, found)}${restingCount(context) > 0 && overview.queueResting}`,
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

/** The first steps, each with whether it is done; nothing once they are. */
function checklist(
  context: Context,
  { hasKeys, hasDelivered, hasNotices }: Progress,
): Html | false {
  const { texts, hooks } = context
  const { first } = texts
  if (hooks.length > 0 && hasKeys && hasDelivered) return false
  const [hook] = hooks
  const tested = hook ? `/dashboard/webhooks/${hook.id}#test` : '/dashboard/webhooks/new'
  const steps: [done: boolean, text: string, path: string, action: string][] = [
    [hasKeys, first.key, '/dashboard/keys#new', first.keyAction],
    [hooks.length > 0, first.hook, '/dashboard/connect', first.hookAction],
    [hasDelivered, first.test, tested, first.testAction],
    [hasNotices, first.notices, '/dashboard/notices', first.noticesAction],
  ]
  // One button in a view leads on, and a webhook in trouble goes first.
  const current = inTrouble(context).length > 0 ? -1 : steps.findIndex(([done]) => !done)
  const step = ([done, text, path, action]: (typeof steps)[number], index: number) =>
    html`<li${done && html` class="done"`}><b>${done ? html`<span aria-hidden="true">✓</span><span class="unseen">${first.done}</span>` : index + 1}</b><span>${text} ${!done && html`<a href="${path}"${index === current && html` class="button primary"`}>${action}</a>`}</span></li>\n`
  return html`<section class="card"><h2>${first.title}</h2><p>${first.text}</p>
<ol class="steps">${steps.map(step)}</ol></section>`
}

const shownMax = 5

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
<td data-name="${overview.problem}">${/^\d+$/.test(reason) ? texts.delivery.answered(Number(reason)) : texts.shortFailures[reason as keyof typeof texts.shortFailures]}</td>
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
${rows.length === 0 ? html`<p class="muted">${all.delivered > 0 ? overview.problemsNone : texts.chart.empty}</p>` : tableOf(overview.problems, columns, rows)}</section>`
}

function newest(context: Context, events: Newest): Html {
  const { texts } = context
  const rows = events.map(
    event => html`<tr><th scope="row"><a href="/dashboard/events/${event.cursor}">${eventName(texts, event.event_type)}</a></th>
<td class="long" data-name="${texts.events.about}">${event.person ?? '–'}</td>
<td data-name="${texts.events.at}">${when(context, event.occurred_at)}</td></tr>
`,
  )
  const columns = [texts.events.type, texts.events.about, texts.events.at]
  return html`<section><h2>${texts.overview.events}</h2>
${rows.length === 0 ? html`<p class="muted">${texts.events.empty}</p>` : tableOf(texts.overview.events, columns, rows)}</section>`
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
  const behind = onlyBehind(context, late)
  const hasDelivered = found.has_delivered === true || healths.all.delivered > 0
  return {
    title: texts.pages.overview,
    area: 'overview',
    isAboutTrouble: true,
    content: html`${verdict(context, found, behind)}
${checklist(context, {
  hasKeys: found.has_keys === true,
  hasDelivered,
  hasNotices: noticeSettings.channels.length > 0,
})}
${tiles(context, found, healths)}
<section class="card"><h2>${texts.overview.chart}</h2>
${chart(context, healths.all.steps)}</section>
<div class="halves">${problems(context, healths)}
${newest(context, events)}</div>`,
  }
}
