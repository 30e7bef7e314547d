// API-Schlüssel: list, make, renew, revoke. A new key is in the answer that makes it and on no other page.
import { ApiError } from '../../errors.ts'
import { isKeyLabel, keyLabelLengthMax } from '../../model/api_key.ts'
import { defaultScopes, isScope, type Scope, scopes } from '../../model/scope.ts'
import { countKeyRequests } from '../../operations/key_requests.ts'
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../operations/keys.ts'
import type { Context, Next, Page } from '../context.ts'
import { doneNotice } from '../done.ts'
import { type Html, html } from '../html.ts'
import {
  button,
  copyable,
  describedBy,
  form,
  mistakeNotice,
  number,
  tableOf,
  toTheMinute,
  when,
} from '../parts.ts'
import { isKeyOver, isNameShared, type Key, keyActions, keyState } from './key_parts.ts'

type Given = { label: string; scopes: string[]; expires: string }

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

const dayMs = 86_400_000
const overlapMs = dayMs
const keysPerPage = 50

const shortScope = ({ texts }: Context, scope: string): string =>
  (texts.scopeShort as Record<string, string>)[scope] ?? scope

/** To the first page, and on with how many are left. */
function pageLinks(context: Context, page: number, all: number): Html {
  const { texts } = context
  const left = all - page * keysPerPage
  return html`<p class="pages">${page > 1 && html`<a href="/dashboard/keys">${texts.keys.first}</a>`}
${left > 0 && html`<a href="/dashboard/keys?page=${page + 1}">${texts.keys.further(number(context, left))}</a>`}</p>`
}

async function table(context: Context, rows: Key[]): Promise<Html> {
  const { texts, url } = context
  const { keys } = texts
  if (rows.length === 0) return html`<p class="muted">${keys.empty}</p>`
  // Valid keys come first.
  const sorted = [...rows.filter(row => !isKeyOver(row)), ...rows.filter(isKeyOver)]
  const page = Math.max(1, Math.min(Number(url.searchParams.get('page')) || 1, 1_000))
  const first = (Math.floor(page) - 1) * keysPerPage
  const visible = sorted.slice(first, first + keysPerPage)
  const countOf = await countKeyRequests(
    context.database,
    visible.map(({ id }) => id),
  )
  const since = (row: Key) =>
    !isKeyOver(row) &&
    isNameShared(row, rows) &&
    html`<br><small class="muted">${keys.created} ${when(context, row.created_at)}</small>`
  const shown = visible.map(
    row => html`<tr${isKeyOver(row) && html` class="over"`}>
<th scope="row"><a href="/dashboard/keys/${row.id}">${row.label}</a><br><small class="muted mono">${row.prefix}…</small>${since(row)}</th>
<td data-name="${keys.scopes}">${row.scopes.map(scope => shortScope(context, scope)).join(', ')}</td>
<td data-name="${keys.state}">${keyState(context, row)}</td>
<td data-name="${keys.lastUsed}">${when(context, row.last_used_at)}</td>
<td class="number" data-name="${keys.day}">${number(context, countOf(row.id))}</td>
<td class="act">${keyActions(context, row, rows)}</td>
</tr>
`,
  )
  const columns = [
    keys.label,
    keys.scopes,
    keys.state,
    keys.lastUsed,
    { name: keys.day, kind: 'number' as const },
    texts.events.action,
  ]
  return html`${tableOf(keys.tableLabel, columns, shown)}
${pageLinks(context, Math.floor(page), sorted.length)}`
}

const warningOf = ({ texts: { keys } }: Context, scope: Scope): string | undefined =>
  ({ 'read:events': keys.warnEvents, 'write:hooks': keys.warnHooks })[scope as string]

function scopeChoice(context: Context, scope: Scope, given: Given): Html {
  const warning = warningOf(context, scope)
  const id = `scope-${scope.replace(':', '-')}`
  return html`<div><label class="tick"><input type="checkbox" name="scope" value="${scope}"${given.scopes.includes(scope) && html` checked`}${warning && html` aria-describedby="${id}"`}>${context.texts.scopeNames[scope]} <code class="muted">${scope}</code></label>
${warning && html`<small class="warning warn" id="${id}">${warning}</small>`}</div>
`
}

function presetLinks({ texts }: Context): Html {
  const { keys } = texts
  return html`<p>${keys.presets} ${(Object.keys(presets) as Preset[]).map(
    (preset, index) =>
      html`${index > 0 && ' · '}<a href="/dashboard/keys?preset=${preset}#new">${keys.presetNames[preset]}</a>`,
  )}</p>`
}

