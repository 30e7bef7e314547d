// Daten löschen: what is stored of a person, the question asked twice, and the report to keep. The key travels in
// forms alone: an address is in logs and in the browser's history.
import { errorCodeOf } from '../../error_code.ts'
import { type Erasure, erasedTables, type Recipient } from '../../model/erasure.ts'
import { eraseKontakt, findHoldings } from '../../operations/erasure.ts'
import { keyOf } from '../../operations/kontakte.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { eventName, form, moment, nameOf, number } from '../parts.ts'

const path = '/dashboard/erasure'

const page = ({ texts }: Context, content: Html, status = 200): Page => ({
  title: texts.erasure.title,
  area: 'status',
  status,
  content,
})

const said = (mistake: string | undefined) =>
  mistake && html`<p class="notice bad" role="alert">${mistake}</p>`

function asking(context: Context, identity = '', mistake?: string): Page {
  const { erasure } = context.texts
  return page(
    context,
    html`<p>${erasure.intro}</p>
${said(mistake)}
${form(
  context,
  path,
  html`<label>${erasure.key}
<input name="identity" value="${identity}" maxlength="1024" required autocomplete="off" aria-describedby="identity-hint">
<small id="identity-hint">${erasure.keyHint}</small></label>
<button>${erasure.find}</button>`,
)}`,
    mistake ? 400 : 200,
  )
}

export const erasurePage = async (context: Context): Promise<Page> => asking(context)

function recipientRow(context: Context, recipient: Recipient): Html {
  const { texts } = context
  const { erasure } = texts
  const { subscription_id, label, target_url, received, possibly } = recipient
  const name = target_url === null ? erasure.deleted : nameOf(texts, { label, target_url })
  const counts = [
    received > 0 && erasure.received(number(context, received)),
    possibly > 0 && erasure.possibly(number(context, possibly)),
  ].filter(Boolean)
  return html`<tr>
<th scope="row">${name}<br><small class="muted">${target_url === null ? subscription_id : new URL(target_url).host}</small></th>
<td data-name="${erasure.events}">${counts.join(', ')}</td>
<td data-name="${erasure.when}">${moment(context, recipient.first_at)} – ${moment(context, recipient.last_at)}</td>
<td data-name="${erasure.which}">${recipient.event_types.map(type => eventName(texts, type)).join(', ')}</td>
</tr>
`
}

function recipientsPart(context: Context, recipients: readonly Recipient[]): Html {
  const { erasure } = context.texts
  if (recipients.length === 0) return html`<p>${erasure.noRecipients}</p>`
  return html`<p>${erasure.recipientsText}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${erasure.recipients}"><table class="cards">
<thead><tr><th scope="col">${erasure.recipient}</th><th scope="col">${erasure.events}</th><th scope="col">${erasure.when}</th><th scope="col">${erasure.which}</th></tr></thead>
<tbody>
${recipients.map(recipient => recipientRow(context, recipient))}
</tbody></table></div>`
}

/** Who it is, how much it is, who else has it: the same before and after. */
function report(context: Context, found: Erasure, title: string): Html {
  const { erasure } = context.texts
  const counts = erasedTables.map(
    table =>
      html`<dt>${erasure.tables[table]}</dt><dd>${number(context, found.counts[table])}</dd>`,
  )
  return html`<h2>${erasure.person}</h2>
<ul>${found.keys.map(key => html`<li>${key}</li>`)}</ul>
${
  found.shared_keys.length > 0 &&
  html`<div class="notice warn"><p>${erasure.shared}</p><ul>${found.shared_keys.map(key => html`<li>${key}</li>`)}</ul></div>`
}
<h2>${title}</h2>
<dl class="facts">${counts}</dl>
<h2>${erasure.recipients}</h2>
${recipientsPart(context, found.recipients)}
<p class="muted">${erasure.unknown}</p>`
}

async function findings(context: Context, identity: string, mistake?: string): Promise<Page> {
  const { erasure } = context.texts
  const found = await findHoldings(context.database, identity)
  if (!found) return asking(context, identity, erasure.nobody)
  return page(
    context,
    html`${said(mistake)}
${report(context, found, erasure.stored)}
<h2>${erasure.sure}</h2>
<p class="notice bad">${erasure.sureText}</p>
${form(
  context,
  path,
  html`<input type="hidden" name="identity" value="${identity}">
<label>${erasure.again}
<input name="again" maxlength="1024" required autocomplete="off"></label>
<label><input type="checkbox" name="sure" value="yes" required> ${erasure.check}</label>
<button>${erasure.erase}</button>`,
  { once: true },
)}
<p><a href="${path}" role="button" class="secondary outline">${erasure.other}</a></p>`,
    mistake ? 400 : 200,
  )
}

async function erasing(context: Context, identity: string): Promise<Page> {
  const { erasure } = context.texts
  const erased = await eraseKontakt(context.database, identity)
  if (!erased) return asking(context, identity, erasure.nobody)
  return page(
    context,
    html`<div class="notice good"><p><strong>${erasure.done}</strong> ${moment(context, new Date())}</p><p>${erasure.keep}</p></div>
<p><button type="button" class="secondary outline small" data-print hidden>${erasure.print}</button></p>
${report(context, erased, erasure.erased)}
<p><a href="${path}" role="button" class="secondary outline">${erasure.other}</a></p>`,
  )
}

// PostgreSQL's codes for a statement that took too long, for one that waited too long for a lock (a role's lock_timeout),
// and for one that waited in a circle with a writer.
const busy = ['57014', '55P03', '40P01']

/** The first form looks, the second one erases: only with the key typed again and the box ticked. */
export async function findOrErase(context: Context, fields: URLSearchParams): Promise<Page> {
  try {
    return await answer(context, fields)
  } catch (error) {
    if (!busy.includes(errorCodeOf(error))) throw error
    return { ...asking(context, '', context.texts.erasure.busy), status: 503 }
  }
}

async function answer(context: Context, fields: URLSearchParams): Promise<Page> {
  const { erasure } = context.texts
  const identity = (fields.get('identity') ?? '').trim()
  const key = await keyOf(context.database, identity)
  if (key === null) return asking(context, identity, erasure.badKey)
  const again = fields.get('again')
  if (again === null) return await findings(context, identity)
  if (fields.get('sure') !== 'yes') return await findings(context, identity, erasure.unchecked)
  if ((await keyOf(context.database, again)) !== key)
    return await findings(context, identity, erasure.different)
  return await erasing(context, identity)
}
