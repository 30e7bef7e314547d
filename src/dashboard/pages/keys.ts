// API-Schlüssel: list, make, revoke. A new key is in the answer that makes it and on no other page.
import { ApiError } from '../../errors.ts'
import { defaultScopes, isScope, type Scope, scopes } from '../../model/scope.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../../operations/keys.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { badge, copyable, form, moment } from '../parts.ts'

type Key = Awaited<ReturnType<typeof listApiKeys>>[number]
type Given = { label: string; scopes: string[]; expires: string }

const fresh: Given = {
  label: '',
  scopes: defaultScopes.filter(scope => scope !== 'read:events'),
  expires: '',
}
const dayMs = 86_400_000
const labelForm = /^\P{Cc}{1,200}$/u

const isOver = ({ revoked_at, expires_at }: Key) =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now())

function stateOf(context: Context, key: Key): Html {
  const { keys } = context.texts
  if (key.revoked_at) return html`${badge('calm', keys.revoked)} ${moment(context, key.revoked_at)}`
  if (isOver(key)) return html`${badge('calm', keys.expired)} ${moment(context, key.expires_at)}`
  if (key.expires_at) return html`${badge('good', keys.until)} ${moment(context, key.expires_at)}`
  return badge('good', keys.live)
}

const revoking = (context: Context, { id, label }: Key): Html => {
  const { keys } = context.texts
  return html`<details><summary>${keys.revoke}</summary>
<p>${keys.revokeAsk(label)}</p>
${form(context, `/dashboard/keys/${id}/revoke`, html`<button class="small">${keys.revokeSure}</button>`)}</details>`
}

function table(context: Context, rows: Key[]): Html {
  const { keys } = context.texts
  if (rows.length === 0) return html`<p class="muted">${keys.empty}</p>`
  // Those that still open a door come first.
  const sorted = [...rows.filter(row => !isOver(row)), ...rows.filter(isOver)]
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${keys.tableLabel}"><table class="cards">
<thead><tr><th scope="col">${keys.label}</th><th scope="col">${keys.scopes}</th><th scope="col">${keys.state}</th><th scope="col">${keys.lastUsed}</th><th scope="col">${keys.revoke}</th></tr></thead>
<tbody>
${sorted.map(
  row => html`<tr${isOver(row) ? html` class="over"` : ''}>
<th scope="row">${row.label}<br><small class="muted">${row.prefix}…</small></th>
<td class="scopes" data-name="${keys.scopes}"><small>${row.scopes.map(scope => html`<span>${scope}</span> `)}</small></td>
<td data-name="${keys.state}">${stateOf(context, row)}</td>
<td data-name="${keys.lastUsed}">${moment(context, row.last_used_at)}</td>
<td class="act">${isOver(row) ? '' : revoking(context, row)}</td>
</tr>
`,
)}
</tbody></table></div>`
}

const warningOf = ({ texts: { keys } }: Context, scope: Scope): string | undefined =>
  ({ 'read:events': keys.warnEvents, 'write:hooks': keys.warnHooks })[scope as string]

function scopeChoice(context: Context, scope: Scope, given: Given): Html {
  const warning = warningOf(context, scope)
  const id = `scope-${scope.replace(':', '-')}`
  return html`<div class="scope"><label>
<input type="checkbox" name="scope" value="${scope}"${given.scopes.includes(scope) ? html` checked` : ''}${warning && html` aria-describedby="${id}"`}>
${context.texts.scopeNames[scope]} <code>${scope}</code></label>
${warning && html`<small class="warning warn" id="${id}">${warning}</small>`}</div>
`
}

function newKeyForm(context: Context, given: Given, mistake: string | undefined): Html {
  const { keys } = context.texts
  return html`<h2 id="new">${keys.new}</h2>
${mistake && html`<p class="notice bad" role="alert">${mistake}</p>`}
${form(
  context,
  '/dashboard/keys',
  html`<label>${keys.label}
<input name="label" value="${given.label}" maxlength="200" required autocomplete="off" aria-describedby="label-hint">
<small id="label-hint">${keys.labelHint}</small></label>
<fieldset><legend>${keys.scopes}</legend>
${scopes.map(scope => scopeChoice(context, scope, given))}</fieldset>
<label>${keys.expires}
<select name="expires">${Object.entries(keys.expiry)
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(
      ([days, name]) =>
        html`<option value="${days}"${days === given.expires ? html` selected` : ''}>${name}</option>`,
    )}</select></label>
<button>${keys.create}</button>`,
  { once: true },
)}`
}

async function page(context: Context, given = fresh, mistake?: string): Promise<Page> {
  const { texts, database, serving } = context
  await serving.recordUses()
  return {
    title: texts.pages.keys,
    area: 'keys',
    status: mistake ? 400 : 200,
    content: html`<p>${texts.keys.intro}</p>
${table(context, await listApiKeys(database))}
${newKeyForm(context, given, mistake)}`,
  }
}

export const keysPage = (context: Context): Promise<Page> => page(context)

function shownOnce(context: Context, key: string): Page {
  const { texts } = context
  return {
    title: texts.keys.new,
    area: 'keys',
    content: html`<div class="notice good"><p><strong>${texts.keys.once}</strong></p></div>
${copyable(context, key, texts.keys.new)}
<p><a href="/dashboard/keys" role="button">${texts.keys.onceDone}</a></p>`,
  }
}

export async function createKey(context: Context, fields: URLSearchParams): Promise<Page> {
  const { keys } = context.texts
  const given: Given = {
    label: (fields.get('label') ?? '').trim(),
    scopes: fields.getAll('scope'),
    expires: fields.get('expires') ?? '',
  }
  if (!labelForm.test(given.label)) return page(context, given, keys.badLabel)
  const chosen = [...new Set(given.scopes)].filter(isScope)
  if (chosen.length === 0) return page(context, given, keys.badScopes)
  // Of a form that is not ours: a key that never expires is not what it asked for.
  if (given.expires !== '' && !Object.hasOwn(keys.expiry, given.expires))
    throw new ApiError('invalid_request', 'expires must be one of the choices.')
  const days = Number(given.expires)
  const key = await createApiKey(context.database, {
    label: given.label,
    scopes: chosen,
    expires_at: days === 0 ? null : new Date(Date.now() + days * dayMs),
  })
  return shownOnce(context, key)
}

export async function revokeKey({ database, parameters }: Context): Promise<string> {
  await revokeApiKey(database, parameters.id ?? '')
  return '/dashboard/keys'
}
