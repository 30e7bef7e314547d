// A process that follows the feed without sequencing requests a notification for every batch, and renews the
// request. A notification only shortens a poll.
import type { Database } from './database.ts'

// Each lasts for 15 s: see update_feed_watch.
const renewMs = 5_000

/** Asks when the last time is long enough ago; never fails. */
export type FeedWatch = () => void

export function openFeedWatch(
  database: Pick<Database, 'rows'>,
  now = () => performance.now(),
): FeedWatch {
  let askedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (now() - askedAt < renewMs) return
    askedAt = now()
    database.rows('updateFeedWatch', {}).catch(() => {
      askedAt = Number.NEGATIVE_INFINITY
    })
  }
}
