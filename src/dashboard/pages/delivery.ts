// One delivery: every attempt with what the receiver answered, and what is sent.
import { listAttempts } from '../../operations/deliveries.ts'
import { getDelivery } from '../../operations/overview.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { badge, eventName, form, moment, nameOf, number, reason } from '../parts.ts'

type Delivery = NonNullable<Awaited<ReturnType<typeof getDelivery>>>
type Attempt = Awaited<ReturnType<typeof listAttempts>>[number]

const tones = { delivered: 'good', failed: 'bad', pending: 'calm', skipped: 'warn' } as const

const stateBadge = ({ texts }: Context, { state }: Delivery): Html => {
  const known = state as keyof typeof tones
  return badge(tones[known], texts.webhooks.deliveryStates[known])
}

function attemptPart(context: Context, attempt: Attempt, index: number): Html {
  const { texts } = context
  const { delivery } = texts
  const { status, error_class, excerpt, duration_ms } = attempt
  return html`<article>
<h3>${index + 1}. ${moment(context, attempt.started_at)} ${badge(error_class ? 'bad' : 'good', status === null ? delivery.noAnswer : String(status))}</h3>
${error_class && html`<p>${reason(texts, status, error_class)}</p>`}
<p class="muted">${delivery.duration}: ${number(context, duration_ms)} ms</p>
${excerpt && html`<p class="muted">${delivery.excerpt}:</p><pre class="wrap" tabindex="0"><code>${excerpt}</code></pre>`}
</article>
`
}

const facts = (context: Context, found: Delivery): Html => {
  const { texts } = context
  const { delivery } = texts
  const type = String((found.event as { event_type?: string } | null)?.event_type ?? '')
  const hook = context.hooks.find(({ id }) => id === found.subscription_id)
  return html`<dl class="facts">
<dt>Webhook</dt><dd>${hook ? html`<a href="/dashboard/webhooks/${hook.id}">${nameOf(texts, hook)}</a>` : '–'}</dd>
<dt>${texts.webhooks.event}</dt><dd>${eventName(texts, type || null)} ${found.cursor === null ? `(${delivery.test})` : ''}</dd>
<dt>${delivery.state}</dt><dd>${stateBadge(context, found)} ${moment(context, found.ended_at, ' ')}</dd>
${found.state === 'pending' && html`<dt>${delivery.next}</dt><dd>${moment(context, found.due_at)}</dd>`}
</dl>`
}

/** Null: there is no such delivery. */
export async function deliveryPage(context: Context): Promise<Page | null> {
  const { database, parameters, texts } = context
  const { delivery } = texts
  const id = Number(parameters.number)
  const [found, attempts] = await Promise.all([
    getDelivery(database, id),
    listAttempts(database, id),
  ])
  if (!found) return null
  const again = form(
    context,
    `/dashboard/deliveries/${found.id}/redeliver`,
    html`<button>${delivery.again}</button>`,
  )
  return {
    title: `${delivery.title} ${found.id}`,
    area: 'webhooks',
    content: html`${facts(context, found)}
${found.event !== null && again}
<h2>${delivery.attempts}</h2>
${attempts.length === 0 ? html`<p class="muted">${delivery.none}</p>` : attempts.map((attempt, index) => attemptPart(context, attempt, index))}
<h2>${delivery.body}</h2>
${
  found.event === null
    ? html`<p class="muted">${delivery.gone}</p>`
    : html`<p class="muted">${texts.events.personal}</p>
<pre class="wrap" tabindex="0"><code>${JSON.stringify(found.event, null, 2)}</code></pre>`
}`,
  }
}
