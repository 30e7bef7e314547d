// A webhook is made and changed: its name, its address, the events it gets.

import { type EventType, isEventType } from '../../model/event_type.ts'
import { hookSources, labelLengthMax } from '../../model/hook.ts'
import { createHook, type HookRefusal, RefusedHook, updateHook } from '../../operations/hooks.ts'
import { getHookReport } from '../../operations/overview.ts'
import type { Context, Next, Page } from '../context.ts'
import { eventGroups } from '../event_groups.ts'
import { hookOf, hookPath } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import { button, copyable, describedBy, form, mistakeNotice, nameOf } from '../parts.ts'
import { choiceOf, type Given, withChanges } from './webhook_choice.ts'

const listPath = '/dashboard/webhooks'

function typeChoice({ texts }: Context, type: EventType, given: Given): Html {
  return html`<label class="tick"><input type="checkbox" name="type" value="${type}"${given.types.includes(type) && html` checked`}>${texts.eventNames[type]}
<small>${texts.eventTexts[type]} <code>${type}</code></small></label>`
}

/** Whether what was refused is the address. */
export function isOfTarget({ texts: { hookForm } }: Context, mistake: string | undefined): boolean {
  const { noTarget, badTarget, noHttps, credentials, privateTarget } = hookForm
  const known = [noTarget, badTarget, noHttps, credentials, privateTarget]
  return mistake !== undefined && known.includes(mistake)
}

function fields(context: Context, given: Given, mistake: string | undefined): Html {
  const { texts } = context
  const { hookForm } = texts
  const groups = Object.entries(eventGroups).map(
    ([
      group,
      types,
    ]) => html`<fieldset><legend>${texts.eventGroups[group as keyof typeof eventGroups]}</legend>
${types.map(type => typeChoice(context, type, given))}</fieldset>`,
  )
  return html`<label>${hookForm.label}
<input name="label" value="${given.label}" maxlength="${labelLengthMax}" autocomplete="off" placeholder="${hookForm.labelExample}"></label>
<label>${hookForm.target}
<input name="target_url" type="url" inputmode="url" value="${given.target_url}" maxlength="2048" required autocomplete="off" placeholder="https://"${describedBy('target-hint', isOfTarget(context, mistake))}>
<small id="target-hint">${hookForm.targetHint}</small></label>
<fieldset><legend>${hookForm.types}</legend>
<p class="hint">${hookForm.typesHint} <a href="/dashboard/events/catalog">${hookForm.catalog}</a></p>
<div class="groups">${groups}</div></fieldset>
<input type="hidden" name="source" value="${given.source}">`
}

const readGiven = (form: URLSearchParams): Given => ({
  label: (form.get('label') ?? '').trim(),
  target_url: (form.get('target_url') ?? '').trim(),
  types: form.getAll('type'),
  source: form.get('source') ?? 'api',
})

/** What the owner reads of an address or a webhook that is refused. */
export function mistakeOf({ texts: { hookForm } }: Context, refusal: HookRefusal): string {
  const { privateTarget, noHttps, credentials, badTarget, tooMany } = hookForm
  return {
    network: privateTarget,
    scheme: noHttps,
    credentials,
    form: badTarget,
    too_many: tooMany,
  }[refusal]
}

type Read = { mistake: string } | { types: EventType[]; label: string | null }

/** An empty label is none. */
function read(context: Context, { label, target_url, types }: Given): Read {
  const { hookForm } = context.texts
  const known = [...new Set(types)].filter(isEventType)
  if (target_url === '') return { mistake: hookForm.noTarget }
  if (known.length === 0) return { mistake: hookForm.noTypes }
  if ([...label].length > labelLengthMax || !label.isWellFormed())
    return { mistake: hookForm.badLabel }
  return { types: known, label: label === '' ? null : label }
}

/** What is refused is said on the form; all else goes on. */
async function unlessRefused<Value>(
  context: Context,
  work: Promise<Value>,
): Promise<Value | { mistake: string }> {
  try {
    return await work
  } catch (error) {
    if (error instanceof RefusedHook) return { mistake: mistakeOf(context, error.reason) }
    throw error
  }
}

const isMistake = (value: unknown): value is { mistake: string } =>
  typeof value === 'object' && value !== null && 'mistake' in value

/** What would refuse every webhook is said before the form is filled in. */
function obstacle({ texts, hooks, serving: { hookSettings } }: Context): Html | false {
  const isFull = hooks.length >= hookSettings.subscriptionsMax
  const text =
    hookSettings.secretsKeys.length === 0
      ? texts.webhooks.noSecretsKey
      : isFull && texts.hookForm.tooMany
  return text !== false && html`<p class="notice warn">${text}</p>`
}

