// A client of the feed as the contract wants it: stores next_cursor, sends it as after.
import type { TestService } from '../http/service.ts'

export type ReadEvent = {
  id: string
  event_type: string
  schema_version: string
  object_type: string
  object_id: string
  links: { lead_id: string | null; session_id: string | null }
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  data: any
  cursor: number
}

export type FeedReader = {
  seen: ReadEvent[]
  /** Reads one page; returns how many events were on it. */
  readPage(): Promise<number>
  /** Reads until a page is empty. */
  readAll(): Promise<ReadEvent[]>
}

export function feedReader(
  api: TestService,
  options: { limit?: number; types?: string; after?: number } = {},
): FeedReader {
  const seen: ReadEvent[] = []
  let { after } = options
  async function readPage() {
    const query = new URLSearchParams({ limit: String(options.limit ?? 200) })
    if (after !== undefined) query.set('after', String(after))
    if (options.types) query.set('types', options.types)
    const { status, body } = await api.send(`/events?${query}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    after = body.meta.next_cursor
    seen.push(...body.data)
    return body.data.length as number
  }
  return {
    seen,
    readPage,
    async readAll() {
      while ((await readPage()) > 0);
      return seen
    },
  }
}
