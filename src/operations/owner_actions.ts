// What the owner did in the dashboard: noted, and listed.
import type { Database } from '../db/database.ts'

/** Every action that is noted; the dashboard has a text for each. */
const ownerActions = [
  'key_created',
  'key_rotated',
  'key_revoked',
  'hook_created',
  'hook_changed',
  'hook_paused',
  'hook_reactivated',
  'hook_replayed',
  'hook_deleted',
  'hook_dismissed',
  'hook_secret_rotated',
  'hook_secret_switched',
  'delivery_sent_again',
  'notices_changed',
  'notices_tested',
  'person_erased',
] as const

export type OwnerAction = (typeof ownerActions)[number]

/** `subject` is the id of a key or a subscription, never a person; `name` that of a subscription that is gone. */
export async function noteOwnerAction(
  database: Database,
  noted: { action: OwnerAction; subject: string | null; name: string | null; client: string },
): Promise<void> {
  await database.rows('insertOwnerAction', noted)
}

export const listOwnerActions = (database: Database, limit: number) =>
  database.rows('listOwnerActions', { row_limit: limit })
