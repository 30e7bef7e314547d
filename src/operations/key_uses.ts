// When keys were last used: remembered here and written once a minute, never on a request.
import type { Database } from '../db/database.ts'

export type KeyUses = {
  note(keyId: string, at: number): void
  /** Writes what was noted since it was last written. What cannot be written is kept. */
  record(): Promise<void>
}

export function openKeyUses(database: Database): KeyUses {
  const uses = new Map<string, number>()
  return {
    note: (keyId, at) => void uses.set(keyId, at),
    async record() {
      if (uses.size === 0) return
      const noted = [...uses]
      await database.rows('updateApiKeysLastUsed', {
        ids: noted.map(([id]) => id),
        used_at: noted.map(([, at]) => new Date(at).toISOString()),
      })
      // A key used again meanwhile has a later moment to note.
      for (const [id, at] of noted) if (uses.get(id) === at) uses.delete(id)
    },
  }
}
