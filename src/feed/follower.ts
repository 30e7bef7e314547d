// Receives what was sequenced, by this process or another.
import type { LogEvent } from './log_event.ts'

export type FeedFollower = {
  /** Event types whose bodies it needs. */
  wantedTypes(): readonly string[]
  /** All events of `types` above `after`, up to `to`. */
  onSequenced(batch: {
    after: number
    to: number
    types: readonly string[]
    events: LogEvent[]
  }): void
  /** The head of the feed, no matter which process gave out its cursors. */
  onHead(head: number): void
}
