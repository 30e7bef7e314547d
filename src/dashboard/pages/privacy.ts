// Datenschutz: find a person, see what is stored and who received it, erase it, keep the report. A search travels in forms alone.
import { isUndone } from '../../lib/error_code.ts'
import {
  type Erasure,
  erasedTables,
  hasSeveralAddresses,
  type KontaktLeads,
  type Recipient,
  type ShownLead,
} from '../../model/erasure.ts'
import { targetHost } from '../../model/target_url.ts'
import { uuidForm } from '../../model/uuid.ts'
import { eraseKontakt, findHoldings, findLeads, findLeadsByText } from '../../operations/erasure.ts'
import { getEvent } from '../../operations/events.ts'
import { readPlainInteger } from '../../operations/parameters.ts'
import type { Act, Context, DashboardPage } from '../context.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { toTheMinute } from '../times.ts'
import { identityOf, leadChoice, leadTable } from './events.ts'

const path = '/dashboard/privacy'

const page = ({ texts }: Context, content: Html, status = 200): DashboardPage => ({
  title: texts.pages.privacy,
  area: 'privacy',
  status,
  content,
})

const searchForm = (context: Context, searched = '', mistake?: string): Html => {
  const { people, show } = context.texts
  const who = ui.searchField(people.who, searched, people.whoHint, mistake)
  const content = html`<div class="row search">${who}${ui.button(show, 'primary')}</div>`
  return ui.form(context, path, content)
}

const asking = (context: Context, searched = '', mistake?: string): DashboardPage =>
  page(
    context,
    html`<p>${context.texts.people.intro}</p>
${searchForm(context, searched, mistake)}`,
    mistake === undefined ? 200 : 404,
  )

/** Of a link from an event, or from the events of a person. */
export async function privacyPage(context: Context): Promise<DashboardPage> {
  const { url, database } = context
  const lead = url.searchParams.get('lead') ?? ''
  if (uuidForm.test(lead)) return await person(context, lead)
  const cursor = readPlainInteger(url.searchParams.get('event') ?? '')
  const event = cursor === undefined ? null : await getEvent(database, cursor)
  const identity = event && identityOf(event)
  return identity ? await person(context, identity) : asking(context)
}

/** email:a@example.org as a person reads it. */
function keyText({ texts }: Context, key: string): string {
  const [, kind = '', value = ''] = /^(\w+):(.*)$/s.exec(key) ?? []
  const name = (texts.people.keyNames as Record<string, string>)[kind]
  return name === undefined ? key : `${name}: ${value}`
}

const nameIn = (context: Context, { leads, keys }: KontaktLeads): string =>
  leads.find(({ name }) => name?.trim())?.name ?? keyText(context, keys[0] ?? '')

const recipientName = ({ texts }: Context, { label, target_url }: Recipient): string =>
  target_url === null ? texts.webhooks.gone : ui.nameOf(texts, { label, target_url })

const received = ({ texts }: Context, { received, possibly }: Recipient): string =>
  [
    received > 0 && texts.people.received(ui.number({ texts }, received)),
    possibly > 0 && texts.people.possibly(ui.number({ texts }, possibly)),
  ]
    .filter(Boolean)
    .join(', ')

function recipients(context: Context, found: Erasure): Html {
  const { texts } = context
  const { people } = texts
  if (found.recipients.length === 0) return html`<p>${people.noRecipients}</p>`
  const name = (one: Recipient) =>
    html`${recipientName(context, one)}<br><small class="muted">${targetHost(one.target_url) ?? one.subscription_id}</small>`
  const period = ({ first_at, last_at }: Recipient) =>
    html`${toTheMinute(context, first_at)}${last_at !== first_at && html` – ${toTheMinute(context, last_at)}`}`
  const types = ({ event_types }: Recipient) =>
    event_types.map(type => ui.eventName(texts, type)).join(', ')
  return html`<p>${people.recipientsText}</p>
${ui.table<Recipient>(people.recipients, found.recipients, [
  [texts.webhooks.name, name, 'head'],
  [people.events, one => received(context, one)],
  [people.when, period],
  [people.which, types, 'long'],
])}`
}

const countFacts = (context: Context, { counts }: Erasure) =>
  erasedTables
    .filter(name => counts[name] > 0)
    .map(name => [context.texts.people.tables[name], ui.number(context, counts[name])] as const)

/** Keys, counts and receivers: the same before and after. */
const holdings = (context: Context, found: Erasure, title: string): Html => {
  const { people } = context.texts
  return html`<h2>${title}</h2>
${ui.facts([[people.keys, html`<ul>${found.keys.map(key => html`<li>${keyText(context, key)}</li>`)}</ul>`, 'wide'], ...countFacts(context, found)])}
<h2>${people.recipients}</h2>
${recipients(context, found)}
<p class="muted">${people.unknown}</p>`
}

