// Notices to the owner by e-mail: where they go, as entered in the dashboard or else as the settings have it; a test, and
// what came of all.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { NoticeLanguage } from '../model/notice.ts'

/** What the settings of the process name. */
export type NoticeDefaults = {
  /** Host of the mail server; null: there are no notices. */
  mailServer: string | null
  mailTo: readonly string[]
  language: NoticeLanguage
}

/** What the owner entered; null: as the settings have it. */
export type NoticeChoice = { mail_to: string | null; language: NoticeLanguage | null }

export type NoticeSettings = {
  chosen: NoticeChoice
  /** None: there are no notices. */
  mailTo: readonly string[]
  language: NoticeLanguage
}

/** What is in force. */
export async function getNoticeSettings(
  database: Database,
  { mailServer, mailTo, language }: NoticeDefaults,
): Promise<NoticeSettings> {
  const [stored] = await database.list('getNoticeSettings', {})
  const chosen = { mail_to: stored?.mail_to ?? null, language: stored?.language ?? null }
  return {
    chosen: chosen as NoticeChoice,
    mailTo: mailServer === null ? [] : (chosen.mail_to?.split(',') ?? mailTo),
    language: (chosen.language as NoticeLanguage | null) ?? language,
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
  database.list('listOwnerNotices', { is_set: true, row_limit: limit })

export type ListedNotice = Awaited<ReturnType<typeof listNotices>>[number]

const pollMs = 100
const newestMax = 20

/** Asks the worker for a test e-mail and waits for its outcome, no longer than given. Null: not known yet. */
export async function testNotice(
  database: Database,
  milliseconds: number,
): Promise<boolean | null> {
  const [made] = await database.rows('insertTestNotice', {})
  const end = performance.now() + milliseconds
  while (performance.now() < end) {
    await pause(pollMs)
    const listed = await listNotices(database, newestMax)
    const test = listed.find(({ id }) => id === made?.id)
    if (test?.error_class) return false
    if (test?.sent_at) return true
  }
  return null
}
