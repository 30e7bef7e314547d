// Ereignisse: the newest of the feed; of one type, or about one person.
import { type EventType, isEventType } from '../../model/event_type.ts'
import { uuidForm } from '../../model/uuid.ts'
import { findLeads, findLeadsByText, hitsShown } from '../../operations/erasure.ts'
import { getEvent, listEventsAbout, listNewestEvents } from '../../operations/events.ts'
import { getOverview } from '../../operations/overview.ts'
import { readPlainInteger } from '../../operations/parameters.ts'
import type { Context, DashboardPage } from '../context.ts'
import { eventGroupNames, eventGroups } from '../event_groups.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { toTheMinute, when } from '../times.ts'

const path = '/dashboard/events'
const perPage = 50

type Events = Awaited<ReturnType<typeof listNewestEvents>>
type Listed = Events[number]
export type FoundLead = Awaited<ReturnType<typeof findLeadsByText>>[number]
type Group = keyof typeof eventGroups

/** A link to all events of the person that an event is about. */
const personLink = ({ cursor, person }: Listed): Html =>
  person?.trim() ? html`<a href="${path}?about=${cursor}">${person}</a>` : html`–`

export const eventColumns = (context: Pick<Context, 'texts'>): ui.TableColumn<Listed>[] => {
  const { texts } = context
  return [
    [
      texts.event,
      ({ cursor, event_type }) =>
        html`<a href="${path}/${cursor}">${ui.eventName(texts, event_type)}</a>`,
      'head',
    ],
    [texts.about, personLink, 'long'],
    [texts.at, ({ occurred_at }) => when(context, occurred_at)],
  ]
}

/** Which person: a choice among those whose name has it. */
export const leadTable = (
  context: Context,
  leads: readonly FoundLead[],
  choose: (lead: FoundLead) => Html,
): Html => {
  const { people } = context.texts
  return ui.table<FoundLead>(people.found, leads, [
    [people.name, ({ name, id }) => name ?? id, 'head'],
    [
      people.contact,
      ({ email, phone }) => [email, phone].filter(Boolean).join(', ') || '–',
      'long',
    ],
    [people.made, ({ created_at }) => toTheMinute(context, created_at)],
    [context.texts.action, choose, 'act'],
  ])
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
  types: EventType[]
  group: Group | null
  before: number | null
  searched: string
  identity: string | null
}

async function readAsked({ url, database }: Context): Promise<Asked> {
  const get = (name: string) => url.searchParams.get(name) ?? ''
  const group = eventGroupNames.find(one => one === get('group')) ?? null
  const type = get('type')
  const own = isEventType(type) ? [type] : []
  const about = readPlainInteger(get('about'))
  const event = about === undefined ? null : await getEvent(database, about)
  const lead = uuidForm.test(get('lead')) ? get('lead') : null
  return {
    types: own.length > 0 ? own : group ? [...eventGroups[group]] : [],
    group:
      group ??
      eventGroupNames.find(one => (eventGroups[one] as readonly string[]).includes(type)) ??
      null,
    before: readPlainInteger(get('before')) ?? null,
    searched: ui.searchedOf(get('q')),
    identity: lead ?? (event && identityOf(event)),
  }
}

/** They apply at once: the groups, and the types of the one that is chosen. */
function chips({ texts, url }: Context, { group }: Asked): Html {
  const type = url.searchParams.get('type')
  const kept = new URLSearchParams(
    [...url.searchParams].filter(([name]) => ['about', 'lead', 'q'].includes(name)),
  )
  const chip = (text: string, query: Record<string, string>, isOn: boolean) => {
    const search = new URLSearchParams([...kept, ...Object.entries(query)]).toString()
    return html`<li><a href="${path}${search && `?${search}`}"${isOn && html` aria-current="true"`}>${text}</a></li>`
  }
  const inside = group
    ? eventGroups[group].map(one => chip(texts.eventNames[one], { type: one }, one === type))
    : []
  return html`<nav aria-label="${texts.events.filter}"><ul class="chips">${chip(texts.events.all, {}, group === null)}${eventGroupNames.map(one => chip(texts.eventGroups[one], { group: one }, one === group && type === null))}</ul>
${inside.length > 0 && html`<ul class="chips">${inside}</ul>`}</nav>`
}

/** Whose events these are, and the way to erase them. */
async function personHead(context: Context, asked: Asked): Promise<Html | false> {
  const { texts, url, database } = context
  const { identity } = asked
  if (identity === null) return false
  const found = await findLeads(database, identity)
  const name = found?.leads[0]?.name ?? found?.keys[0] ?? identity
  const about = url.searchParams.get('about')
  const query = about === null ? `lead=${identity}` : `event=${about}`
  return html`<div class="notice calm"><p><strong>${texts.events.ofPerson(name)}</strong> <a href="${path}">${texts.events.all}</a></p>
<p><a href="/dashboard/privacy?${query}">${texts.events.toPrivacy}</a></p></div>`
}

type Found = { rows: Events; people: FoundLead[] }

/** By what an event carries, else by the name of a person. */
async function find({ database }: Context, asked: Asked): Promise<Found> {
  const { types, before, searched, identity } = asked
  const page = { types, before, limit: perPage }
  if (identity !== null)
    return { rows: await listEventsAbout(database, identity, page), people: [] }
  if (searched === '') return { rows: await listNewestEvents(database, page), people: [] }
  const rows = await listEventsAbout(database, searched, page)
  const people = rows.length > 0 ? [] : await findLeadsByText(database, searched)
  return { rows, people }
}

export async function eventsPage(context: Context): Promise<DashboardPage> {
  const { texts, database, url } = context
  const { events } = texts
  const asked = await readAsked(context)
  const { searched, identity, before, types } = asked
  const { rows, people } = await find(context, asked)
  const { horizon } = await getOverview(database, 1)
  const query = new URLSearchParams(url.search)
  query.set('before', String(rows.at(-1)?.cursor))
  const isNewest = searched === '' && identity === null && before === null
  const none =
    types.length > 0 ? events.emptyType : horizon > 0 ? events.emptyExpired : events.empty
  const hits =
    people.length > 0 &&
    html`<p>${people.length >= hitsShown ? events.manyPeople(ui.number(context, hitsShown)) : events.whichPerson}</p>
${leadTable(context, people, ({ id, name }) => html`<a href="${path}?lead=${id}" aria-label="${events.show}: ${name}">${events.show}</a>`)}`
  const search = ui.field({
    name: 'q',
    type: 'search',
    label: texts.search,
    value: searched,
    hint: events.searchHint,
  })
  return {
    title: texts.pages.events,
    area: 'events',
    ...(isNewest && { live: { path: path + url.search, everyMs: 3_000 } }),
    content: html`<form method="get" action="${path}" class="row search">${search}${ui.button(texts.show)}${searched !== '' && html`<a href="${path}">${events.all}</a>`}</form>
${chips(context, asked)}
${await personHead(context, asked)}
${before !== null && html`<p><a href="${path}">${texts.newest}</a></p>`}
${hits || ui.table(texts.pages.events, rows, eventColumns(context), searched === '' ? none : events.noneFound)}
${rows.length === perPage && html`<p><a href="${path}?${query.toString()}">${texts.older}</a></p>`}`,
  }
}
