// What pages about erasing a person show of them: keys, leads, rows by table, and who has received something.
import {
  type Erasure,
  erasedTables,
  hasSeveralAddresses,
  type Recipient,
  type ShownLead,
} from '../../model/erasure.ts'
import { targetHost } from '../../model/target_url.ts'
import type { Context } from '../context.ts'
import { type Html, html } from '../html.ts'
import { button, eventName, facts, form, nameOf, number, toTheMinute } from '../parts.ts'

export const erasurePath = '/dashboard/erasure'

/** `more` makes another cell of each row. */
export function leadsTable(
  context: Context,
  leads: readonly ShownLead[],
  title: string,
  more?: (lead: ShownLead) => Html,
): Html {
  const { erasure } = context.texts
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="cards">
<thead><tr><th scope="col">${erasure.lead}</th><th scope="col">${erasure.contact}</th><th scope="col">${erasure.made}</th>${more && html`<th scope="col">${erasure.look}</th>`}</tr></thead>
<tbody>
${leads.map(
  lead => html`<tr>
<th scope="row">${lead.name ?? '–'}<br><small class="muted">${lead.id}</small></th>
<td data-name="${erasure.contact}">${lead.email ?? '–'}<br>${lead.phone ?? '–'}</td>
<td data-name="${erasure.made}">${toTheMinute(context, lead.created_at)}</td>
${more && html`<td class="act">${more(lead)}</td>`}
</tr>
`,
)}
</tbody></table></div>`
}

/** Each can be searched for in its turn. */
function othersPart(context: Context, leads: readonly ShownLead[]): Html {
  const { erasure } = context.texts
  const search = ({ id }: ShownLead) =>
    form(
      context,
      erasurePath,
      html`<input type="hidden" name="identity" value="${id}">${button(erasure.look)}`,
    )
  return html`<h2>${erasure.others}</h2>
<p class="notice warn">${erasure.othersText}</p>
${leadsTable(context, leads, erasure.others, search)}`
}

/** email:a@example.org as a person reads it. */
function keyText({ texts }: Context, key: string): string {
  const [, kind = '', value = ''] = /^(\w+):(.*)$/s.exec(key) ?? []
  const name = (texts.erasure.keyNames as Record<string, string>)[kind]
  return name === undefined ? key : `${name}: ${value}`
}

/** Asked before anything is erased. */
export const severalPart = ({ texts }: Context, found: Pick<Erasure, 'keys'>): Html | false =>
  hasSeveralAddresses(found) && html`<p class="notice warn">${texts.erasure.several}</p>`

/** The keys, and those that another person has as well. */
export function personPart(
  context: Context,
  { keys, shared_keys }: Pick<Erasure, 'keys' | 'shared_keys'>,
): Html {
  const { erasure } = context.texts
  return html`<h2>${erasure.person}</h2>
<ul>${keys.map(key => html`<li>${keyText(context, key)}</li>`)}</ul>
${
  shared_keys.length > 0 &&
  html`<div class="notice warn"><p>${erasure.shared}</p><ul>${shared_keys.map(key => html`<li>${keyText(context, key)}</li>`)}</ul></div>`
}`
}

function recipientRow(context: Context, recipient: Recipient): Html {
  const { texts } = context
  const { erasure } = texts
  const { subscription_id, label, target_url, received, possibly, first_at, last_at } = recipient
  const name = target_url === null ? erasure.deleted : nameOf(texts, { label, target_url })
  const counts = [
    received > 0 && erasure.received(number(context, received)),
    possibly > 0 && erasure.possibly(number(context, possibly)),
  ].filter(Boolean)
  return html`<tr>
<th scope="row">${name}<br><small class="muted">${target_url === null ? subscription_id : (targetHost(target_url) ?? '–')}</small></th>
<td data-name="${erasure.events}">${counts.join(', ')}</td>
<td data-name="${erasure.when}">${toTheMinute(context, first_at)}${last_at !== first_at && html` – ${toTheMinute(context, last_at)}`}</td>
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
export function report(context: Context, found: Erasure, title: string): Html {
  const { erasure } = context.texts
  const counts = erasedTables.map(
    table => [erasure.tables[table], number(context, found.counts[table])] as [string, string],
  )
  return html`${personPart(context, found)}
<h2>${title}</h2>
${facts(counts)}
${found.other_leads.length > 0 && othersPart(context, found.other_leads)}
<h2>${erasure.recipients}</h2>
${recipientsPart(context, found.recipients)}
<p class="muted">${erasure.unknown}</p>`
}
