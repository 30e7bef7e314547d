// Notices by webhook: signed like a delivery, over connections of their own.

import { targetHost } from '../model/target_url.ts'
import type { Sender } from '../sending/sender.ts'
import { signedHeaders, signingKeys } from '../sending/signature.ts'
import { type Notice, type NoticeChannel, noticeType } from './notices.ts'

export type NoticeWebhookOptions = {
  sender: Sender
  /** Where to, unless the owner entered another address. */
  url: string | undefined
  /** Sign the notices; the last one alone where there is room for one signature. At least one. */
  secrets: readonly string[]
  /** Where the owner finds the dashboard; null when that is not known. */
  dashboardUrl: string | null
}

const momentOf = (at: string | null) => (at === null ? null : new Date(at).toISOString())

const subscriptionOf = ({ subscription_id, label, target_url, active }: Notice) =>
  subscription_id === null
    ? null
    : { id: subscription_id, label, target_host: targetHost(target_url), active }

function bodyOf(notice: Notice, dashboardUrl: string | null): string {
  const { id, failures, subscription_id } = notice
  const page = subscription_id === null ? 'notices' : `webhooks/${subscription_id}`
  return JSON.stringify({
    id,
    type: noticeType(failures),
    consecutive_failures: failures ?? 0,
    occurred_at: momentOf(notice.created_at),
    subscription: subscriptionOf(notice),
    failing_since: momentOf(notice.failing_since),
    catch_up_cursor: notice.catch_up_cursor,
    dashboard_url: dashboardUrl && `${dashboardUrl}/${page}`,
  })
}

export function openNoticeWebhook(options: NoticeWebhookOptions): NoticeChannel {
  const { sender, dashboardUrl } = options
  const live = options.secrets.map(signingKeys)
  const primary = live.at(-1)
  if (primary === undefined) throw new TypeError('a notice needs a secret')
  return {
    name: 'webhook',
    isSet: options.url !== undefined,
    async send(notice) {
      const body = bodyOf(notice, dashboardUrl)
      const timestamp = Math.floor(Date.now() / 1_000)
      const headers = signedHeaders({ eventId: notice.id, body, timestamp, primary, live })
      const url = notice.webhook_url ?? options.url ?? ''
      const { status, errorClass } = await sender.send({ url, group: 'notices', headers, body })
      return { status, errorClass }
    },
    close: () => sender.close(),
  }
}