function newPage(context: Context, given: Given, mistake?: string): Page {
  const { hookForm, pages } = context.texts
  return {
    title: hookForm.newTitle,
    area: 'webhooks',
    status: mistake ? 400 : 200,
    trail: { path: listPath, text: pages.webhooks },
    content: html`<p>${hookForm.newText}</p>
${mistake === undefined ? obstacle(context) : mistakeNotice(mistake)}
${form(
  context,
  `${listPath}/new`,
  html`${fields(context, given, mistake)}
<div class="actions">${button(hookForm.create, 'primary')}<a href="${listPath}">${hookForm.cancel}</a></div>`,
  { once: true, keeps: true },
)}`,
  }
}

/** The set-up pages name what it is for. */
export async function newHookPage(context: Context): Promise<Page> {
  const { searchParams } = context.url
  const label = (searchParams.get('label') ?? '').slice(0, labelLengthMax)
  const source = hookSources.find(one => one === searchParams.get('source')) ?? 'api'
  return newPage(context, { label, target_url: '', types: [], source })
}

export async function makeHook(context: Context, fields: URLSearchParams): Promise<Page> {
  const { database, serving, texts } = context
  const given = readGiven(fields)
  if (serving.hookSettings.secretsKeys.length === 0)
    return newPage(context, given, texts.webhooks.noSecretsKey)
  const wanted = read(context, given)
  if (isMistake(wanted)) return newPage(context, given, wanted.mistake)
  const input = {
    target_url: given.target_url,
    event_types: wanted.types,
    label: wanted.label,
    source: hookSources.find(one => one === given.source) ?? 'api',
  }
  const made = await unlessRefused(context, createHook(database, input, serving.hookSettings))
  if (isMistake(made)) return newPage(context, given, made.mistake)
  const hook = JSON.parse(made) as { id: string; target_url: string; signing_secret: string }
  await context.note('hook_created', hook.id)
  return shownOnce(context, { ...hook, label: wanted.label })
}

function shownOnce(
  context: Context,
  hook: { id: string; label: string | null; target_url: string; signing_secret: string },
): Page {
  const { hookForm, webhooks } = context.texts
  return {
    title: hookForm.madeTitle(nameOf(context.texts, hook)),
    area: 'webhooks',
    isOnce: true,
    content: html`<div class="notice good"><p><strong>${hookForm.made}</strong></p><p>${hookForm.secretText}</p></div>
${copyable(context, hook.signing_secret, webhooks.secret)}
<p>${hookForm.next}</p>
<div class="actions"><a class="button primary" href="${hookPath(hook.id)}" data-seen>${webhooks.onceDone}</a></div>`,
  }
}

/** `shown` is what the owner chose from: another tab may have changed it since. */
function changePage(
  context: Context,
  id: string,
  given: Given,
  { mistake, shown }: { mistake?: string; shown: string },
): Page {
  const { hookForm } = context.texts
  const hook = hookOf(context, id)
  return {
    title: hookForm.changeTitle,
    area: 'webhooks',
    status: mistake ? 400 : 200,
    trail: { path: hookPath(id), text: hook ? nameOf(context.texts, hook) : '' },
    content: html`${mistakeNotice(mistake)}
${form(
  context,
  hookPath(id, '/edit'),
  html`${fields(context, given, mistake)}
<input type="hidden" name="shown" value="${shown}">
<div class="actions">${button(hookForm.save, 'primary')}<a href="${hookPath(id)}">${hookForm.cancel}</a></div>`,
  { keeps: true },
)}`,
  }
}

/** Null: there is no such webhook. */
async function currentOf({ database }: Context, id: string): Promise<Given | null> {
  const hook = await getHookReport(database, id)
  if (!hook) return null
  const { label, target_url, event_types, source } = hook
  return { label: label ?? '', target_url, types: event_types, source }
}

export async function changeHookPage(context: Context): Promise<Page | null> {
  const id = context.parameters.id ?? ''
  const current = await currentOf(context, id)
  return current && changePage(context, id, current, { shown: choiceOf(current) })
}

export async function changeHook(
  context: Context,
  fields: URLSearchParams,
): Promise<Page | Next | null> {
  const { database, serving, parameters, texts } = context
  const id = parameters.id ?? ''
  const given = readGiven(fields)
  const current = await currentOf(context, id)
  if (!current) return null
  const now = choiceOf(current)
  const shown = fields.get('shown') ?? now
  const again = (mistake: string) => changePage(context, id, given, { mistake, shown })
  // Sent twice, it finds what it wants.
  if (shown !== now && choiceOf(given) !== now)
    return changePage(context, id, withChanges(current, given, shown), {
      mistake: texts.hookForm.changed,
      shown: now,
    })
  const wanted = read(context, given)
  if (isMistake(wanted)) return again(wanted.mistake)
  const change = {
    target_url: given.target_url,
    event_types: wanted.types,
    label: wanted.label,
  }
  const changed = await unlessRefused(
    context,
    updateHook(database, id, change, serving.hookSettings),
  )
  if (isMistake(changed)) return again(changed.mistake)
  if (!changed) return null
  await context.note('hook_changed', id)
  return { path: hookPath(id), done: { name: 'changed' } }
}
