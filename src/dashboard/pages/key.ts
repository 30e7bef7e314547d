// One key: what it may, and what it asked for lately.
import { countKeyRequests, listKeyRequests } from '../../operations/key_requests.ts'
import { listApiKeys } from '../../operations/keys.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { duration, exactly, facts, number, state, tableOf, toTheMinute, when } from '../parts.ts'
import { keyActions, keyState } from './key_parts.ts'

type KeyRequest = Awaited<ReturnType<typeof listKeyRequests>>[number]

function requestsPart(context: Context, requests: KeyRequest[]): Html {
  const { texts } = context
  const { keys } = texts
  if (requests.length === 0) return html`<p class="muted">${keys.requestsNone}</p>`
  const columns = [
    texts.events.at,
    keys.request,
    keys.status,
    { name: texts.delivery.duration, kind: 'number' as const },
    texts.status.faultRequest,
  ]
  const rows = requests.map(
    ({ at, method, route, tool, status, duration_ms, request_id }) => html`<tr>
<th scope="row">${exactly(context, at)}</th>
<td class="long" data-name="${keys.request}"><code>${method} ${route}${tool !== null && ` ${tool}`}</code></td>
<td data-name="${keys.status}">${state(status < 400 ? 'good' : 'bad', String(status))}</td>
<td class="number" data-name="${texts.delivery.duration}">${duration(context, duration_ms)}</td>
<td class="long" data-name="${texts.status.faultRequest}"><code>${request_id}</code></td></tr>
`,
  )
  return tableOf(keys.requests, columns, rows)
}

/** Null: there is no such key. */
export async function keyPage(context: Context): Promise<Page | null> {
  const { texts, database, serving, parameters } = context
  const { keys } = texts
  await serving.recordUses()
  const id = parameters.id ?? ''
  const all = await listApiKeys(database)
  const key = all.find(one => one.id === id)
  if (!key) return null
  const [countOf, requests] = await Promise.all([
    countKeyRequests(database, [id]),
    listKeyRequests(database, id),
  ])
  const scopes = key.scopes.map(
    scope => html`<li>${(texts.scopeNames as Record<string, string>)[scope] ?? scope}</li>`,
  )
  return {
    title: key.label,
    area: 'keys',
    trail: { path: '/dashboard/keys', text: texts.pages.keys },
    content: html`${facts([
      [keys.state, keyState(context, key)],
      key.expires_at === null && key.revoked_at === null && [keys.expires, keys.expiry['']],
      [keys.begins, html`<code>${key.prefix}…</code>`],
      [keys.day, number(context, countOf(id))],
      [keys.lastUsed, when(context, key.last_used_at)],
      [keys.created, toTheMinute(context, key.created_at)],
      [keys.scopes, html`<ul>${scopes}</ul>`, 'wide'],
    ])}
${keyActions(context, key, all)}
<h2>${keys.requests}</h2>
<p class="muted">${keys.requestsText}</p>
${requestsPart(context, requests)}`,
  }
}
