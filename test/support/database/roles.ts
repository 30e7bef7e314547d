// Roles of least privilege on a test's database, under names of their own, with logins for each; gone at the end.
import { afterAll, beforeAll } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { grantWorkspaceRoles } from '../../../src/db/roles.ts'
import { serverUrl, type TestDatabase } from './database.ts'
import { administer } from './server.ts'

export const roleNames = ['api', 'worker', 'dashboard', 'writer', 'dba'] as const
export type RoleName = (typeof roleNames)[number]

const password = 'least-privilege'

/** Call at the top of a file, after useDatabase. */
export function useRoles(database: TestDatabase) {
  const prefix = `wda_${randomBytes(5).toString('hex')}`
  const name = (role: RoleName) => `${prefix}_${role}`
  beforeAll(async () => {
    await grantWorkspaceRoles(database.sql, { prefix, statementTimeoutMs: 5_000 })
    for (const role of roleNames)
      await database.sql.unsafe(`alter role ${name(role)} login password '${password}'`)
  })
  // Runs after the database was dropped, and with it all that was granted.
  afterAll(async () => {
    const sql = administer(serverUrl())
    for (const role of roleNames) await sql.unsafe(`drop role ${name(role)}`)
    await sql.end()
  })
  return {
    prefix,
    /** The name of the role in the database. */
    name,
    /** The database's address with the role's login; writer and dashboard get one for the test. */
    url(role: RoleName): string {
      const url = new URL(database.url)
      url.username = name(role)
      url.password = password
      return url.href
    },
  }
}
