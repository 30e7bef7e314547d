// Tells the owner, at OWNER_WEBHOOK_URL, that a webhook keeps failing: at 5, 8 and 10 failures in a row. What is to be
// told is recorded with the attempt that reached the number, so nothing is forgotten by a crash; here it is sent until
// it is accepted, a day long. Beside deliveries, never in front of them.
import type { Database } from '../db/database.ts'
import type { Deadline } from '../db/deadline.ts'
import type { Log } from '../log.ts'
import { startLoop } from '../loop.ts'
import type { Sender } from './send.ts'
import { signedHeaders, signingKeys } from './signature.ts'

export type Notices = {
  /** Failures were counted: there may be something to tell. */
  wake(): void
  stop(): Promise<void>
}

export type NoticesOptions = {
  database: Database
  deadline: Deadline
  sender: Sender
  log: Log
  url: string
  /** Sign the notices; the last one alone where there is room for one signature. */
  secrets: readonly string[]
  /** Where the owner finds the dashboard; null when that is not known. */
  dashboardUrl: string | null
  /** Until a notice that was not accepted is sent again. */
  retryMs: number
}

// Another process may have recorded the failure, and ended before it told.
const pollMs = 10_000
const noticesPerLook = 20

type Notice = Awaited<ReturnType<typeof claim>>[number]

const claim = (database: Database, retry_ms: number) =>
  database.rows('claimOwnerNotices', { retry_ms, row_limit: noticesPerLook })

const momentOf = (at: string | null) => (at === null ? null : new Date(at).toISOString())

/** The body of a notice. The target's path may hold a token: its host is enough to know it by. */
function bodyOf(notice: Notice, dashboardUrl: string | null): string {
  const { id, failures, subscription_id, label, target_url, active } = notice
  return JSON.stringify({
    id,
    type: failures >= 10 ? 'webhook.paused' : 'webhook.failing',
    consecutive_failures: failures,
    occurred_at: momentOf(notice.created_at),
    subscription: { id: subscription_id, label, target_host: new URL(target_url).host, active },
    failing_since: momentOf(notice.failing_since),
    catch_up_cursor: notice.catch_up_cursor,
    dashboard_url: dashboardUrl && `${dashboardUrl}/webhooks/${subscription_id}`,
  })
}

/** Never fails: what goes wrong is logged and tried again. Runs until stop(), which closes the sender too. */
export function startNotices(options: NoticesOptions): Notices {
  const { database, deadline, sender, log, url, dashboardUrl, retryMs } = options
  const keys = options.secrets.map(signingKeys)
  let stopped = false

  async function tell(notice: Notice): Promise<void> {
    const primary = keys.at(-1)
    if (primary === undefined) throw new TypeError('a notice needs a secret')
    const body = bodyOf(notice, dashboardUrl)
    const headers = signedHeaders({
      eventId: notice.id,
      body,
      timestamp: Math.floor(Date.now() / 1_000),
      primary,
      live: keys,
    })
    const { status, errorClass } = await sender.send({ url, owner: 'notices', headers, body })
    log.notice({
      notice_id: notice.id,
      subscription_id: notice.subscription_id,
      status,
      error_class: errorClass,
    })
    if (errorClass === null) await deadline(database.rows('deleteOwnerNotice', { id: notice.id }))
  }

  async function look(): Promise<number> {
    const due = await deadline(claim(database, retryMs))
    const order = (one: Notice, other: Notice) => one.failures - other.failures
    for (const notice of due.toSorted(order)) if (!stopped) await tell(notice)
    return Math.min(pollMs, retryMs)
  }

  const { wake, ended } = startLoop({
    step: look,
    isOver: () => stopped,
    onFailure: error => log.fault('notices', error),
  })
  return {
    wake,
    async stop() {
      stopped = true
      wake()
      sender.close()
      await ended
    },
  }
}
