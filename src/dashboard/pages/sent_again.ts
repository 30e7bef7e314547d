// How far it is with what the owner sent again last.
import { getRedelivery } from '../../operations/deliveries.ts'
import type { HookReport } from '../../operations/overview.ts'
import type { Context } from '../context.ts'
import { type Html, html } from '../html.ts'
import { number, when } from '../parts.ts'

// Afterwards it says no more than the counts do.
const progressShownMs = 3_600_000

/** How far it is with what was sent again last. */
export async function sentAgain(context: Context, hook: HookReport): Promise<Html | false> {
  const { found } = context.texts
  const sent = await getRedelivery(context.database, hook.id)
  if (!sent) return false
  const { deliveries, waiting, failed, created_at } = sent
  if (waiting === 0 && Date.now() - Date.parse(created_at) > progressShownMs) return false
  const counts = [deliveries - waiting - failed, deliveries, failed] as const
  const [arrived, all, again] = counts.map(count => number(context, count)) as [
    string,
    string,
    string,
  ]
  return html`<section class="notice ${waiting > 0 ? 'calm' : failed > 0 ? 'warn' : 'good'}"><p id="sent-again" role="status">${found.progress(deliveries, arrived, all)}${failed > 0 && ` ${found.failedAgain(failed, again)}`} <small class="muted">${found.progressSince} ${when(context, created_at)}</small></p>
${waiting > 0 && html`<progress aria-labelledby="sent-again" value="${deliveries - waiting}" max="${deliveries}"></progress>`}</section>`
}
