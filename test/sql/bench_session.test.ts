// The sessions that pgbench measures with are set up as the service's own are.
import { expect, test } from 'bun:test'
import postgres from 'postgres'
import { sessionOptions } from '../../bench/pgbench.ts'
import { sessionSettings } from '../../src/db/connect.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()

test('PostgreSQL takes all of their settings', async () => {
  const connection = { options: sessionOptions('auto') }
  const sql = postgres(database.url, { max: 1, connection })
  try {
    for (const [name, value] of Object.entries(sessionSettings)) {
      const [row] = await sql`select current_setting(${name}) as set`
      expect([name, row?.set]).toEqual([name, value])
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
})
