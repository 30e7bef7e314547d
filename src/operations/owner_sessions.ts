// Who is signed in to the dashboard. The browser holds a random token; the database its HMAC under the hash of the
// password, so a copy of the database opens nothing, and a new password ends every session.
import { createHmac, randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { PasswordHash } from '../model/password.ts'

const idleSecondsMax = 60 * 60
const ageSecondsMax = 12 * 60 * 60
const limits = { idle_seconds_max: idleSecondsMax, age_seconds_max: ageSecondsMax }

const tokenForm = /^[\w-]{43}$/

const digestOf = (owner: PasswordHash, token: string) =>
  createHmac('sha256', owner.key).update(token).digest('hex')

/** Returns the token of a new session, for the cookie alone. */
export async function openSession(database: Database, owner: PasswordHash): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await database.rows('pruneOwnerSessions', limits)
  await database.rows('insertOwnerSession', { digest: digestOf(owner, token) })
  return token
}

/**
 * Whether the session of this token lives. It goes on where the owner `isAtWork`: what an open page asks by itself keeps no session
 * alive.
 */
export async function useSession(
  database: Database,
  owner: PasswordHash,
  token: string,
  isAtWork = true,
): Promise<boolean> {
  if (!tokenForm.test(token)) return false
  const digest = digestOf(owner, token)
  const [session] = await database.rows('getOwnerSession', { digest, ...limits })
  if (session?.stale && isAtWork) await database.rows('updateOwnerSessionUsed', { digest })
  return session !== undefined
}

export async function closeSession(
  database: Database,
  owner: PasswordHash,
  token: string,
): Promise<void> {
  await database.rows('deleteOwnerSession', { digest: digestOf(owner, token) })
}
