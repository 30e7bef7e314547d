// Notices to the owner: where they go, as entered in the dashboard or else as the settings say; tests, and what came of all.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { NoticeLanguage } from '../model/notice.ts'

/** What the settings of the process say. */
export type NoticeDefaults = {
  /** Host of the mail server; null: no notices. */
  mailServer: string | null
  mailTo: readonly string[]
  language: NoticeLanguage
}

/** What the owner entered; null: as the settings say. */
type NoticeChoice = { mail_to: string | null; language: NoticeLanguage | null }

export type NoticeSettings = {
  chosen: NoticeChoice
  /** Empty: no notice is sent. */
  mailTo: readonly string[]
  language: NoticeLanguage
}

const none: NoticeChoice = { mail_to: null, language: null }

/** What is in force. */
export async function getNoticeSettings(
  database: Database,
  defaults: NoticeDefaults,
): Promise<NoticeSettings> {
  const [stored] = await database.rows('getNoticeSettings', {})
  const chosen = { ...none, ...stored } as NoticeChoice
  const entered = chosen.mail_to === null ? defaults.mailTo : chosen.mail_to.split(',')
  return {
    chosen,
    mailTo: defaults.mailServer === null ? [] : entered,
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
export const listNotices = (database: Database, limit: number) =>
  database.rows('listOwnerNotices', { row_limit: limit })

const lookMs = 100

/**
 * Asks the worker for a test, and waits for its outcome, no longer than given. True: it was accepted; false: it was not; null: not
 * known yet.
 */
export async function testNotices(
  database: Database,
  milliseconds: number,
): Promise<boolean | null> {
  const [made] = await database.rows('insertTestNotice', {})
  const end = performance.now() + milliseconds
  while (performance.now() < end) {
    await pause(lookMs)
    // Others may come in between.
    const test = (await listNotices(database, 20)).find(({ id }) => id === made?.id)
    if (test && test.error_class !== null) return false
    if (test && test.sent_at !== null) return true
  }
  return null
}
