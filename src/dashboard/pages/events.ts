// Ereignisse: the newest of the feed; of one type, or about one person.
import type { ShownLead } from '../../model/erasure.ts'
import { type EventType, isEventType } from '../../model/event_type.ts'
import { uuidForm } from '../../model/uuid.ts'
import { findLeads, findLeadsByText, hitsShown } from '../../operations/erasure.ts'
import { getEvent, listEventsAbout, listNewestEvents } from '../../operations/events.ts'
import { getOverview } from '../../operations/overview.ts'
import { readPlainInteger } from '../../operations/parameters.ts'
import type { Context, DashboardPage } from '../context.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { toTheMinute, when } from '../times.ts'

const path = '/dashboard/events'
const perPage = 50

/** The event types by what they are about. */
export const eventGroups = {
  leads: ['lead.created', 'lead.stage_changed', 'lead.archived'],
  analyses: ['analysis.completed', 'din.check_completed'],
  kontakte: ['haushalt.updated', 'kontakt.merged'],
  appointments: [
    'appointment.scheduled',
    'appointment.updated',
    'appointment.cancelled',
    'meeting.intelligence_ready',
    'meeting.intelligence_failed',
  ],
  signals: ['signal.opened', 'signal.status_changed', 'signal.outcome_recorded'],
  documents: ['advisory_doc.approved', 'advisory_doc.sent'],
} as const satisfies Record<string, readonly EventType[]>

type Group = keyof typeof eventGroups
export const eventGroupNames = Object.keys(eventGroups) as Group[]

type Events = Awaited<ReturnType<typeof listNewestEvents>>
type Listed = Events[number]

export function eventTable(context: Context, rows: Events, none: string): Html {
  const { texts } = context
  const name = ({ cursor, event_type }: Listed) =>
    html`<a href="${path}/${cursor}">${ui.eventName(texts, event_type)}</a>`
  // To all events of the person.
  const about = ({ cursor, person }: Listed) =>
    person?.trim() ? html`<a href="${path}?about=${cursor}">${person}</a>` : '–'
  return ui.table<Listed>(
    texts.pages.events,
    rows,
    [
      [texts.event, name, 'head'],
      [texts.about, about, 'long'],
      [texts.at, ({ occurred_at }) => when(context, occurred_at)],
    ],
    none,
  )
}

export function leadTable(
  context: Context,
  leads: readonly ShownLead[],
  choose: (lead: ShownLead) => Html,
): Html {
  const { people, action } = context.texts
  const contact = ({ email, phone }: ShownLead) => [email, phone].filter(Boolean).join(', ') || '–'
  return ui.table<ShownLead>(people.found, leads, [
    [people.name, ({ name, id }) => name ?? id, 'head'],
    [people.contact, contact, 'long'],
    [people.made, ({ created_at }) => toTheMinute(context, created_at)],
    [action, choose, 'act'],
  ])
}

/** Which person: a choice among those whose name has what was searched for. */
export function leadChoice(
  context: Context,
  leads: readonly ShownLead[],
  choose: (lead: ShownLead) => Html,
): Html {
  const { manyPeople, whichPerson } = context.texts.events
  const isCut = leads.length >= hitsShown
  return html`<p>${isCut ? manyPeople(ui.number(context, hitsShown)) : whichPerson}</p>
${leadTable(context, leads, choose)}`
}

type Event = NonNullable<Awaited<ReturnType<typeof getEvent>>>

/** What names the person of an event: a lead, else a key; null: it is about none. */
export function identityOf({ links, data, object_type, object_id }: Event): string | null {
  const named = { ...(data as Record<string, unknown>), ...(links as Record<string, unknown>) }
  const candidates = [
    named.lead_id,
    object_type === 'lead' && object_id,
    named.kontakt_key,
    named.canonical_key,
    (object_type === 'haushalt' || object_type === 'kontakt') && object_id,
  ]
  return candidates.find((one): one is string => typeof one === 'string' && one !== '') ?? null
}

/** What the page is asked for; `identity`: whom its events are about. */
type Asked = {
  types: readonly EventType[]
  group: Group | null
  before: number | null
  searched: string
  identity: string | null
}

