// What one delivery is sent with: headers signed anew, and a command that sends the same by hand.
import { type DeliveryRequest, getDeliveryRequest } from '../../operations/deliveries.ts'
import type { Context } from '../context.ts'
import { type Html, html } from '../html.ts'
import { copyable } from '../parts.ts'

/** For a shell: nothing in it means anything. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The same request as the service's, as far as its receiver looks. */
function curlOf(
  { target_url, body }: Pick<DeliveryRequest, 'target_url' | 'body'>,
  headers: Record<string, string>,
): string {
  const lines = Object.entries({ 'Content-Type': 'application/json', ...headers }).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  )
  return [`curl -i ${quoted(target_url)}`, ...lines, `--data-raw ${quoted(body)}`].join(' \\\n  ')
}

/** Nothing where the event is gone, or nothing may be sent. */
export async function requestPart(context: Context, id: string, cursor: number): Promise<Html> {
  const { database, serving, texts } = context
  const { delivery } = texts
  const request = await getDeliveryRequest(database, id, cursor)
  const preview = request && serving.previewRequest(id, request, cursor < 0)
  if (!request || !preview) return html``
  return html`<h2>${delivery.request}</h2>
<p class="muted">${delivery.requestText}</p>
<details><summary>${delivery.headers}</summary>${copyable(context, preview.head, delivery.headers)}</details>
<details><summary>${delivery.curl}</summary><p>${delivery.curlText}</p>${copyable(context, curlOf(request, preview.headers), delivery.curl)}</details>`
}
