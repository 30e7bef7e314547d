// Webhooks: all of them, with the state of each at a glance.
import { type HookReport, listHookReports } from '../../operations/overview.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { badge, moment, nameOf, number } from '../parts.ts'

export type HookState = 'ok' | 'idle' | 'retrying' | 'failing' | 'paused'

export function hookState(hook: HookReport): HookState {
  if (!hook.active) return 'paused'
  if (hook.consecutive_failures > 0) return 'failing'
  const { failure_at, delivered_at } = hook
  if (failure_at && (!delivered_at || failure_at > delivered_at)) return 'retrying'
  return delivered_at ? 'ok' : 'idle'
}

const tones = { ok: 'good', idle: 'calm', retrying: 'warn', failing: 'bad', paused: 'bad' } as const

export const stateBadge = ({ texts }: Context, hook: HookReport): Html =>
  badge(tones[hookState(hook)], texts.webhooks.states[hookState(hook)])

const row = (context: Context, hook: HookReport): Html => {
  const { webhooks } = context.texts
  return html`<tr>
<th scope="row"><a href="/dashboard/webhooks/${hook.id}">${nameOf(context.texts, hook)}</a><br><small class="muted">${new URL(hook.target_url).host}</small></th>
<td class="state" data-name="${context.texts.keys.state}">${stateBadge(context, hook)}</td>
<td data-name="${webhooks.types}">${number(context, hook.event_types.length)}</td>
<td data-name="${webhooks.last}">${moment(context, hook.delivered_at)}</td>
</tr>
`
}

export async function webhooksPage(context: Context): Promise<Page> {
  const { texts, database } = context
  const reports = await listHookReports(database)
  const { webhooks } = texts
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="${texts.pages.webhooks}"><table class="cards">
<thead><tr><th scope="col">${texts.pages.webhooks}</th><th scope="col">${texts.keys.state}</th><th scope="col">${webhooks.types}</th><th scope="col">${webhooks.last}</th></tr></thead>
<tbody>
${reports.map(hook => row(context, hook))}
</tbody></table></div>`
  return {
    title: texts.pages.webhooks,
    area: 'webhooks',
    content: html`<p>${webhooks.intro}</p>
${
  reports.length > 0
    ? table
    : html`<p class="muted">${webhooks.empty}</p>
<p><a href="/dashboard/connect" role="button">${webhooks.emptyLink}</a></p>`
}`,
  }
}
