// Tells an open page when something happened at a webhook, or at one of its deliveries. What happened is on the page itself,
// which the browser then asks for again.
import { cursorForm } from '../operations/deliveries.ts'
import { getHookPulse } from '../operations/overview.ts'
import type { Serving } from './context.ts'
import { eventStream } from './respond.ts'

const path =
  /^\/dashboard\/webhooks\/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\/watch$/

const lookMs = 500
// Proxies close connections on which nothing moves.
const keepAliveMs = 15_000

type Watched = { id: string; cursor: number | null }

/** Null: the address is another one. */
export function watchedHook(url: URL): Watched | null {
  const [, id] = path.exec(url.pathname) ?? []
  if (id === undefined) return null
  const cursor = url.searchParams.get('cursor') ?? ''
  return { id, cursor: cursorForm.test(cursor) ? Number(cursor) : null }
}

export function watchHook(
  serving: Serving,
  request: Request,
  { id, cursor }: Watched,
  isAllowed: () => Promise<boolean>,
): Response {
  const stream = serving.openStream(request, isAllowed)
  const encoder = new TextEncoder()
  let known: string | null | undefined
  let sentAt = performance.now()

  /** What to send next; empty: the stream ends. */
  async function next(): Promise<string> {
    while (await stream.isWanted()) {
      const pulse = await getHookPulse(serving.streamDatabase, id, cursor)
      const isFirst = known === undefined
      const changed = pulse !== known
      known = pulse
      if (isFirst) return 'retry: 2000\nevent: open\ndata:\n\n'
      if (changed) return 'event: changed\ndata:\n\n'
      if (performance.now() - sentAt > keepAliveMs) return ': keep-alive\n\n'
      await stream.waitForEvents(lookMs)
    }
    return ''
  }

  return eventStream(
    new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          // The connection ends when a look fails; the browser comes back.
          const text = await next().catch(() => '')
          sentAt = performance.now()
          if (text !== '') return controller.enqueue(encoder.encode(text))
          stream.end()
          controller.close()
        },
        cancel: () => stream.end(),
      },
      { highWaterMark: 1 },
    ),
  )
}