async function readAsked({ url, database }: Context): Promise<Asked> {
  const get = (name: string) => url.searchParams.get(name) ?? ''
  const type = get('type')
  const isOf = (group: Group) => (eventGroups[group] as readonly string[]).includes(type)
  const group = eventGroupNames.find(one => one === get('group') || isOf(one)) ?? null
  const about = readPlainInteger(get('about'))
  const event = about === undefined ? null : await getEvent(database, about)
  const lead = uuidForm.test(get('lead')) ? get('lead') : null
  return {
    types: isEventType(type) ? [type] : group ? eventGroups[group] : [],
    group,
    before: readPlainInteger(get('before')) ?? null,
    searched: ui.searchedOf(get('q')),
    identity: lead ?? (event && identityOf(event)),
  }
}

/** They apply at once: the groups, and the types of the one that is chosen. */
function chips({ texts, url }: Context, { group }: Asked): Html {
  const type = url.searchParams.get('type')
  const kept = [...url.searchParams].filter(([name]) => ['about', 'lead', 'q'].includes(name))
  const chip = (text: string, query: [string, string][], isOn: boolean) =>
    html`<li><a href="${path}?${new URLSearchParams([...kept, ...query])}"${isOn && html` aria-current="true"`}>${text}</a></li>`
  const groups = eventGroupNames.map(one =>
    chip(texts.eventGroups[one], [['group', one]], one === group && type === null),
  )
  const inside = (group ? eventGroups[group] : []).map(one =>
    chip(texts.eventNames[one], [['type', one]], one === type),
  )
  return html`<nav aria-label="${texts.events.filter}"><ul class="chips">${chip(texts.events.all, [], group === null)}${groups}</ul>
${inside.length > 0 && html`<ul class="chips">${inside}</ul>`}</nav>`
}

/** Whose events these are, and the way to erase them. */
async function personHead(context: Context, identity: string): Promise<Html> {
  const { texts, url, database } = context
  const found = await findLeads(database, identity)
  const name = found?.leads[0]?.name ?? found?.keys[0] ?? identity
  const about = url.searchParams.get('about')
  const query = about === null ? `lead=${identity}` : `event=${about}`
  return html`<div class="notice calm"><p><strong>${texts.events.ofPerson(name)}</strong> <a href="${path}">${texts.events.all}</a></p>
<p><a href="/dashboard/privacy?${query}">${texts.events.toPrivacy}</a></p></div>`
}

export async function eventsPage(context: Context): Promise<DashboardPage> {
  const { texts, database, url } = context
  const { events } = texts
  const asked = await readAsked(context)
  const { searched, identity, before, types } = asked
  const page = { types, before, limit: perPage }
  const about = identity ?? searched
  const rows = await (about === ''
    ? listNewestEvents(database, page)
    : listEventsAbout(database, about, page))
  // By what an event carries, else by the name of a person.
  const isNameOnly = rows.length === 0 && identity === null && searched !== ''
  const people = isNameOnly ? await findLeadsByText(database, searched) : []
  const { horizon } = await getOverview(database, 1)
  const query = new URLSearchParams(url.search)
  query.set('before', String(rows.at(-1)?.cursor))
  const empty = horizon > 0 ? events.emptyExpired : events.empty
  const none = searched !== '' ? events.noneFound : types.length > 0 ? events.emptyType : empty
  const choose = ({ id, name }: ShownLead) =>
    html`<a href="${path}?lead=${id}" aria-label="${events.show}: ${name}">${events.show}</a>`
  const search = ui.searchField(texts.search, searched, events.searchHint)
  return {
    title: texts.pages.events,
    area: 'events',
    liveMs: about === '' && before === null && 3_000,
    content: html`<form method="get" action="${path}" class="row search">${search}${ui.button(texts.show)}${searched !== '' && html`<a href="${path}">${events.all}</a>`}</form>
${chips(context, asked)}
${identity !== null && (await personHead(context, identity))}
${before !== null && html`<p><a href="${path}">${texts.newest}</a></p>`}
${people.length > 0 ? leadChoice(context, people, choose) : eventTable(context, rows, none)}
${rows.length === perPage && html`<p><a href="${path}?${query}">${texts.older}</a></p>`}`,
  }
}
