// What the owner does to a webhook. Each answers with where to go next; a new secret with the page that shows it once.
import { deliverMissed, redeliver, sendTestEvent } from '../../operations/deliveries.ts'
import { reactivateHook, rotateSecret, switchSecret } from '../../operations/hooks.ts'
import { getDelivery } from '../../operations/overview.ts'
import { TimeoutError, within } from '../../within.ts'
import type { Context, Page } from '../context.ts'
import { html } from '../html.ts'
import { copyable } from '../parts.ts'
import { pathOf } from './webhook.ts'

// A pause of weeks may have missed millions; the rest goes on its way while the owner reads.
const patienceMs = 3_000

const idOf = ({ parameters }: Context) => parameters.id ?? ''
const done = (id: string, name: string) => `${pathOf({ id })}?done=${name}`

export async function deliver(context: Context): Promise<string> {
  const { database, serving } = context
  const id = idOf(context)
  const delivering = deliverMissed(database, id)
  try {
    const count = await within(delivering, patienceMs)
    return `${done(id, 'missed')}&count=${count}`
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error
    void delivering.catch(late => serving.log.fault('deliver missed', late))
    return done(id, 'reactivated')
  }
}

export async function reactivate(context: Context): Promise<string> {
  const id = idOf(context)
  return done(id, (await reactivateHook(context.database, id)) ? 'reactivated' : 'refused')
}

/** The two clicks of a repair end here: on, and all that was missed on its way. */
export async function reactivateAndDeliver(context: Context): Promise<string> {
  await reactivateHook(context.database, idOf(context))
  return await deliver(context)
}

export async function sendTest(context: Context, fields: URLSearchParams): Promise<string> {
  const id = idOf(context)
  const sent = await sendTestEvent(context.database, id, fields.get('type'))
  return sent === null ? done(id, 'refused') : `${done(id, 'tested')}&state=delivered`
}

export async function switchToNew(context: Context): Promise<string> {
  const id = idOf(context)
  return done(id, (await switchSecret(context.database, id)) ? 'switched' : 'refused')
}

export async function rotate(context: Context): Promise<Page | null> {
  const { database, serving, texts } = context
  const { webhooks } = texts
  const id = idOf(context)
  const title = webhooks.secret
  if (serving.secretsKeys.length === 0)
    return { title, status: 503, content: html`<p class="notice bad">${webhooks.noSecretsKey}</p>` }
  const secret = await rotateSecret(database, id, serving.secretsKeys)
  if (secret === null) return null
  return {
    title,
    area: 'webhooks',
    content: html`<div class="notice good"><p><strong>${webhooks.once}</strong></p><p>${webhooks.rotateAsk}</p></div>
${copyable(context, secret, webhooks.secret)}
<p><a href="${pathOf({ id })}" role="button">${webhooks.onceDone}</a></p>`,
  }
}

/** Null: there is no such delivery. */
export async function sendAgain(context: Context): Promise<string | null> {
  const delivery = await getDelivery(context.database, Number(context.parameters.number))
  if (!delivery) return null
  const sent = await redeliver(context.database, delivery.id)
  const state = sent ? '&state=pending' : ''
  return done(delivery.subscription_id, sent ? 'redelivered' : 'refused') + state
}
