// The keys that encrypt the signing secrets of webhooks: SECRETS_KEY, or one made once and kept in DATA_DIR.
// Shared by whatever creates secrets and whatever signs with them.
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config/settings.ts'
import { dataFile } from '../config/settings.ts'
import type { Database } from '../db/database.ts'
import { ConfigError } from '../lib/config_error.ts'
import { errorCodeOf } from '../lib/error_code.ts'
import { keyIdOf, secretKeyId } from '../model/signing_secret.ts'
import type { Log } from '../observability/log.ts'

const keyBytes = 32

const decode = (text: string): Buffer =>
  text.length === 2 * keyBytes ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')

/** Of several processes that make one at the same moment, all end with the one that was first. */
function makeKeyFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, `${randomBytes(keyBytes).toString('base64')}\n`, {
      mode: 0o600,
      flush: true,
    })
    // A link appears whole or not at all, and replaces nothing.
    linkSync(draft, file)
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function keptKey(config: Pick<Config, 'DATA_DIR'>): Buffer {
  const file = dataFile(config, 'secrets_key')
  try {
    if (!existsSync(file)) makeKeyFile(file)
    const key = decode(readFileSync(file, 'utf8').trim())
    if (key.length !== keyBytes) throw new Error('it holds no key')
    return key
  } catch (error) {
    throw new Error(
      `SECRETS_KEY must be set: no key can be kept in ${file} (${(error as Error).message}).`,
    )
  }
}

/** The first encrypts, all decrypt. Throws when SECRETS_KEY is unset and DATA_DIR cannot hold a key. */
export const readSecretsKeys = (config: Config): Buffer[] =>
  config.SECRETS_KEY.length > 0 ? config.SECRETS_KEY.map(decode) : [keptKey(config)]

/** Which key a stored secret needs; none, where it was changed by hand: its deliveries alone wait then, with a fault each. */
function neededKeys(sealed: string): string[] {
  try {
    return [keyIdOf(sealed)]
  } catch {
    return []
  }
}

/** Throws when a stored secret was encrypted with a key that is not among these. */
async function requireSecretsKeys(database: Database, keys: Buffer[]): Promise<void> {
  const known = new Set(keys.map(secretKeyId))
  const rows = await database.rows('listHookSecrets', {})
  const sealed = rows.flatMap(({ secret, old_secret }) => [secret, old_secret ?? secret])
  const missing = new Set(sealed.flatMap(neededKeys)).difference(known)
  if (missing.size > 0)
    throw new ConfigError(
      `SECRETS_KEY must hold the key that the webhooks' signing secrets are encrypted with (key ${[...missing].join(', ')}); the keys given are ${[...known].join(', ') || 'none'}.`,
    )
}

/**
 * The keys of a process that starts. Without any all works but subscribing, so none is no failure by itself.
 * Throws when a stored secret needs another key.
 */
export async function openSecretsKeys(
  config: Config,
  database: Database,
  log: Log,
): Promise<Buffer[]> {
  let keys: Buffer[] = []
  try {
    keys = readSecretsKeys(config)
  } catch (error) {
    log.fault('secrets key', error)
  }
  await requireSecretsKeys(database, keys)
  return keys
}
