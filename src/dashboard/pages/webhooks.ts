// Webhooks: all of them, those that need the owner first; and the form that makes one.
import { type EventType, isEventType } from '../../model/event_type.ts'
import { type HookSource, labelLengthMax } from '../../model/hook.ts'
import { readTargetUrl } from '../../model/target_url.ts'
import { createHook, RefusedHook } from '../../operations/hooks.ts'
import type { Act, Context, DashboardPage } from '../context.ts'
import { hookForm as hookForms, hookTable } from '../hook_parts.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { eventGroupNames, eventGroups } from './events.ts'

const path = '/dashboard/webhooks'
export async function webhooksPage(context: Context): Promise<DashboardPage> {
  const { texts, hooks } = context
  const { webhooks } = texts
  return {
    title: texts.pages.webhooks,
    area: 'webhooks',
    actions: html`<a class="button primary" href="${path}/new">${webhooks.make}</a>`,
    liveMs: 10_000,
    content: html`${ui.doneNotice(context, webhooks.done)}
<p>${webhooks.intro}</p>
${hookTable(context, hooks, webhooks.empty)}`,
  }
}

/** What is to be connected: the name and the source of its webhook, and which events it usually wants. */
const kinds = {
  crm: ['CRM', 'api', ['leads', 'analyses', 'appointments']],
  zapier: ['Zapier', 'zapier', ['leads']],
  make: ['Make', 'make', ['leads']],
  own: ['', 'api', []],
} as const satisfies Record<
  string,
  readonly [string, HookSource, readonly (keyof typeof eventGroups)[]]
>
type Kind = keyof typeof kinds

const kindOf = ({ url }: Context): Kind => {
  const asked = url.searchParams.get('for') ?? ''
  return Object.hasOwn(kinds, asked) ? (asked as Kind) : 'crm'
}

type Given = { label: string; target_url: string; types: readonly string[] }

export const typeTicks = ({ texts }: Context, types: readonly string[], mistake?: string): Html =>
  ui.ticks(
    texts.hookForm.types,
    html`<p class="hint">${texts.hookForm.typesHint}</p>
<p data-all hidden><button type="button" class="plain">${texts.hookForm.all}</button></p>
<div class="groups">${eventGroupNames.map(
      group => html`<fieldset><legend>${texts.eventGroups[group]}</legend>
${eventGroups[group].map((type: EventType) => ui.tick('type', { value: type, text: texts.eventNames[type], isOn: types.includes(type), note: texts.eventTexts[type] }))}</fieldset>`,
    )}</div>`,
    mistake,
  )

export const labelField = ({ texts }: Context, value: string, mistake?: string): Html =>
  ui.field({
    name: 'label',
    label: texts.hookForm.label,
    value,
    lengthMax: labelLengthMax,
    placeholder: 'CRM',
    mistake,
  })

export const targetField = ({ texts }: Context, value: string, mistake?: string): Html =>
  ui.field({
    name: 'target_url',
    type: 'url',
    label: texts.hookForm.target,
    value,
    hint: texts.hookForm.targetHint,
    placeholder: 'https://',
    lengthMax: 2_048,
    isRequired: true,
    mistake,
  })

export const chosenTypes = (fields: URLSearchParams): EventType[] =>
  [...new Set(fields.getAll('type'))].filter(isEventType)

/** What is wrong with a name or a choice of events. */
export const mistakesOf = (
  { texts: { hookForm } }: Context,
  label: string,
  types: readonly string[],
): ui.Mistakes => ({
  types: types.length > 0 ? undefined : hookForm.noTypes,
  label:
    [...label].length <= labelLengthMax && label.isWellFormed() ? undefined : hookForm.badLabel,
})

