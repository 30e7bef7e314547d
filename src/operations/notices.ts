// Notices to the owner: where they go, as entered in the dashboard or else as the settings say; tests, and what came of all.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { NoticeChannelName, NoticeLanguage } from '../model/notice.ts'

/** What the settings of the process say. */
export type NoticeDefaults = {
  /** Notices by webhook are signed; without a key there are none. */
  canSign: boolean
  webhookUrl: string | null
  /** Host of the mail server; null: no e-mails. */
  mailServer: string | null
  mailTo: readonly string[]
  language: NoticeLanguage
}

/** What the owner entered; null: as the settings say. */
export type NoticeChoice = {
  webhook_url: string | null
  mail_to: string | null
  language: NoticeLanguage | null
}

export type NoticeSettings = {
  chosen: NoticeChoice
  /** Those that lead somewhere. */
  channels: NoticeChannelName[]
  webhookUrl: string | null
  mailTo: readonly string[]
  language: NoticeLanguage
}

const none: NoticeChoice = { webhook_url: null, mail_to: null, language: null }

/** What is in force. */
export async function getNoticeSettings(
  database: Database,
  defaults: NoticeDefaults,
): Promise<NoticeSettings> {
  const [stored] = await database.list('getNoticeSettings', {})
  const chosen = { ...none, ...stored } as NoticeChoice
  const webhookUrl = defaults.canSign ? (chosen.webhook_url ?? defaults.webhookUrl) : null
  const entered = chosen.mail_to === null ? defaults.mailTo : chosen.mail_to.split(',')
  const mailTo = defaults.mailServer === null ? [] : entered
  return {
    chosen,
    channels: [
      ...(webhookUrl === null ? [] : (['webhook'] as const)),
      ...(mailTo.length === 0 ? [] : (['email'] as const)),
    ],
    webhookUrl,
    mailTo,
    language: chosen.language ?? defaults.language,
  }
}

export async function updateNoticeSettings(
  database: Database,
  choice: NoticeChoice,
): Promise<void> {
  await database.rows('updateNoticeSettings', choice)
}

/** Newest first. */
export const listNotices = (
  database: Database,
  channels: readonly NoticeChannelName[],
  limit: number,
) => database.list('listOwnerNotices', { channels, row_limit: limit })

export type ListedNotice = Awaited<ReturnType<typeof listNotices>>[number]

/** Channels whose last notice with an outcome was not accepted; `notices` are the newest first. */
export function refusedChannels(notices: readonly ListedNotice[]): Set<string> {
  const ended = notices.filter(
    ({ sent_at, error_class }) => sent_at !== null || error_class !== null,
  )
  const last = new Map(ended.toReversed().map(one => [one.channel, one]))
  return new Set([...last.values()].filter(one => one.sent_at === null).map(one => one.channel))
}

const lookMs = 100

/**
 * Asks the worker for a test over each channel, and waits for the outcomes, no longer than given. True: all were accepted; false:
 * one was not; null: not known yet.
 */
export async function testNoticeChannels(
  database: Database,
  channels: readonly NoticeChannelName[],
  milliseconds: number,
): Promise<boolean | null> {
  const made = await database.rows('insertTestNotices', { channels })
  const ids = new Set(made.map(({ id }) => id))
  const end = performance.now() + milliseconds
  while (performance.now() < end) {
    await pause(lookMs)
    // Others may come in between.
    const listed = await listNotices(database, channels, 20)
    const tests = listed.filter(({ id }) => ids.has(id))
    if (tests.some(({ error_class }) => error_class !== null)) return false
    if (tests.length === ids.size && tests.every(({ sent_at }) => sent_at !== null)) return true
  }
  return null
}
