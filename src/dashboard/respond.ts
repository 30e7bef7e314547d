// Responses of the dashboard, with the headers that every one of them carries.
import type { Html } from './html.ts'

// Nothing from elsewhere, nothing inline. With a referrer policy of no-referrer browsers would send forms with "Origin: null".
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
}

export const htmlResponse = (
  page: Html,
  status = 200,
  more: Record<string, string> = {},
): Response =>
  new Response(page.toString(), {
    status,
    headers: { ...headers, ...more, 'content-type': 'text/html; charset=utf-8' },
  })

export function redirect(location: string, cookies: string[] = []): Response {
  const response = new Response(null, { status: 303, headers: { ...headers, location } })
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}

export const eventStream = (stream: ReadableStream<Uint8Array>): Response =>
  new Response(stream, { headers: { ...headers, 'content-type': 'text/event-stream' } })

/** A file to keep, sent as its parts come. */
export function csvResponse(parts: AsyncGenerator<string>, fileName: string): Response {
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel: async () => {
        await parts.return(undefined)
      },
    },
    { highWaterMark: 1 },
  )
  return new Response(stream, {
    headers: {
      ...headers,
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}"`,
    },
  })
}
