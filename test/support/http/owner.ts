// The owner of a dashboard in a test: a password is hashed once in a process, however many services and sessions it opens.
import { ownerPassword } from '../../../src/api/open_dashboard.ts'
import type { PasswordHash } from '../../../src/model/password.ts'

const hashes = new Map<string, Promise<PasswordHash | undefined>>()

/** What a service that is given this password makes of it. */
export function ownerOf(password: string): Promise<PasswordHash | undefined> {
  const hash = hashes.get(password) ?? ownerPassword({ DASHBOARD_PASSWORD: password })
  hashes.set(password, hash)
  return hash
}
