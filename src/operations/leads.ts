// Leads and their needs analyses. Shared by REST and the tool server.
import type { Database, JsonPage, JsonText } from '../db/database.ts'
import { ApiError } from '../errors.ts'

export type ListLeads = {
  status: string | null
  /** Substring of name, email or phone; case does not count. */
  search: string | null
  include_archived: boolean
  limit: number
  offset: number
}

/** Lead[], newest first. */
export function listLeads(database: Database, input: ListLeads): Promise<JsonPage> {
  const { status, search, include_archived, limit: row_limit, offset: row_offset } = input
  if (search === null && status === null && !include_archived)
    return database.listJson('listActiveLeads', { row_limit, row_offset })
  const page = { status, include_archived, row_limit, row_offset }
  return search === null
    ? database.listJson('listLeads', page)
    : database.listJson('searchLeads', { search, ...page })
}

/** Lead, archived or not. Throws not_found. */
export async function getLead(database: Database, lead_id: string): Promise<JsonText> {
  const lead = await database.getJson('getLead', { lead_id })
  if (lead === null) throw new ApiError('not_found', 'There is no lead with this id.')
  return lead
}

/** LeadAnalysis, the newest one. Throws not_found for a lead that has none (spec 4, rule 2). */
export async function getLeadAnalysis(database: Database, lead_id: string): Promise<JsonText> {
  const analysis = await database.getJson('getLeadAnalysis', { lead_id })
  if (analysis === null) throw new ApiError('not_found', 'This lead has no parsed analysis.')
  return analysis
}
