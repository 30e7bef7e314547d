// Leads and their needs analyses.
import type { Database } from '../db/database.ts'
import { type Answer, orNotFound, page } from './operation.ts'

type LeadFilters = {
  search: string | null
  status: string | null
  include_archived: boolean
  limit: number
  offset: number
}

/** Newest first. */
export async function listLeads(database: Database, input: LeadFilters): Promise<Answer> {
  const { include_archived, limit: row_limit, offset: row_offset } = input
  const filters = { search: input.search || null, status: input.status || null, include_archived }
  return page(await database.json('listLeads', { ...filters, row_limit, row_offset }), input)
}

/** Archived or not. Throws not_found. */
export const getLead = async (database: Database, { lead_id }: { lead_id: string }) =>
  orNotFound(await database.json('getLead', { lead_id }), 'There is no lead with this id.')

/** The newest one. Throws not_found for a lead that has none (spec 4, rule 2). */
export const getLeadAnalysis = async (database: Database, { lead_id }: { lead_id: string }) =>
  orNotFound(
    await database.json('getLeadAnalysis', { lead_id }),
    'This lead has no parsed analysis.',
  )
