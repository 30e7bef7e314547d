// Notifies the owner after 5, 8 and 10 failures in a row. The statement that records the attempt inserts the notice, so a
// crash loses none. Each is tried for a day at most.
import type { Database } from '../db/database.ts'
import type { RowOf } from '../db/queries.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import type { Log } from '../observability/log.ts'

export type Notice = RowOf<'claimOwnerNotices'>

type Notices = {
  /** A notice may be due. */
  wake(): void
  stop(): Promise<void>
}

/** The result of an attempt; a null error class means accepted. */
export type NoticeOutcome = { status: number | null; errorClass: string | null }

/** The way to the owner. */
export type NoticeMail = {
  /** Whether a setting says where to. What the owner entered in the dashboard comes with each notice. */
  isSet: boolean
  /** Never fails, and ends within seconds. */
  send(notice: Notice): Promise<NoticeOutcome>
  /** Ends what is being sent. */
  close(): void
}

type NoticesOptions = {
  database: Database
  log: Log
  /** Only the leader sends. */
  isLeading(): boolean
  /** None: without a mail server. */
  mail: NoticeMail | undefined
  /** Until a notice that was not accepted is sent again for the first time. */
  retryMs: number
}

// Another process may have recorded the failure, and ended before it sent the notice.
const pollMs = 10_000

/** Never fails: what goes wrong is logged and tried again. Runs until stop(), which closes the connection to the mail server too. */
export function startNotices({ database, log, mail, isLeading, retryMs }: NoticesOptions): Notices {
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
    wake: loop.wake,
    async stop() {
      stopped = true
      mail.close()
      await loop.stop()
    },
  }
}
