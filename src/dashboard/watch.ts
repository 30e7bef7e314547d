// Tells an open page when something happened at a webhook, at one of its deliveries, or at any webhook. What happened is on the
// page itself, which the browser then asks for again.
import type { Database } from '../db/database.ts'
import { cursorForm } from '../operations/deliveries.ts'
import { getHookPulse, getWorkspacePulse } from '../operations/overview.ts'
import type { Serving } from './context.ts'
import { eventStream } from './respond.ts'

/** What pages about all webhooks follow. */
export const workspaceWatchPath = '/dashboard/watch'
const hookPath =
  /^\/dashboard\/webhooks\/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\/watch$/

const hookLookMs = 500
// A look at all webhooks is more work.
const workspaceLookMs = 2_000
// Proxies close connections on which nothing moves.
const keepAliveMs = 15_000

type Watched = {
  /** At most this long after the last look comes the next one. */
  lookMs: number
  /** At least this long after the last look, however many events come. */
  pauseMs: number
  pulseOf(database: Database): Promise<string | null>
}

/** Null: the address is another one. */
export function watchedAt({ faults }: Serving, url: URL): Watched | null {
  if (url.pathname === workspaceWatchPath)
    return {
      lookMs: workspaceLookMs,
      pauseMs: workspaceLookMs,
      pulseOf: async database => `${await getWorkspacePulse(database)} ${faults.count}`,
    }
  const [, id] = hookPath.exec(url.pathname) ?? []
  if (id === undefined) return null
  const asked = url.searchParams.get('cursor') ?? ''
  const cursor = cursorForm.test(asked) ? Number(asked) : null
  return {
    lookMs: hookLookMs,
    pauseMs: 0,
    pulseOf: database => getHookPulse(database, id, cursor),
  }
}

export function watch(
  serving: Serving,
  request: Request,
  { lookMs, pauseMs, pulseOf }: Watched,
  isAllowed: () => Promise<boolean>,
): Response {
  const stream = serving.openStream(request, isAllowed)
  const encoder = new TextEncoder()
  let known: string | null | undefined
  let sentAt = performance.now()
  let lookedAt = Number.NEGATIVE_INFINITY

  /** What to send next; empty: the stream ends. */
  async function next(): Promise<string> {
    while (await stream.isWanted()) {
      const restMs = lookedAt + pauseMs - performance.now()
      if (restMs > 0) {
        await stream.waitForEvents(restMs)
        continue
      }
      const pulse = await pulseOf(serving.streamDatabase)
      lookedAt = performance.now()
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
