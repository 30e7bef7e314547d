// Ereignisse: the newest of the feed, live where scripts run, and one event with its content.

import { type EventType, isEventType } from '../../model/event_type.ts'
import { idsMax } from '../../operations/found_deliveries.ts'
import {
  countEventReceivers,
  getEvent,
  getEventPerson,
  getFeed,
  listEventsAbout,
  listNewestEvents,
  type ReceiverCount,
} from '../../operations/overview.ts'
import { readPlainInteger } from '../../operations/parameters.ts'
import type { Context, Page } from '../context.ts'
import { eventGroups } from '../event_groups.ts'
import { hookOf } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import { jsonPart } from '../json_tree.ts'
import { button, eventName, exactly, facts, nameOf, number, tableOf, when } from '../parts.ts'
import { deliveryStatePart } from './delivery.ts'
import { searchedMax, searchedOf } from './delivery_filter.ts'
import { receivers } from './event_receivers.ts'

const eventsPerPage = 50

/** The types asked for; empty: every type. */
export const typesOf = (url: URL): EventType[] => [
  ...new Set(url.searchParams.getAll('type').filter(isEventType)),
]

export const cursorOf = (text: string | null): number | null =>
  text === null ? null : (readPlainInteger(text) ?? null)

type Events = Awaited<ReturnType<typeof listNewestEvents>>

type Asked = { types: EventType[]; searched: string }

/** What the address asks for, in the form of its query. */
const queryOf = ({ types, searched }: Asked, more: Record<string, string> = {}): string =>
  new URLSearchParams([
    ...types.map(type => ['type', type]),
    ...(searched === '' ? [] : [['q', searched]]),
    ...Object.entries(more),
  ]).toString()

function filter({ texts }: Context, { types, searched }: Asked): Html {
  const { events, found } = texts
  const choice = (type: EventType) =>
    html`<label class="tick"><input type="checkbox" name="type" value="${type}"${types.includes(type) && html` checked`}>${eventName(texts, type)}</label>`
  const groups = Object.entries(eventGroups).map(
    ([group, inside]) =>
      html`<fieldset><legend>${texts.eventGroups[group as keyof typeof eventGroups]}</legend>${inside.map(choice)}</fieldset>`,
  )
  const chosen = types.map(type => eventName(texts, type)).join(', ')
  const isOn = types.length > 0 || searched !== ''
  return html`<form method="get" action="/dashboard/events"><div class="row"><label class="wide">${found.search}
<input name="q" type="search" maxlength="${searchedMax}" value="${searched}" autocomplete="off" aria-describedby="search-hint"></label></div>
<p class="hint" id="search-hint">${events.searchHint}</p>
<details${types.length > 0 && html` open`}><summary>${events.filter}${chosen !== '' && `: ${chosen}`}</summary>
<div class="groups">${groups}</div></details>
<div class="actions">${button(events.show)}${isOn && html`<a href="/dashboard/events">${events.all}</a>`}</div></form>`
}

// What needs the owner goes before what goes by itself.
const byUrgency = [
  ['failed', null],
  ['skipped', null],
  ['pending', 'failures'],
  ['pending', null],
  ['pending', 'owner'],
  ['delivered', null],
] as const

// What is under way for longer does not change by itself any more.
const underWayMs = 60_000

/** How far an event came: the state that matters most, and at which of the webhooks that get it. */
function arrival(context: Context, event: Events[number], all: readonly ReceiverCount[]): Html {
  const { texts } = context
  const own = all.filter(({ cursor }) => cursor === event.cursor)
  const worst = byUrgency
    .map(([state, pausedBy]) => own.find(one => one.state === state && one.paused_by === pausedBy))
    .find(one => one !== undefined)
  if (!worst) return html`–`
  const { state, subscriptions } = worst
  const total = own.reduce((sum, one) => sum + one.subscriptions, 0)
  const hook = hookOf(context, worst.subscription_id)
  const ageMs = Date.now() - Date.parse(event.occurred_at)
  const isUnderWay = state === 'pending' && worst.paused_by === null && ageMs < underWayMs
  const name =
    hook && total === 1 ? nameOf(texts, hook) : texts.events.ofWebhooks(subscriptions, total)
  return html`<span${isUnderWay && html` data-under-way`}>${deliveryStatePart(context, { state }, hook)} <span class="muted">${name}</span></span>`
}

function row(context: Context, event: Events[number], all: readonly ReceiverCount[]): Html {
  const { texts } = context
  const { events } = texts
  return html`<tr>
<th scope="row"><a href="/dashboard/events/${event.cursor}">${eventName(texts, event.event_type)}</a></th>
<td class="long" data-name="${events.about}">${event.person?.trim() || '–'}</td>
<td data-name="${events.receivers}">${arrival(context, event, all)}</td>
<td data-name="${events.at}">${when(context, event.occurred_at)}</td>
<td class="number only-wide"><small class="muted">${event.cursor}</small></td>
</tr>
`
}

