// The form that makes an API key, with what applications usually need.
import { keyLabelLengthMax } from '../../model/api_key.ts'
import { defaultScopes, type Scope, scopes } from '../../model/scope.ts'
import type { Context } from '../context.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'

const path = '/dashboard/keys'
export type Given = { label: string; scopes: readonly string[]; expires: string }

const reading: Scope[] = defaultScopes.filter(scope => scope !== 'read:events')
// As few rights as possible: a preset ticks what its application needs.
export const fresh: Given = { label: '', scopes: ['read:leads'], expires: '' }

/** What applications usually need. */
export const presets = {
  crm: reading,
  zapier: ['read:leads', 'read:events', 'write:hooks'],
  assistant: [...reading, 'read:signals'],
} satisfies Record<string, Scope[]>
type Preset = keyof typeof presets
export const isPreset = (text: string): text is Preset => Object.hasOwn(presets, text)

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

export function newKeyForm(context: Context, given: Given, mistakes: ui.Mistakes): Html {
  const { keys } = context.texts
  const presetLinks = (Object.keys(presets) as Preset[]).map(
    preset => html`<li><a href="${path}?preset=${preset}#new">${keys.presetNames[preset]}</a></li>`,
  )
  const expiries = Object.entries(keys.expiry)
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(([value, text]) => ({ value, text, isOn: value === given.expires }))
  const isOpen = given.label !== '' || ui.hasMistakes(mistakes)
  return html`<details class="card" id="new"${isOpen && html` open`}><summary class="button primary">${keys.create}</summary>
<p>${keys.intro}</p>
<ul class="chips" aria-label="${keys.presets}">${presetLinks}</ul>
${ui.form(
  context,
  path,
  html`${ui.field({
    name: 'label',
    label: keys.label,
    value: given.label,
    hint: keys.labelHint,
    lengthMax: keyLabelLengthMax,
    isRequired: true,
    mistake: mistakes.label,
  })}
${ui.ticks(keys.scopes, html`${scopes.map(scope => scopeTick(context, scope, given))}`, mistakes.scopes)}
${ui.select(keys.expires, 'expires', expiries)}
${ui.button(keys.create, 'primary')}`,
)}</details>`
}
