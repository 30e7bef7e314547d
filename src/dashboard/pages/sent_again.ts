// How far it is with what the owner sent again last.
import { getRedelivery } from '../../operations/deliveries.ts'
import type { HookReport } from '../../operations/overview.ts'
import type { Context } from '../context.ts'
import { type Html, html } from '../html.ts'
import { number, when } from '../parts.ts'

// Afterwards it says no more than the counts do.
const progressShownMs = 3_600_000

/** Why what is left does not go on; null: it does. */
function stalledText({ texts: { found }, worker }: Context, { active }: HookReport): string | null {
  if (!active) return found.stalledPaused
  return worker === 'works' ? null : found.stalledIdle
}

/** A bar that cannot move would say that something goes on. */
export async function sentAgain(context: Context, hook: HookReport): Promise<Html | false> {
  const { found } = context.texts
  const sent = await getRedelivery(context.database, hook.id)
  if (!sent) return false
  const { deliveries, waiting, failed, delivered, created_at } = sent
  if (waiting === 0 && Date.now() - Date.parse(created_at) > progressShownMs) return false
  const stalled = waiting > 0 ? stalledText(context, hook) : null
  const gone = deliveries - waiting - failed - delivered
  const arrived = number(context, delivered)
  const all = number(context, deliveries)
  const tone =
    waiting > 0 && stalled === null ? 'calm' : waiting + failed + gone > 0 ? 'warn' : 'good'
  return html`<section class="notice ${tone}"><p id="sent-again" role="status">${found.progress(deliveries, arrived, all)}${failed > 0 && ` ${found.failedAgain(failed, number(context, failed))}`}${gone > 0 && ` ${found.gone(gone, number(context, gone))}`}${stalled !== null && ` ${stalled}`} <small class="muted">${found.progressSince} ${when(context, created_at)}</small></p>
${waiting > 0 && stalled === null && html`<progress aria-labelledby="sent-again" value="${deliveries - waiting}" max="${deliveries}"></progress>`}</section>`
}
