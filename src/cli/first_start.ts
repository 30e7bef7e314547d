// What a first start makes on the embedded server: demo data with a key, and the owner's password.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dataFile } from '../config/data_dir.ts'
import type { Config } from '../config/settings.ts'
import { withConnection } from '../db/connect.ts'
import { openDatabase } from '../db/database.ts'
import { queries } from '../db/queries.ts'
import { isEmpty, loadDemo } from '../demo/load.ts'
import {
  hashPassword,
  makePassword,
  type PasswordHash,
  readHash,
  writeHash,
} from '../model/password.ts'
import { scopes } from '../model/scope.ts'
import { createApiKey } from '../operations/keys.ts'
import { demoLeads } from './maintenance.ts'
import { progressOf } from './output.ts'

export const demoKeyFile = (config: Config) => dataFile(config, 'demo_key')

/**
 * Fills a fresh embedded database; the demo key stays in a file that only this user reads. False: stopped before it was
 * done, and nothing is loaded.
 */
export async function prepareDemo(
  config: Config,
  url: string,
  stopped: Promise<unknown>,
): Promise<boolean> {
  let stopping = false
  const prepare = withConnection({ url, applicationName: 'workspace-data-api demo' }, async sql => {
    void stopped.then(() => {
      stopping = true
      return sql.end({ timeout: 0 })
    })
    if (await isEmpty(sql)) await loadDemo(sql, demoLeads, progressOf('demo data'))
    if (existsSync(demoKeyFile(config))) return
    const input = { label: 'Demo', scopes: [...scopes] }
    const { key } = await createApiKey(openDatabase(sql, queries), input)
    writeFileSync(demoKeyFile(config), key, { mode: 0o600 })
  })
  return prepare.then(
    () => true,
    error => {
      if (stopping) return false
      throw error
    },
  )
}

/** The owner's password on the embedded server: made at the first start and said then; its hash alone is kept. */
export async function preparePassword(
  config: Config,
): Promise<{ hash: PasswordHash; made?: string }> {
  const file = dataFile(config, 'dashboard_password')
  if (existsSync(file)) return { hash: readHash(readFileSync(file, 'utf8').trim()) }
  const made = makePassword()
  return { hash: await hashPassword(made), made }
}

/** Not before the service runs: a start that fails shows no password. */
export const keepPassword = (config: Config, hash: PasswordHash) =>
  writeFileSync(dataFile(config, 'dashboard_password'), `${writeHash(hash)}\n`, { mode: 0o600 })