/** A button in the row of a lead. */
const choosing =
  (context: Context, text: string) =>
  ({ id, name }: ShownLead): Html => {
    const content = html`${ui.hidden('q', id)}${ui.button(text, '', `${text}: ${name ?? id}`)}`
    return ui.form(context, path, content, 'inline')
  }

/** What the owner is to know before: keys of others, several addresses, leads that may be the same person. */
function warnings(context: Context, found: Erasure): Html {
  const { people } = context.texts
  return html`${found.shared_keys.length > 0 && ui.notice('warn', `${people.shared} ${found.shared_keys.map(key => keyText(context, key)).join(', ')}`)}
${hasSeveralAddresses(found) && ui.notice('warn', people.several)}
${found.other_leads.length > 0 && html`${ui.notice('warn', people.others)}${leadTable(context, found.other_leads, choosing(context, people.look))}`}`
}

/** One screen: who it is, what is stored, who has it, and the button. */
async function person(context: Context, identity: string, mistake?: string) {
  const { texts, database } = context
  const { people } = texts
  const [who, found] = await Promise.all([
    findLeads(database, identity),
    findHoldings(database, identity),
  ])
  if (!who || !found) return asking(context, identity, people.notFound)
  const name = nameIn(context, who)
  return page(
    context,
    html`${searchForm(context)}
<h2>${name}</h2>
${who.leads.length > 0 && leadTable(context, who.leads, ({ id }) => html`<a href="/dashboard/events?lead=${id}">${texts.pages.events}</a>`)}
${who.lead_count > who.leads.length && html`<p class="muted">${people.moreLeads(ui.number(context, who.lead_count - who.leads.length))}</p>`}
${warnings(context, found)}
${holdings(context, found, people.stored)}
<section class="notice bad" id="erase"><h2>${people.eraseTitle(name)}</h2><p>${people.eraseText}</p>
${ui.form(
  context,
  `${path}/erase`,
  html`${ui.hidden('q', identity)}${ui.hidden('name', name)}
${ui.sureTick(people.check(name), mistake)}
${ui.button(people.erase, 'danger')}`,
)}</section>`,
    mistake === undefined ? 200 : 400,
  )
}

/** A key in any spelling goes before a part of a name. */
export const findPerson: Act = async (context, fields) => {
  const { database, texts } = context
  const { people } = texts
  const searched = ui.searchedOf(fields.get('q'))
  if (searched === '') return asking(context, '', people.notFound)
  if (await findHoldings(database, searched)) return await person(context, searched)
  const leads = await findLeadsByText(database, searched)
  const [only] = leads
  if (!only) return asking(context, searched, people.notFound)
  if (leads.length === 1) return await person(context, only.id)
  return page(
    context,
    html`${searchForm(context, searched)}
${leadChoice(context, leads, choosing(context, people.choose))}`,
  )
}

/** As a text to keep: it names the person, and stands nowhere else. */
function reportText(context: Context, name: string, found: Erasure, at: Date): string {
  const { people, pages } = context.texts
  const lines = [
    `${pages.privacy}: ${context.serving.about.workspace}`,
    `${people.reportOf(name)}: ${at.toISOString()}`,
    ...found.keys.map(key => keyText(context, key)),
    '',
    ...countFacts(context, found).map(([table, count]) => `${table}: ${count}`),
    '',
    people.recipients,
    ...(found.recipients.length === 0 ? [people.noRecipients] : []),
    ...found.recipients.map(
      one =>
        `- ${recipientName(context, one)} (${one.target_url ?? one.subscription_id}): ${received(context, one)}, ${one.first_at} – ${one.last_at}`,
    ),
    '',
    people.unknown,
  ]
  return `\ufeff${lines.join('\r\n')}\r\n`
}

function reported(context: Context, name: string, found: Erasure): DashboardPage {
  const { people } = context.texts
  const at = new Date()
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(reportText(context, name, found, at))}`
  const shown = page(
    context,
    html`<div class="notice good"><h2>${people.done(name)}</h2><p>${toTheMinute(context, at)}. ${people.keep}</p>
<div class="actions"><a class="button primary" href="${file}" download="${people.fileName}-${at.toISOString().slice(0, 10)}.txt" data-seen>${people.save}</a></div></div>
${holdings(context, found, people.erased)}
<p><a href="${path}" class="button">${people.other}</a></p>`,
  )
  return { ...shown, isOnce: true }
}

export const erasePerson: Act = async (context, fields) => {
  const { people } = context.texts
  const identity = ui.searchedOf(fields.get('q'))
  if (fields.get('sure') !== 'yes') return await person(context, identity, people.unchecked)
  try {
    const erased = await eraseKontakt(context.database, identity)
    if (!erased) return asking(context, identity, people.notFound)
    return reported(context, fields.get('name') ?? '', erased)
  } catch (error) {
    if (!isUndone(error)) throw error
    return { ...(await person(context, identity, people.busy)), status: 503 }
  }
}
