// API-Schlüssel: make, see what each asks for, renew, revoke. A new key is in the answer that makes it and on no other page.
import { isKeyLabel, keyLabelLengthMax } from '../../model/api_key.ts'
import { defaultScopes, isScope, type Scope, scopes } from '../../model/scope.ts'
import { type KeyReport, listKeyReports } from '../../operations/key_usage.ts'
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../operations/keys.ts'
import { chart } from '../chart.ts'
import type { Act, Context, DashboardPage } from '../context.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { toTheMinute, when } from '../times.ts'

const path = '/dashboard/keys'
type Key = Awaited<ReturnType<typeof listApiKeys>>[number]
const dayMs = 86_400_000
const soonMs = 14 * dayMs
const overlapMs = dayMs
const keysPerPage = 25

type Given = { label: string; scopes: readonly string[]; expires: string }

const reading: Scope[] = defaultScopes.filter(scope => scope !== 'read:events')
// As few rights as possible: a preset ticks what its application needs.
const fresh: Given = { label: '', scopes: ['read:leads'], expires: '' }

/** What applications usually need. */
const presets = {
  crm: reading,
  zapier: ['read:leads', 'read:events', 'write:hooks'],
  assistant: [...reading, 'read:signals'],
} satisfies Record<string, Scope[]>
type Preset = keyof typeof presets
const isPreset = (text: string): text is Preset => Object.hasOwn(presets, text)

function scopeTick({ texts }: Context, scope: Scope, given: Given): Html {
  const { scopeNames, keys } = texts
  const warning = { 'read:events': keys.warnEvents, 'write:hooks': keys.warnHooks }[scope as string]
  const isOn = given.scopes.includes(scope)
  return ui.tick('scope', {
    value: scope,
    text: html`${scopeNames[scope]} <code class="muted">${scope}</code>`,
    isOn,
    ...(warning && { note: html`<span class="warning warn">${warning}</span>` }),
  })
}

function newKeyForm(context: Context, given: Given, mistakes: ui.Mistakes): Html {
  const { keys } = context.texts
  const chosen = context.url.searchParams.get('preset')
  const presetLinks = (Object.keys(presets) as Preset[]).map(
    preset =>
      html`<li><a href="${path}?preset=${preset}#new"${preset === chosen && html` aria-current="true"`}>${keys.presetNames[preset]}</a></li>`,
  )
  const expiries = Object.entries(keys.expiry)
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(([value, text]) => ({ value, text, isOn: value === given.expires }))
  const label = ui.field({
    name: 'label',
    label: keys.label,
    value: given.label,
    hint: keys.labelHint,
    lengthMax: keyLabelLengthMax,
    isRequired: true,
    mistake: mistakes.label,
  })
  const ticks = html`${scopes.map(scope => scopeTick(context, scope, given))}`
  const content = html`${label}
${ui.ticks(keys.scopes, ticks, mistakes.scopes)}
${ui.select(keys.expires, 'expires', expiries)}
${ui.button(keys.create, 'primary')}`
  const isOpen = given.label !== '' || ui.hasMistakes(mistakes)
  return html`<details class="card" id="new"${isOpen && html` open`}><summary class="button primary">${keys.create}</summary>
<p>${keys.intro}</p>
<ul class="chips" aria-label="${keys.presets}">${presetLinks}</ul>
${ui.form(context, path, content)}</details>`
}

const isOver = ({ revoked_at, expires_at }: Key) =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now())

function keyState(context: Context, key: Key, all: readonly Key[] = []): Html {
  const { keys } = context.texts
  const { revoked_at, expires_at } = key
  if (revoked_at) return html`${ui.state('calm', keys.revoked)} ${when(context, revoked_at)}`
  if (expires_at === null) return ui.state('good', keys.live)
  if (isOver(key)) return html`${ui.state('calm', keys.expired)} ${when(context, expires_at)}`
  // The key that was made to take its place.
  const successor = all.find(
    one => one.label === key.label && one.created_at > key.created_at && !isOver(one),
  )
  if (successor)
    return html`${ui.state('warn', keys.replaced(`${successor.prefix}…`))} ${toTheMinute(context, expires_at)}`
  return Date.parse(expires_at) - Date.now() < soonMs
    ? html`${ui.state('warn', keys.soon)} ${when(context, expires_at)}`
    : html`${ui.state('good', keys.until)} ${toTheMinute(context, expires_at)}`
}

