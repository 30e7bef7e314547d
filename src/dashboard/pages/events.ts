// Ereignisse: the newest of the feed, live where scripts run, and one event with its content.
import { type EventType, eventTypes, isEventType } from '../../model/event_type.ts'
import { getEvent, getFeed, listNewestEvents } from '../../operations/overview.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { eventCell, eventName, moment } from '../parts.ts'

const eventsPerPage = 50
const cursorForm = /^(0|[1-9]\d{0,15})$/

/** The type asked for; null: every type. */
export const typeOf = (url: URL): EventType | null => {
  const type = url.searchParams.get('type') ?? ''
  return isEventType(type) ? type : null
}

export const cursorOf = (text: string | null): number | null =>
  text !== null && cursorForm.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null

type Events = Awaited<ReturnType<typeof listNewestEvents>>

const filter = ({ texts }: Context, type: EventType | null): Html => {
  const option = (value: string, name: string) =>
    html`<option value="${value}"${value === (type ?? '') ? html` selected` : ''}>${name}</option>`
  return html`<form method="get" action="/dashboard/events"><label for="type">${texts.events.type}</label>
<div role="group"><select name="type" id="type">
${option('', texts.events.all)}
${eventTypes.map(one => option(one, `${eventName(texts, one)} (${one})`))}
</select><button>${texts.events.show}</button></div></form>`
}

type Live = { stream: string; after: number } | null

function table(context: Context, rows: Events, live: Live): Html {
  const { texts } = context
  const { events } = texts
  const columns = [events.cursor, events.type, events.at, events.about]
  const tail =
    live &&
    html` data-stream="${live.stream}" data-after="${live.after}" data-names="${JSON.stringify(texts.eventNames)}" data-columns="${JSON.stringify(columns)}"`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${texts.pages.events}"><table class="cards"${tail}${rows.length === 0 ? html` hidden` : ''}>
<thead><tr>${columns.map(name => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows.map(
  row => html`<tr><td data-name="${columns[0]}"><a href="/dashboard/events/${row.cursor}">${row.cursor}</a></td>
<td data-name="${columns[1]}">${eventCell(texts, row.event_type)}</td>
<td data-name="${columns[2]}">${moment(context, row.occurred_at)}</td>
<td class="long" data-name="${columns[3]}">${row.object_type} ${row.object_id}</td></tr>
`,
)}
</tbody></table></div>`
}

export async function eventsPage(context: Context): Promise<Page> {
  const { texts, database, url } = context
  const { events } = texts
  const type = typeOf(url)
  const before = cursorOf(url.searchParams.get('before'))
  // The head first: what comes between the two looks is on the page and in the stream, not in neither.
  const { head } = await getFeed(database)
  const rows = await listNewestEvents(database, { type, before, limit: eventsPerPage })
  const query = type === null ? '' : `type=${encodeURIComponent(type)}`
  const after = Math.max(head, rows[0]?.cursor ?? 0)
  const live = before === null ? { stream: `/dashboard/events/stream?${query}`, after } : null
  const last = rows.at(-1)
  return {
    title: texts.pages.events,
    area: 'events',
    content: html`<p>${events.intro}</p>
${filter(context, type)}
${live ? html`<p class="actions"><span id="live" role="status" class="muted" data-live="${events.live}" data-lost="${events.lost}"></span> <button type="button" class="secondary outline small" id="pause" data-pause="${events.pause}" data-resume="${events.resume}" hidden>${events.pause}</button></p>` : html`<p><a href="/dashboard/events?${query}">${texts.newest}</a></p>`}
${rows.length === 0 && html`<p class="muted" id="empty">${type === null ? events.empty : events.emptyType}</p>`}
${table(context, rows, live)}
${rows.length === eventsPerPage && html`<p><a href="/dashboard/events?${query}&amp;before=${last?.cursor}">${texts.older}</a></p>`}`,
  }
}

/** Null: there is no such event, or not any more. */
export async function eventPage(context: Context): Promise<Page | null> {
  const { texts, database, parameters } = context
  const cursor = cursorOf(parameters.number ?? null)
  const event = cursor === null ? null : await getEvent(database, cursor)
  if (!event) return null
  return {
    title: eventName(texts, event.event_type),
    area: 'events',
    content: html`<dl class="facts">
<dt>${texts.events.type}</dt><dd>${event.event_type}</dd>
<dt>${texts.events.at}</dt><dd>${moment(context, event.occurred_at)}</dd>
<dt>${texts.events.cursor}</dt><dd>${event.cursor}</dd>
<dt>${texts.events.about}</dt><dd>${event.object_type} ${event.object_id}</dd>
</dl>
<h2>${texts.events.payload}</h2>
<p class="muted">${texts.events.personal}</p>
<pre class="wrap" tabindex="0"><code>${JSON.stringify(event, null, 2)}</code></pre>
<p><a href="/dashboard/events">${texts.back}</a></p>`,
  }
}