/** What the owner reads of an address that is refused; undefined: it is not. */
export function targetMistake({ texts, serving }: Context, target: string): string | undefined {
  const { privateTarget, noHttps, credentials, badTarget, noTarget } = texts.hookForm
  if (target === '') return noTarget
  const read = readTargetUrl(target, serving.hookSettings.allowedNetworks)
  const byReason = { network: privateTarget, scheme: noHttps, form: badTarget, credentials }
  return 'refused' in read ? byReason[read.reason] : undefined
}

/** What would refuse every webhook. */
const obstacle = ({ texts, serving }: Context): string | undefined =>
  serving.hookSettings.secretsKeys.length === 0 ? texts.webhooks.noSecretsKey : undefined

function newPage(context: Context, given: Given, mistakes: ui.Mistakes = {}): DashboardPage {
  const { texts } = context
  const { hookForm } = texts
  const kind = kindOf(context)
  const content = html`${labelField(context, given.label, mistakes.label)}
${targetField(context, given.target_url, mistakes.target_url)}
${typeTicks(context, given.types, mistakes.types)}
<div class="actions">${ui.button(hookForm.create, 'primary')}<a href="${path}">${hookForm.cancel}</a></div>`
  const choice = (one: Kind) =>
    html`<li><a href="${path}/new?for=${one}"${one === kind && html` aria-current="true"`}>${hookForm.kinds[one]}</a></li>`
  return {
    title: hookForm.newTitle,
    area: 'webhooks',
    status: ui.hasMistakes(mistakes) ? 400 : 200,
    trail: { path, text: texts.pages.webhooks },
    content: html`<ul class="chips" aria-label="${hookForm.kind}">${(Object.keys(kinds) as Kind[]).map(choice)}</ul>
<p>${hookForm.steps[kind]}</p>
${ui.mistakeNotice(mistakes.all ?? obstacle(context))}
${ui.form(context, `${path}/new?for=${kind}`, content)}`,
  }
}

export async function newHookPage(context: Context): Promise<DashboardPage> {
  const [label, , groups] = kinds[kindOf(context)]
  const types = groups.flatMap(group => [...eventGroups[group]])
  return newPage(context, { label, target_url: '', types })
}

export const makeHook: Act = async (context, fields) => {
  const { database, serving, texts } = context
  const label = (fields.get('label') ?? '').trim()
  const target_url = (fields.get('target_url') ?? '').trim()
  const event_types = chosenTypes(fields)
  const given = { label, target_url, types: event_types }
  const mistakes = {
    ...mistakesOf(context, label, event_types),
    target_url: targetMistake(context, target_url),
    all: obstacle(context),
  }
  if (ui.hasMistakes(mistakes)) return newPage(context, given, mistakes)
  const input = { target_url, event_types, label: label || null, source: kinds[kindOf(context)][1] }
  try {
    const made = await createHook(database, input, serving.hookSettings)
    return await shownOnce(context, { ...JSON.parse(made), label: input.label })
  } catch (error) {
    if (!(error instanceof RefusedHook)) throw error
    return newPage(context, given, { all: texts.hookForm.tooMany })
  }
}

type Made = { id: string; label: string | null; target_url: string; signing_secret: string }

async function shownOnce(context: Context, hook: Made): Promise<DashboardPage> {
  const { texts, serving } = context
  const { hookForm, webhooks } = texts
  const host = new URL(hook.target_url).hostname
  const isKnown = await serving.isResolved(host)
  const test = html`<button class="primary" data-seen>${webhooks.test}</button>`
  return ui.shownOnce(context, [webhooks.secret, hook.signing_secret], {
    title: hookForm.madeTitle(ui.nameOf(texts, hook)),
    area: 'webhooks',
    said: html`<p><strong>${hookForm.made}</strong></p><p>${webhooks.secretText}</p>`,
    more: html`${!isKnown && ui.notice('warn', hookForm.unknownHost(host))}
<p>${hookForm.next}</p>`,
    actions: html`${hookForms(context, hook, 'test', test)}
<a class="button" href="${ui.hookPath(hook.id)}" data-seen>${webhooks.onceDone}</a>`,
  })
}
