// Notifies the owner after 5, 8 and 10 failures in a row. The statement that records the attempt inserts the notice, so a
// crash loses none. Each is tried for a day at most.
import type { Database } from '../db/database.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import type { Log } from '../observability/log.ts'
import type { openNoticeMail } from './notice_mail.ts'

type NoticesOptions = {
  database: Database
  log: Log
  /** Only the leader sends. */
  isLeading(): boolean
  /** None: without a mail server. */
  mail: ReturnType<typeof openNoticeMail> | undefined
  /** Until a notice that was not accepted is sent again for the first time. */
  retryMs: number
}

// Another process may have recorded the failure, and ended before it sent the notice.
const pollMs = 10_000

/** Never fails: what goes wrong is logged and tried again. Runs until stop(), which closes the connection to the mail server too. */
export function startNotices({ database, log, mail, isLeading, retryMs }: NoticesOptions) {
  if (mail === undefined) return { wake() {}, async stop() {} }
  let stopped = false
  // One at a time: others of the list would be due again while the first waits for an answer.
  const one = { is_set: mail.isSet, retry_ms: retryMs, row_limit: 1 }
  const loop = startPollLoop({
    async step() {
      const [due] = isLeading() ? await database.rows('claimOwnerNotices', one) : []
      if (due === undefined) return Math.min(pollMs, retryMs)
      const { id, subscription_id } = due
      const { status, errorClass: error_class } = await mail.send(due)
      if (stopped && error_class !== null) return 0
      log.event('notice', { notice_id: id, subscription_id, status, error_class })
      await database.rows('updateOwnerNotice', { id, error_class })
      return 0
    },
    onFailure: error => log.fault('notices', error),
  })
  return {
    /** A notice may be due. */
    wake: loop.wake,
    async stop() {
      stopped = true
      mail.close()
      await loop.stop()
    },
  }
}