/** Renewing and revoking; of two keys of one name the beginning differs. */
function keyActions(context: Context, { id, label, prefix }: Key, all: readonly Key[]): Html {
  const { keys } = context.texts
  const isShared = all.some(other => other.id !== id && other.label === label && !isOver(other))
  const name = isShared ? `${label} (${prefix}…)` : label
  const act = (action: 'rotate' | 'revoke', ask: string, sure: Html) =>
    ui.folded(
      html`<span aria-label="${keys[action]}: ${name}">${keys[action]}</span>`,
      html`<p>${ask}</p>${ui.form(context, `${path}/${id}/${action}`, sure)}`,
    )
  return html`<div class="row">${act('rotate', keys.rotateAsk(name), ui.button(keys.rotateSure))}
${act('revoke', keys.revokeAsk(name), ui.button(keys.revokeSure, 'danger'))}</div>`
}

const codeText = ({ texts }: Pick<Context, 'texts'>, code: string): string => {
  const known = (texts.codes as Record<string, string>)[code]
  return known === undefined ? code : `${known} (${code})`
}

function usagePart(context: Context, { hours, total, commonest, last }: KeyReport): Html {
  const { keys } = context.texts
  const { answered, refused, limited } = total
  if (answered + refused + limited === 0) return html`<p class="muted">${keys.unused}</p>`
  const names = [keys.answered, keys.limited, keys.refused]
  const limit = ui.number(context, context.serving.about.requestsPerMinuteMax)
  return html`${chart(context, hours, hour => [hour.answered, hour.limited, hour.refused], names)}
<p>${limited > 0 ? keys.overLimit(limit, ui.number(context, limited)) : keys.withinLimit(limit)}
${commonest !== null && html`<br>${keys.commonest} ${codeText(context, commonest)}.`}
${last !== null && html`<br>${keys.lastRefusal} ${when(context, last.at)}: <code>${last.route}</code>, ${codeText(context, last.code)}.`}</p>`
}

function keyCard(context: Context, key: Key, all: readonly Key[], report: KeyReport): Html {
  const { texts } = context
  const { keys } = texts
  const rights = key.scopes.map(scope => texts.scopeShort[scope as Scope] ?? scope).join(', ')
  return html`<section class="card" id="key-${key.id}"><div class="head"><h2>${key.label}</h2><code class="muted">${key.prefix}…</code></div>
${ui.facts([
  [texts.state, keyState(context, key, all)],
  [keys.lastUsed, when(context, key.last_used_at)],
  [keys.scopes, rights, 'wide'],
])}
<h3>${keys.usage}</h3>
${usagePart(context, report)}
${keyActions(context, key, all)}</section>
`
}

function overTable(context: Context, keys: Key[]): Html | false {
  const { texts } = context
  const title = texts.keys.over(keys.length)
  const name = ({ label, prefix }: Key) => html`${label} <code class="muted">${prefix}…</code>`
  const shown = ui.table<Key>(title, keys.slice(0, 2 * keysPerPage), [
    [texts.keys.label, name, 'head'],
    [texts.state, key => keyState(context, key)],
    [texts.keys.lastUsed, key => when(context, key.last_used_at)],
  ])
  return keys.length > 0 && ui.folded(title, shown)
}

