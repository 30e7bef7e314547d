// A client of the feed: pages by cursor, and after an error asks another process from where it was.
import { bearer } from '../http/service.ts'

export type SeenEvent = { cursor: number; object_id: string }

export type ChaosReader = {
  /** In the order they were read. */
  seen: readonly SeenEvent[]
  errors(): number
  stop(): Promise<void>
}

const pauseMs = 50
// A process that was killed may leave a request without an answer.
const timeoutMs = 10_000

type Page = { data: SeenEvent[]; meta: { next_cursor: number } }

async function readPage(url: string, key: string, after: number): Promise<Page> {
  const response = await fetch(`${url}/api/v1/events?limit=200&after=${after}`, {
    ...bearer(key),
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return (await response.json()) as Page
}

export function startReader(urls: () => string[], key: string): ChaosReader {
  const seen: SeenEvent[] = []
  let errors = 0
  let stopped = false

  async function read() {
    for (let after = 0; !stopped; await Bun.sleep(pauseMs))
      try {
        const all = urls()
        const page = await readPage(all[errors % all.length] ?? '', key, after)
        for (const { cursor, object_id } of page.data) seen.push({ cursor, object_id })
        after = page.meta.next_cursor
      } catch {
        errors += 1
      }
  }

  const reading = read()
  return {
    seen,
    errors: () => errors,
    async stop() {
      stopped = true
      await reading
    },
  }
}