function newKeyForm(context: Context, given: Given, mistake: string | undefined): Html {
  const { keys } = context.texts
  const expiries = Object.entries(keys.expiry)
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(
      ([days, name]) =>
        html`<option value="${days}"${days === given.expires && html` selected`}>${name}</option>`,
    )
  return html`<section class="card"><h2 id="new">${keys.new}</h2>
${mistakeNotice(mistake)}
${presetLinks(context)}
${form(
  context,
  '/dashboard/keys#mistake',
  html`<label>${keys.label}
<input name="label" value="${given.label}" maxlength="${keyLabelLengthMax}" required autocomplete="off"${describedBy('label-hint', mistake === keys.badLabel)}>
<small id="label-hint">${keys.labelHint}</small></label>
<fieldset><legend>${keys.scopes}</legend>
${scopes.map(scope => scopeChoice(context, scope, given))}</fieldset>
<label>${keys.expires}
<select name="expires">${expiries}</select></label>
${button(keys.create, 'primary')}`,
  { once: true, keeps: true },
)}</section>`
}

async function page(context: Context, given: Given, mistake?: string): Promise<Page> {
  const { texts, database, serving } = context
  await serving.recordUses()
  return {
    title: texts.pages.keys,
    area: 'keys',
    status: mistake ? 400 : 200,
    content: html`${doneNotice(context, texts.keys.done)}<p>${texts.keys.intro}</p>
${await table(context, await listApiKeys(database))}
${newKeyForm(context, given, mistake)}`,
  }
}

export const keysPage = (context: Context): Promise<Page> => {
  const preset = context.url.searchParams.get('preset') ?? ''
  if (!isPreset(preset)) return page(context, fresh)
  const label = context.texts.keys.presetLabels[preset]
  return page(context, { ...fresh, label, scopes: presets[preset] })
}

function shownOnce(context: Context, key: string, made: Html | string): Page {
  const { texts, serving } = context
  const { keys } = texts
  return {
    title: keys.new,
    area: 'keys',
    isOnce: true,
    content: html`<div class="notice good"><p>${made}</p><p><strong>${keys.once}</strong></p></div>
${copyable(context, key, keys.new)}
<details><summary>${keys.tryIt}</summary>${copyable(context, `curl -H "Authorization: Bearer ${key}" "${serving.origin}/api/v1/leads?limit=5"`, keys.tryIt)}</details>
<div class="actions"><a href="/dashboard/keys" class="button primary" data-seen>${keys.onceDone}</a></div>`,
  }
}

export async function createKey(context: Context, fields: URLSearchParams): Promise<Page> {
  const { keys } = context.texts
  const given: Given = {
    label: (fields.get('label') ?? '').trim(),
    scopes: fields.getAll('scope'),
    expires: fields.get('expires') ?? '',
  }
  if (!isKeyLabel(given.label)) return page(context, given, keys.badLabel)
  const chosen = [...new Set(given.scopes)].filter(isScope)
  if (chosen.length === 0) return page(context, given, keys.badScopes)
  // Of a form that is not ours: a key that never expires is not what it asked for.
  if (given.expires !== '' && !Object.hasOwn(keys.expiry, given.expires))
    throw new ApiError('invalid_request', 'expires must be one of the choices.')
  const days = Number(given.expires)
  const { id, key } = await createApiKey(context.database, {
    label: given.label,
    scopes: chosen,
    expires_at: days === 0 ? null : new Date(Date.now() + days * dayMs),
  })
  await context.note('key_created', id)
  return shownOnce(context, key, keys.made(given.label))
}

/** The old one goes on for a day. Null: it is over already. */
export async function rotateKey(context: Context): Promise<Page | null> {
  const id = context.parameters.id ?? ''
  const key = await rotateApiKey(context.database, id, overlapMs)
  if (key === null) return null
  await context.note('key_rotated', id)
  const { keys } = context.texts
  const before = (await listApiKeys(context.database)).find(one => one.id === id)
  return shownOnce(
    context,
    key,
    before
      ? html`${keys.renewed(before.label)} ${toTheMinute(context, before.expires_at)}. ${keys.renewedNext}`
      : keys.renewedNext,
  )
}

export async function revokeKey(context: Context): Promise<Next> {
  const id = context.parameters.id ?? ''
  const revoked = await revokeApiKey(context.database, id)
  if (revoked.length > 0) await context.note('key_revoked', id)
  return { path: '/dashboard/keys', done: { name: 'revoked', count: revoked.length } }
}
