// System: what runs here, what went wrong, what was done, and with which settings.

import { getOverview, isWorkerMissing } from '../../operations/overview.ts'
import { listOwnerActions, type OwnerAction } from '../../operations/owner_actions.ts'
import { inTrouble, stoppedText } from '../banner.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { hasActiveHook, unseenText } from '../layout.ts'
import { earlierOf, exactly, facts, followingAll, number, state, tableOf, when } from '../parts.ts'

function faultsPart(context: Context): Html {
  const { status } = context.texts
  const { latest, count } = context.serving.faults
  if (count === 0) return html`<h2>${status.faults}</h2><p class="muted">${status.faultsNone}</p>`
  const columns = [status.faultAt, status.faultWhere, status.faultCode, status.faultRequest]
  const rows = latest.map(
    ({ at, where, kind, requestId }) => html`<tr><th scope="row">${exactly(context, at)}</th>
<td data-name="${status.faultWhere}">${where}</td><td data-name="${status.faultCode}"><code>${kind}</code></td>
<td class="long" data-name="${status.faultRequest}">${requestId ?? '–'}</td></tr>
`,
  )
  return html`<h2>${status.faults}</h2>
<p>${status.faultsText}${count > latest.length && ` ${status.faultsAll(number(context, count), number(context, latest.length))}`}</p>
${tableOf(status.faults, columns, rows)}`
}

const actionsShown = 30
const weekMs = 604_800_000

/** Older moments are named by their date anyway. */
const isRecent = (at: string | null): boolean => at !== null && Date.now() - Date.parse(at) < weekMs

async function actionsPart(context: Context): Promise<Html> {
  const { status } = context.texts
  const actions = await listOwnerActions(context.database, actionsShown)
  if (actions.length === 0)
    return html`<h2>${status.actions}</h2><p class="muted">${status.actionsNone}</p>`
  const columns = [status.faultAt, status.action, status.subject, status.client]
  const rows = actions.map(
    ({ at, action, name, subject, client }) => html`<tr>
<th scope="row">${exactly(context, at)}${isRecent(at) && html`<br><small class="muted">${when(context, at)}</small>`}</th>
<td data-name="${status.action}">${status.actionNames[action as OwnerAction] ?? action}</td>
<td class="long" data-name="${status.subject}">${name ?? (subject === null ? '–' : status.gone)}</td>
<td data-name="${status.client}"><code>${client}</code></td></tr>
`,
  )
  return html`<h2>${status.actions}</h2>
<p>${status.actionsText}</p>
${tableOf(status.actions, columns, rows)}`
}

function settingsPart(context: Context): Html {
  const { status } = context.texts
  const { settings } = context.serving.about
  // What differs from the default comes first.
  const sorted = [
    ...settings.filter(({ source }) => source !== 'default'),
    ...settings.filter(({ source }) => source === 'default'),
  ]
  const rows = sorted.map(
    ({ name, value, source }) => html`<tr><th scope="row"><code>${name}</code></th>
<td class="long" data-name="${status.value}">${value === '' ? '–' : value}</td>
<td data-name="${status.origin}">${status.origins[source]}</td></tr>
`,
  )
  return html`<details><summary>${status.settings}</summary>
<p>${status.settingsText}</p>
${tableOf(status.settings, [status.name, status.value, status.origin], rows)}</details>`
}

// A day, as the numbers of the overview. What is older stays in the list until the next start.
const recentFaultMs = 86_400_000

type Overview = Awaited<ReturnType<typeof getOverview>>

/** Whether the service does its work, and if not, what the broker can do. */
function verdict(context: Context, found: Overview): Html {
  const { texts, serving } = context
  const { status } = texts
  if (isWorkerMissing(found)) return html`<p class="notice bad">${stoppedText(context)}</p>`
  const recent = serving.faults.latest.filter(({ at }) => Date.now() - at.getTime() < recentFaultMs)
  if (recent.length > 0)
    return html`<p class="notice warn"><strong>${status.faulty(recent.length)}</strong> ${status.faultyText}</p>`
  const running = (tone: string, text: Html | string) =>
    html`<p class="notice ${tone}"><strong>${status.idle}</strong> ${text}</p>`
  if (!hasActiveHook(context)) return running('calm', status.idleText)
  if (context.worker !== 'works') return html`<p class="notice warn">${unseenText(context)}</p>`
  return inTrouble(context).length > 0
    ? running('warn', troubles(context).join(' '))
    : html`<p class="notice good"><strong>${status.well}</strong> ${status.wellText}</p>`
}

/** Where nothing, or not everything, arrives though the worker runs. */
function troubles(context: Context): string[] {
  const { status } = context.texts
  const failing = inTrouble(context).filter(({ active }) => active).length
  const paused = inTrouble(context).length - failing
  return [
    ...(paused > 0 ? [status.pausedText(paused)] : []),
    ...(failing > 0 ? [status.failingText(failing)] : []),
  ]
}

function deliveringFact(context: Context, waiting: string | null): Html {
  const { status } = context.texts
  if (waiting !== null) return html`${state('warn', status.waits)} ${when(context, waiting)}`
  if (!hasActiveHook(context)) return state('calm', status.noHook)
  if (context.worker !== 'works') return state('warn', status.unseen)
  const found = troubles(context)
  return html`${state(found.length > 0 ? 'warn' : 'good', status.delivers)}${found.length > 0 && html`<br>${found.join(' ')}`}`
}

function technicalPart(context: Context, found: Overview): Html {
  const { status } = context.texts
  const { about } = context.serving
  const overridden = about.overridden.map(path => html`<li><code>${path}.sql</code></li>`)
  const roles = about.roles.map(role => status.roleNames[role as 'api' | 'worker'] ?? role)
  return html`<details><summary>${status.technical}</summary>
${facts([
  [status.version, about.version],
  [status.schema, about.schemaVersion],
  [status.roles, roles.join(', ')],
  [status.horizon, number(context, found.horizon)],
  [status.overrides, overridden.length > 0 ? html`<ul>${overridden}</ul>` : status.overridesNone],
])}</details>`
}

export async function statusPage(context: Context): Promise<Page> {
  const { texts, serving, database } = context
  const { about, origin } = serving
  const { status } = texts
  const found = await getOverview(database)
  const waiting = earlierOf(found.unowned_since, found.unsequenced_since)
  return {
    title: texts.pages.status,
    area: 'status',
    isAboutWorker: true,
    content: followingAll(html`${verdict(context, found)}
${facts([
  [status.delivering, deliveringFact(context, waiting)],
  [status.retention, status.days(about.retentionDays)],
  [status.address, html`<code>${origin}/api/v1</code>`],
])}
${faultsPart(context)}
${await actionsPart(context)}
${technicalPart(context, found)}
${settingsPart(context)}`),
  }
}