function liveLine({ texts, worker }: Context, stream: string, after: number): Html {
  const { events } = texts
  const live = worker === 'missing' ? events.liveStopped : events.live
  return html`<p class="actions" data-stream="${stream}" data-after="${after}"><span id="live" role="status" class="muted" data-live-text="${live}" data-lost="${events.lost}" data-over="${events.over}"></span>
<a id="again" href="/dashboard/sign-in?next=/dashboard/events" hidden>${texts.signIn.title}</a>
<button type="button" id="pause" data-pause="${events.pause}" data-resume="${events.resume}" hidden>${events.pause}</button>
<button type="button" id="fresh" data-one="${events.freshOne}" data-many="${events.fresh}" hidden></button></p>`
}

/** Where all have expired there were some. */
export const noEvents = ({ texts: { events } }: Context, horizon: number): string =>
  horizon > 0 ? events.emptyExpired : events.empty

async function table(
  context: Context,
  { types, searched }: Asked,
  rows: Events,
  horizon: number,
): Promise<Html> {
  const { texts } = context
  const { events, found } = texts
  const none = types.length === 0 ? noEvents(context, horizon) : events.emptyType
  if (rows.length === 0 && searched !== '')
    return html`<p class="muted">${found.noEvents} ${found.noNames} ${found.noEventsBefore(number(context, idsMax))}</p>`
  if (rows.length === 0) return html`<p class="muted">${none}</p>`
  const cursors = rows.map(({ cursor }) => cursor)
  const all = await countEventReceivers(context.database, cursors)
  const cursor = { name: events.cursor, kind: 'number' as const }
  return tableOf(
    texts.pages.events,
    [events.type, events.about, events.receivers, events.at, cursor],
    rows.map(one => row(context, one, all)),
  )
}

export async function eventsPage(context: Context): Promise<Page> {
  const { texts, database, url } = context
  const { events } = texts
  const asked = { types: typesOf(url), searched: searchedOf(url.searchParams.get('q')) }
  const before = cursorOf(url.searchParams.get('before'))
  // The head first: what comes between the two looks is on the page and in the stream, not in neither.
  const { head, horizon } = await getFeed(database)
  const page = { types: asked.types, before, limit: eventsPerPage }
  const rows = await (asked.searched === ''
    ? listNewestEvents(database, page)
    : listEventsAbout(database, asked.searched, page))
  const after = Math.max(head, rows[0]?.cursor ?? 0)
  const newest = html`<p><a href="/dashboard/events?${queryOf(asked)}">${texts.newest}</a></p>`
  const live =
    asked.searched === '' && liveLine(context, `/dashboard/events/stream?${queryOf(asked)}`, after)
  const older = queryOf(asked, { before: String(rows.at(-1)?.cursor) })
  return {
    title: texts.pages.events,
    area: 'events',
    actions: html`<a class="button" href="/dashboard/events/catalog">${events.catalog}</a>`,
    content: html`<p>${events.intro}</p>
${filter(context, asked)}
${before === null ? live : newest}
<div id="live-events" data-live>
${await table(context, asked, rows, horizon)}
${rows.length === eventsPerPage && html`<p><a href="/dashboard/events?${older}">${texts.older}</a></p>`}
</div>`,
  }
}

/** Null: there is no such event, or not any more. */
export async function eventPage(context: Context): Promise<Page | null> {
  const { texts, database, parameters } = context
  const { events } = texts
  const cursor = cursorOf(parameters.number ?? null)
  if (cursor === null) return null
  const [event, person] = await Promise.all([
    getEvent(database, cursor),
    getEventPerson(database, cursor),
  ])
  if (!event) return null
  const about = `${event.object_type} ${event.object_id}`
  return {
    title: eventName(texts, event.event_type),
    area: 'events',
    trail: { path: '/dashboard/events', text: texts.pages.events },
    content: html`${facts([
      [events.at, exactly(context, event.occurred_at)],
      person !== null && [events.about, person],
      [events.type, html`<code>${event.event_type}</code>`],
      [events.object, html`<code>${about}</code>`],
      [events.cursor, html`<code>${event.cursor}</code>`],
      [events.id, html`<code>${event.id}</code>`],
    ])}
<h2>${events.receivers}</h2>
${await receivers(context, event.cursor)}
<h2>${events.payload}</h2>
<p class="muted">${events.personal}</p>
${jsonPart(context, event, events.payload)}`,
  }
}
