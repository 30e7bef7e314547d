// Events that got cursors, and what receives them.

export type LogEvent = {
  cursor: number
  type: string
  /** Of the envelope. */
  id: string
  /** When the change was made, as a unix time. */
  occurredMs: number | null
  /** The envelope as JSON; null: the event was erased. */
  body: string | null
}

/** All events of `types` with a cursor above `after`, up to `to`. */
export type Batch = { after: number; to: number; types: readonly string[]; events: LogEvent[] }

export type FeedFollower = {
  /** Event types whose bodies it needs. */
  wantedTypes(): readonly string[]
  onSequenced(batch: Batch): void
  /** The head of the feed, no matter which process gave out its cursors. */
  onHead(head: number): void
}

/** A row of the queries that read the log. One without a type is no event. */
export type LogRow = {
  cursor: number | null
  event_type: string | null
  event_id: string | null
  occurred_ms: number | null
  body: string | null
}

/** The events among the rows, in the order of their cursors. */
export const logEventsOf = (rows: readonly LogRow[]): LogEvent[] =>
  rows
    .flatMap(({ cursor, event_type: type, event_id, occurred_ms: occurredMs, body }) =>
      cursor === null || type === null
        ? []
        : [{ cursor, type, id: event_id ?? '', occurredMs, body }],
    )
    .sort((one, other) => one.cursor - other.cursor)
