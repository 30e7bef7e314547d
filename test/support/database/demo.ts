// A database with demo data, made by the first test of a run that wants one; the others clone it.
import { connect } from '../../../src/db/connect.ts'
import { loadDemo } from '../../../src/demo/load.ts'
import { createDatabase, databaseUrl, serverUrl } from './database.ts'
import { administer, demoName } from './server.ts'

const demoLeads = 500

async function make(): Promise<string> {
  const name = await createDatabase()
  const options = { url: databaseUrl(name), connectionsMax: 1, statementTimeoutMs: 60_000 }
  const sql = connect({ ...options, applicationName: 'test' })
  await loadDemo(sql, demoLeads, () => {})
  await sql.end()
  return name
}

/** The name of a template with demo data of 500 leads. Loading it takes far longer than a clone. */
export async function demoTemplate(): Promise<string> {
  const sql = administer(serverUrl())
  try {
    await sql`select pg_advisory_lock(hashtext(${demoName}))`
    const made = await sql`select from pg_database where datname = ${demoName}`
    if (made.length === 0) await sql.unsafe(`alter database ${await make()} rename to ${demoName}`)
  } finally {
    await sql.end()
  }
  return demoName
}
