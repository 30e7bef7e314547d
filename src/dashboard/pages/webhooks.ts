// Webhooks: all of them, those that need the owner first; and the form that makes one.
import { type EventType, isEventType } from '../../model/event_type.ts'
import { type HookSource, labelLengthMax } from '../../model/hook.ts'
import { readTargetUrl } from '../../model/target_url.ts'
import { createHook, RefusedHook } from '../../operations/hooks.ts'
import type { Context, DashboardPage } from '../context.ts'
import { eventGroupNames, eventGroups } from '../event_groups.ts'
import { hookForm as hookForms, hookTable } from '../hook_parts.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'

const path = '/dashboard/webhooks'
export async function webhooksPage(context: Context): Promise<DashboardPage> {
  const { texts, hooks } = context
  const { webhooks } = texts
  return {
    title: texts.pages.webhooks,
    area: 'webhooks',
    actions: html`<a class="button primary" href="${path}/new">${webhooks.make}</a>`,
    live: { path, everyMs: 10_000 },
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
const isKind = (text: string): text is Kind => Object.hasOwn(kinds, text)

type Given = { label: string; target_url: string; types: readonly string[]; kind: Kind }

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

export const labelField = (
  { texts: { hookForm } }: Context,
  value: string,
  mistake?: string,
): Html =>
  ui.field({
    name: 'label',
    label: hookForm.label,
    value,
    lengthMax: labelLengthMax,
    placeholder: 'CRM',
    mistake,
  })

export const targetField = (
  { texts: { hookForm } }: Context,
  value: string,
  mistake?: string,
): Html =>
  ui.field({
    name: 'target_url',
    type: 'url',
    label: hookForm.target,
    value,
    hint: hookForm.targetHint,
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
function obstacle({ texts, hooks, serving: { hookSettings } }: Context): string | undefined {
  if (hookSettings.secretsKeys.length === 0) return texts.webhooks.noSecretsKey
  return hooks.length >= hookSettings.subscriptionsMax ? texts.hookForm.tooMany : undefined
}

function newPage(context: Context, given: Given, mistakes: ui.Mistakes = {}): DashboardPage {
  const { texts } = context
  const { hookForm } = texts
  const { kind } = given
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
${ui.form(
  context,
  `${path}/new?for=${kind}`,
  html`${ui.hidden('kind', kind)}${labelField(context, given.label, mistakes.label)}
${targetField(context, given.target_url, mistakes.target_url)}
${typeTicks(context, given.types, mistakes.types)}
<div class="actions">${ui.button(hookForm.create, 'primary')}<a href="${path}">${hookForm.cancel}</a></div>`,
)}`,
  }
}

export async function newHookPage(context: Context): Promise<DashboardPage> {
  const asked = context.url.searchParams.get('for') ?? ''
  const kind = isKind(asked) ? asked : 'crm'
  const [label, , groups] = kinds[kind]
  const types = groups.flatMap(group => [...eventGroups[group]])
  return newPage(context, { label, target_url: '', types, kind })
}

/** Another window made the last one that was allowed. */
function refuseFull(error: unknown): null {
  if (error instanceof RefusedHook) return null
  throw error
}

export async function makeHook(context: Context, fields: URLSearchParams): Promise<DashboardPage> {
  const { database, serving } = context
  const asked = fields.get('kind') ?? ''
  const given: Given = {
    label: (fields.get('label') ?? '').trim(),
    target_url: (fields.get('target_url') ?? '').trim(),
    types: chosenTypes(fields),
    kind: isKind(asked) ? asked : 'own',
  }
  const all = obstacle(context)
  if (all !== undefined) return newPage(context, given, { all })
  const { label, types, target_url } = given
  const mistakes = {
    ...mistakesOf(context, label, types),
    target_url: targetMistake(context, target_url),
  }
  if (ui.hasMistakes(mistakes)) return newPage(context, given, mistakes)
  const input = {
    target_url,
    event_types: given.types as EventType[],
    label: label === '' ? null : label,
    source: kinds[given.kind][1],
  }
  const made = await createHook(database, input, serving.hookSettings).catch(refuseFull)
  if (made === null) return newPage(context, given, { all: context.texts.hookForm.tooMany })
  const hook = JSON.parse(made) as { id: string; target_url: string; signing_secret: string }
  return await shownOnce(context, { ...hook, label: input.label })
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
