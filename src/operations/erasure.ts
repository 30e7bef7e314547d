// Erases a person: reports what is stored and who received it, then deletes it.
import type { Database } from '../db/database.ts'
import { deadlock, errorCodeOf } from '../lib/error_code.ts'
import type { Erasure, KontaktLeads, ShownLead } from '../model/erasure.ts'

// Enough to tell whether it is the right person.
const leadsShown = 10
// Of a common name; a longer text finds fewer.
export const hitsShown = 25

/** Who it is; null: `identity` is no key. Quick, because only leads and keys are looked at. */
export async function findLeads(
  database: Database,
  identity: string,
): Promise<KontaktLeads | null> {
  const [found] = await database.rows('getKontaktLeads', { identity, row_limit: leadsShown })
  return found ?? null
}

/** Leads whose name, address or number contains a text, archived ones too, the newest first. */
export async function findLeadsByText(database: Database, text: string): Promise<ShownLead[]> {
  const filters = { search: text, status: null, include_archived: true }
  return await database.rows('listLeads', { ...filters, row_limit: hitsShown, row_offset: 0 })
}

/** What erasing would erase; null: nothing is stored of the person. `identity` is a key in any spelling. */
export async function findHoldings(database: Database, identity: string): Promise<Erasure | null> {
  const [found] = await database.rows('getKontaktHoldings', { identity })
  return found ?? null
}

// A writer that merges contacts late in its transaction can wait for us while we wait for it: then one is sent back.
const triesMax = 5

/**
 * Erases the person in one transaction and reports it; null: nothing was stored. Throws 40P01 after five deadlocks, 55P03 when a
 * lock is not available.
 */
export async function eraseKontakt(database: Database, identity: string): Promise<Erasure | null> {
  for (let tries = 1; ; tries += 1)
    try {
      const [erased] = await database.rows('deleteKontakt', { identity })
      return erased ?? null
    } catch (error) {
      if (errorCodeOf(error) !== deadlock || tries === triesMax) throw error
    }
}
