// Every live key in memory, by digest. A notification clears it within milliseconds of a change; without one it is read again
// after ttlMs.
import type { Database } from '../db/database.ts'
import { isApiKey, keyDigest } from '../model/api_key.ts'
import type { Scope } from '../model/scope.ts'

export type ApiKey = { id: string; scopes: ReadonlySet<string>; expiresAt: number }

export type KeyRing = {
  /** The live key of this text, or null. Needs the database only when the memory is older than ttlMs. */
  find(text: string): ApiKey | null | Promise<ApiKey | null>
  /** Reads the database first: a new key may not be in memory yet. */
  findFresh(text: string): Promise<ApiKey | null>
  /** Something changed: whatever is in memory counts no more. */
  forget(): void
}

export const allows = (key: ApiKey, scope: Scope): boolean => key.scopes.has(scope)

export function openKeyRing(database: Database, ttlMs: number): KeyRing {
  let keys = new Map<string, ApiKey>()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  let changes = 0

  async function read() {
    const before = changes
    const startedAt = performance.now()
    const rows = await database.rows('listLiveApiKeys', { at: null })
    keys = new Map(
      rows.map(row => [
        row.digest ?? '',
        {
          id: row.id,
          scopes: new Set(row.scopes),
          expiresAt:
            row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at),
        },
      ]),
    )
    // A change notified while the rows were on their way may not be in them.
    readAt = before === changes ? startedAt : Number.NEGATIVE_INFINITY
  }

  /** One read for all waiting callers; another one if a change was notified meanwhile. */
  async function readUntilFresh() {
    do await read()
    while (readAt === Number.NEGATIVE_INFINITY)
  }

  const readOnce = () => {
    reading ??= readUntilFresh().finally(() => {
      reading = undefined
    })
    return reading
  }

  function lookUp(text: string): ApiKey | null {
    const key = keys.get(keyDigest(text))
    return key !== undefined && key.expiresAt > Date.now() ? key : null
  }

  const isFresh = () => performance.now() - readAt < ttlMs

  return {
    find(text) {
      if (!isApiKey(text)) return null
      return isFresh() ? lookUp(text) : readOnce().then(() => lookUp(text))
    },
    async findFresh(text) {
      if (!isApiKey(text)) return null
      await reading
      await readOnce()
      return lookUp(text)
    },
    forget() {
      changes += 1
      readAt = Number.NEGATIVE_INFINITY
    },
  }
}
