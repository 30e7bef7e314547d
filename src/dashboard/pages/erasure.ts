// Daten löschen: who it is, what is stored of them, the question asked twice, and the report to keep. The key travels in
// forms alone: an address is in logs and in the browser's history.
import { isUndone } from '../../lib/error_code.ts'
import { eraseKontakt, findHoldings, findLeads } from '../../operations/erasure.ts'
import { resolveKontaktKey } from '../../operations/kontakte.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { button, form, mistakeNotice, number, toTheMinute } from '../parts.ts'
import { erasurePath, leadsTable, personPart, report, severalPart } from './erasure_report.ts'

const page = ({ texts }: Context, content: Html, status = 200): Page => ({
  title: texts.erasure.title,
  area: 'privacy',
  status,
  content,
})

function asking(context: Context, identity = '', mistake?: string): Page {
  const { erasure } = context.texts
  return page(
    context,
    html`<p>${erasure.intro}</p>
${mistakeNotice(mistake)}
${form(
  context,
  erasurePath,
  html`<label>${erasure.key}
<input name="identity" value="${identity}" maxlength="1024" required autocomplete="off" aria-describedby="identity-hint">
<small id="identity-hint">${erasure.keyHint}</small></label>
${button(erasure.find, 'primary')}`,
)}`,
    mistake ? 400 : 200,
  )
}

const another = ({ texts: { erasure } }: Context) =>
  html`<p><a href="${erasurePath}" class="button">${erasure.other}</a></p>`

export const erasurePage = async (context: Context): Promise<Page> => asking(context)

/** Who it is. At once, because the feed is not looked into. */
async function person(context: Context, identity: string): Promise<Page> {
  const { erasure } = context.texts
  const found = await findLeads(context.database, identity)
  if (!found) return asking(context, identity, erasure.badKey)
  const { leads, lead_count } = found
  const title = erasure.leads(number(context, lead_count))
  const more = lead_count - leads.length
  return page(
    context,
    html`${personPart(context, found)}
${severalPart(context, found)}
${leads.length === 0 ? html`<p class="notice warn">${erasure.noLeads}</p>` : html`<h2>${title}</h2>${leadsTable(context, leads, title)}`}
${more > 0 && html`<p>${erasure.moreLeads(number(context, more))}</p>`}
<p>${erasure.allText}</p>
${form(
  context,
  erasurePath,
  html`<input type="hidden" name="identity" value="${identity}"><button class="primary" name="all" value="yes">${erasure.all}</button>`,
)}
${another(context)}`,
  )
}

async function findings(context: Context, identity: string, mistake?: string): Promise<Page> {
  const { erasure } = context.texts
  const found = await findHoldings(context.database, identity)
  if (!found) return asking(context, identity, erasure.notFound)
  return page(
    context,
    html`${mistakeNotice(mistake)}
${severalPart(context, found)}
${report(context, found, erasure.stored)}
<h2>${erasure.sure}</h2>
<p class="notice bad">${erasure.sureText}</p>
${form(
  context,
  erasurePath,
  html`<input type="hidden" name="identity" value="${identity}">
<label>${erasure.again}
<input name="again" maxlength="1024" required autocomplete="off"></label>
<label class="tick"><input type="checkbox" name="sure" value="yes" required>${erasure.check}</label>
${button(erasure.erase, 'danger')}`,
  { once: true },
)}
${another(context)}`,
    mistake ? 400 : 200,
  )
}

async function erasing(context: Context, identity: string): Promise<Page> {
  const { erasure } = context.texts
  const erased = await eraseKontakt(context.database, identity)
  if (!erased) return asking(context, identity, erasure.notFound)
  await context.note('person_erased')
  const shown = page(
    context,
    html`<div class="notice good"><p><strong>${erasure.done}</strong> ${toTheMinute(context, new Date())}</p><p>${erasure.keep}</p></div>
<p><button type="button" data-print hidden>${erasure.print}</button></p>
${report(context, erased, erasure.erased)}
${another(context)}`,
  )
  return { ...shown, isOnce: true }
}

/**
 * The first form finds who it is, the second all that is stored, the third erases: only with the key typed again and
 * the box ticked.
 */
export async function findOrErase(context: Context, fields: URLSearchParams): Promise<Page> {
  try {
    return await answer(context, fields)
  } catch (error) {
    if (!isUndone(error)) throw error
    return { ...asking(context, '', context.texts.erasure.busy), status: 503 }
  }
}

async function answer(context: Context, fields: URLSearchParams): Promise<Page> {
  const { erasure } = context.texts
  const identity = (fields.get('identity') ?? '').trim()
  const key = await resolveKontaktKey(context.database, identity)
  if (key === null) return asking(context, identity, erasure.badKey)
  const again = fields.get('again')
  if (again === null)
    return fields.has('all') ? await findings(context, identity) : await person(context, identity)
  if (fields.get('sure') !== 'yes') return await findings(context, identity, erasure.unchecked)
  if ((await resolveKontaktKey(context.database, again)) !== key)
    return await findings(context, identity, erasure.different)
  return await erasing(context, identity)
}
