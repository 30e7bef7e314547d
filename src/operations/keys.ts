// API keys for the owner: create, list, revoke. Who may enter is decided in key_ring.ts.
import type { Database } from '../db/database.ts'
import { isApiKey, keyDigest, keyPrefix, makeApiKey } from '../model/api_key.ts'
import type { Scope } from '../model/scope.ts'
import { uuidForm } from '../model/uuid.ts'

const prefixForm = /^wda_[0-9A-Za-z]{8}$/

type NewKey = { label: string; scopes: Scope[]; expires_at?: Date | null }

/** Creates a key and returns its id and its text: the only time that it is ever shown. */
export async function createApiKey(
  database: Database,
  input: NewKey,
): Promise<{ id: string; key: string }> {
  const key = makeApiKey()
  const [row] = await database.rows('insertApiKey', {
    prefix: keyPrefix(key),
    digest: keyDigest(key),
    label: input.label,
    scopes: input.scopes,
    expires_at: input.expires_at ?? null,
  })
  if (!row?.id) throw new Error('insert_api_key returned no id')
  return { id: row.id, key }
}

/**
 * Makes a key with the same label, scopes and lifetime, and lets the old one end after the overlap. Returns the new key's text, the only
 * time it is ever shown. Null: no live key has this id.
 */
export async function rotateApiKey(
  database: Database,
  id: string,
  overlapMs: number,
): Promise<string | null> {
  const key = makeApiKey()
  const [made] = await database.rows('insertApiKeySuccessor', {
    id,
    ends_at: new Date(Date.now() + overlapMs),
    prefix: keyPrefix(key),
    digest: keyDigest(key),
  })
  return made ? key : null
}

export const listApiKeys = (database: Database) => database.rows('listApiKeys', {})

/** Revokes by the key itself, its prefix or its id. Returns the keys revoked now: none if nothing matched. */
export async function revokeApiKey(database: Database, named: string) {
  return await database.rows('updateApiKeyRevoked', {
    id: uuidForm.test(named) ? named : null,
    prefix: prefixForm.test(named) ? named : null,
    digest: isApiKey(named) ? keyDigest(named) : null,
  })
}
