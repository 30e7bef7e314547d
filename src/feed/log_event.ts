// Events that got cursors, and what receives them.
import type { RowOf } from '../db/queries.ts'

export type LogEvent = {
  cursor: number
  type: string
  /** Of the envelope. */
  id: string
  /** When the change was made, as a unix time. */
  occurredMs: number
  /** The envelope as JSON. */
  body: string
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

/** A row of the queries that read the log. One without a body is no event, or one whose body is to be read later. */
type LogRow = Omit<RowOf<'sequenceEvents'>, 'state'>
type EventRow = { [Name in keyof LogRow]: NonNullable<LogRow[Name]> }

const isEvent = (row: LogRow): row is EventRow => row.body !== null

/** The events among the rows, in the order of their cursors. */
export const logEventsOf = (rows: readonly LogRow[]): LogEvent[] =>
  rows
    .filter(isEvent)
    .map(({ event_type: type, event_id: id, occurred_ms: occurredMs, cursor, body }) => ({
      cursor,
      type,
      id,
      occurredMs,
      body,
    }))
    .sort((one, other) => one.cursor - other.cursor)
