// The PostgreSQL server of a test run, with a migrated template database to clone from.

import { migrateDatabase } from '../../../src/cli/database.ts'
import { connect, type Sql } from '../../../src/db/connect.ts'
import { startEmbeddedPostgres } from '../../../src/embedded/postgres.ts'
import { keepMadeCluster, makeDataDir, removeDataDir } from './data_dir.ts'

export const templateName = 'wda_test_template'
export const demoName = 'wda_test_demo'

export const withDatabaseName = (url: string, name: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

export const administer = (url: string) =>
  connect({ url, connectionsMax: 1, applicationName: 'test', statementTimeoutMs: 0 })

async function prepareTemplate(url: string, isOwn: boolean) {
  const sql = administer(url)
  try {
    for (const name of [templateName, demoName]) await sql.unsafe(`drop database if exists ${name}`)
    // On a server of this run that of the cluster is migrated already.
    await sql.unsafe(
      `create database ${templateName} template ${isOwn ? 'workspace' : 'template1'} strategy file_copy`,
    )
  } finally {
    await sql.end()
  }
  await migrateDatabase(withDatabaseName(url, templateName))
}

/** The server's files, with its database migrated, are kept for tests that need a server of their own. */
async function makeCluster(dataDir: string) {
  const server = await startEmbeddedPostgres({ dataDir })
  await migrateDatabase(server.url).finally(server.stop)
  keepMadeCluster(dataDir)
}

/** Test databases are thrown away, so nothing need reach the disk. */
async function startForTests(dataDir: string) {
  await makeCluster(dataDir)
  const server = await startEmbeddedPostgres({ dataDir })
  const sql = administer(server.url)
  try {
    await sql.unsafe('alter system set fsync = off')
    await sql.unsafe('alter system set full_page_writes = off')
    // Its workers would visit hundreds of databases that live for seconds.
    await sql.unsafe('alter system set autovacuum = off')
    // A client proves its password anew for each of thousands of connections.
    await sql.unsafe('alter system set scram_iterations = 1')
    await sql.unsafe('select pg_reload_conf()')
    await sql.unsafe(
      `set scram_iterations = 1; alter role postgres password '${new URL(server.url).password}'`,
    )
  } finally {
    await sql.end()
  }
  return server
}

/** A server with a migrated template. `stop` ends it and removes its files; so does a migration that fails. */
export async function openTestServer(purpose: string, dataDir = makeDataDir(purpose)) {
  const given = process.env.TEST_DATABASE_URL
  const server = given ? { url: given, stop: async () => {} } : await startForTests(dataDir)
  const stop = async () => {
    await server.stop()
    removeDataDir(dataDir)
  }
  try {
    await prepareTemplate(server.url, !given)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: server.url, dataDir, stop }
}

/** Does `work` in the migrated template of a test server, and stops the server. */
export async function withTemplate(purpose: string, work: (sql: Sql) => Promise<void>) {
  const server = await openTestServer(purpose)
  const sql = administer(withDatabaseName(server.url, templateName))
  try {
    await work(sql)
  } finally {
    await sql.end()
    await server.stop()
  }
}
