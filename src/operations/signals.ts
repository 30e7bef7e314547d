// Sales signals. Shared by REST and the tool server.
import type { Database, JsonPage } from '../db/database.ts'

export type ListSignals = { status: string | null; limit: number; offset: number }

/** Signal[], latest detected first. */
export function listSignals(database: Database, input: ListSignals): Promise<JsonPage> {
  return database.listJson('listSignals', {
    status: input.status,
    row_limit: input.limit,
    row_offset: input.offset,
  })
}
