// Webhooks for which an event is, how far that came, and a button that sends it.

import { listEventReceivers } from '../../operations/overview.ts'
import type { Context } from '../context.ts'
import { hookOf, hookPath } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import { button, form, nameOf, number, tableOf, when } from '../parts.ts'
import { deliveryStatePart } from './delivery.ts'

type Receiver = Awaited<ReturnType<typeof listEventReceivers>>[number]

// What needs the owner goes before what goes by itself.
const byUrgency = ['failed', 'skipped', 'pending', 'delivered', null] as const

// More would push the content of the event away. So many are on a page at a glance.
const glanceMax = 10

function row(context: Context, { cursor, subscription_id, state, ended_at }: Receiver): Html[] {
  const { texts } = context
  const { events } = texts
  const hook = hookOf(context, subscription_id)
  if (!hook) return []
  const path = hookPath(hook.id, `/deliveries/${cursor}`)
  const name = nameOf(texts, hook)
  const isEnded = state === 'delivered' || state === 'failed'
  const isSendable = hook.active && state !== 'pending'
  return [
    html`<tr><th scope="row">${state ? html`<a href="${path}">${name}</a>` : name}</th>
<td data-name="${texts.keys.state}">${state ? deliveryStatePart(context, { state }, hook) : html`<span class="muted">${events.neverSent}</span>`}</td>
<td data-name="${events.at}">${when(context, ended_at, '–')}</td>
<td class="act">${isSendable && form(context, `${path}/redeliver`, button(isEnded ? texts.delivery.again : texts.delivery.now))}</td></tr>
`,
  ]
}

/** How many webhooks are in each state, where one does not see that at a glance. */
function summary({ texts }: Context, found: readonly Receiver[]): Html {
  const counts = byUrgency.flatMap(state => {
    const count = found.filter(one => one.state === state).length
    const name = state === null ? texts.events.neverSent : texts.delivery.states[state]
    return count === 0 ? [] : [`${number({ texts }, count)} ${name}`]
  })
  return html`<p>${texts.events.allWebhooks(number({ texts }, found.length))} ${counts.join(', ')}.</p>`
}

export async function receivers(context: Context, cursor: number): Promise<Html> {
  const { texts, database } = context
  const { events } = texts
  const rank = ({ state }: Receiver) => (byUrgency as readonly unknown[]).indexOf(state)
  const names = new Map(context.hooks.map(hook => [hook.id, nameOf(texts, hook)]))
  const nameIn = ({ subscription_id }: Receiver) => names.get(subscription_id) ?? ''
  const found = (await listEventReceivers(database, [cursor])).toSorted(
    (one, other) =>
      rank(one) - rank(other) ||
      nameIn(one).localeCompare(nameIn(other), texts.language, { numeric: true }),
  )
  const rows = found.flatMap(one => row(context, one))
  if (rows.length === 0) return html`<p class="muted">${events.noReceivers}</p>`
  const columns = [texts.webhooks.name, texts.keys.state, events.at, events.action]
  const rest = rows.slice(glanceMax)
  const more = events.moreWebhooks(rest.length)
  return html`${rest.length > 0 && summary(context, found)}
${tableOf(events.receivers, columns, rows.slice(0, glanceMax))}
${rest.length > 0 && html`<details><summary>${more}</summary>${tableOf(more, columns, rest)}</details>`}`
}