async function page(
  context: Context,
  given: Given,
  mistakes: ui.Mistakes = {},
): Promise<DashboardPage> {
  const { texts, database, serving, url } = context
  await serving.recordUsage()
  const all = await listApiKeys(database)
  const live = all.filter(key => !isOver(key))
  const asked = Math.floor(Number(url.searchParams.get('page')))
  const at = Math.min(Math.max(asked || 1, 1), Math.ceil(live.length / keysPerPage) || 1)
  const shown = live.slice((at - 1) * keysPerPage, at * keysPerPage)
  const ids = shown.map(({ id }) => id)
  const reportOf = await listKeyReports(database, ids)
  const left = live.length - at * keysPerPage
  const isPlain = given === fresh && !ui.hasMistakes(mistakes)
  return {
    title: texts.pages.keys,
    area: 'keys',
    status: ui.hasMistakes(mistakes) ? 400 : 200,
    liveMs: isPlain && 10_000,
    content: html`${ui.doneNotice(context, texts.keys.done)}
${newKeyForm(context, given, mistakes)}
${shown.length === 0 && html`<p class="muted">${texts.keys.empty}</p>`}
<div class="halves">${shown.map(key => keyCard(context, key, all, reportOf(key.id)))}</div>
${(at > 1 || left > 0) && html`<p class="actions">${at > 1 && html`<a href="${path}">${texts.newest}</a>`} ${left > 0 && html`<a href="${path}?page=${at + 1}">${texts.keys.further(ui.number(context, left))}</a>`}</p>`}
${overTable(context, all.filter(isOver))}`,
  }
}

export const keysPage = (context: Context): Promise<DashboardPage> => {
  const preset = context.url.searchParams.get('preset') ?? ''
  if (!isPreset(preset)) return page(context, fresh)
  const label = context.texts.keys.presetLabels[preset]
  return page(context, { label, scopes: presets[preset], expires: '' })
}

function shownOnce(context: Context, key: string, made: Html | string): DashboardPage {
  const { texts, serving } = context
  const { keys } = texts
  const tryIt = `curl -H "Authorization: Bearer ${key}" "${serving.origin}/api/v1/leads?limit=5"`
  return ui.shownOnce(context, [keys.new, key], {
    title: keys.new,
    area: 'keys',
    said: html`<p>${made}</p><p><strong>${keys.once}</strong></p>`,
    more: ui.folded(keys.tryIt, ui.copyable(context, tryIt, keys.tryIt)),
    actions: html`<a href="${path}" class="button primary" data-seen>${keys.onceDone}</a>`,
  })
}

export const createKey: Act = async (context, fields) => {
  const { keys } = context.texts
  const expires = fields.get('expires') ?? ''
  const given: Given = {
    label: (fields.get('label') ?? '').trim(),
    scopes: fields.getAll('scope'),
    // Of a form that is not ours: a key that never expires is not what it asked for.
    expires: Object.hasOwn(keys.expiry, expires) ? expires : '30',
  }
  const chosen = [...new Set(given.scopes)].filter(isScope)
  const mistakes = {
    label: isKeyLabel(given.label) ? undefined : keys.badLabel,
    scopes: chosen.length > 0 ? undefined : keys.badScopes,
  }
  if (ui.hasMistakes(mistakes)) return page(context, given, mistakes)
  const days = Number(given.expires)
  const { key } = await createApiKey(context.database, {
    label: given.label,
    scopes: chosen,
    expires_at: days === 0 ? null : new Date(Date.now() + days * dayMs),
  })
  return shownOnce(context, key, keys.made(given.label))
}

/** The old one goes on for a day. Null: it is over already. */
export const rotateKey: Act = async context => {
  const { keys } = context.texts
  const id = context.parameters.id ?? ''
  const key = await rotateApiKey(context.database, id, overlapMs)
  if (key === null) return null
  const before = (await listApiKeys(context.database)).find(one => one.id === id)
  const ends = toTheMinute(context, before?.expires_at ?? null)
  return shownOnce(
    context,
    key,
    html`${keys.renewed(before?.label ?? '')} ${ends}. ${keys.renewedNext}`,
  )
}

export const revokeKey: Act = async context => {
  const id = context.parameters.id ?? ''
  const revoked = await revokeApiKey(context.database, id)
  return { path, done: { name: 'revoked', count: revoked.length } }
}
