// Leads and their needs analyses.
import { Type } from '@sinclair/typebox'
import { ApiError } from '../errors.ts'
import { Lead, LeadAnalysis, usualLeadStatuses } from '../model/lead.ts'
import { operation } from './operation.ts'
import { PageMeta, page, pageParameters } from './pages.ts'
import { booleanParameter, required, textParameter, uuidParameter } from './parameters.ts'

const lead_id = required(uuidParameter('Id of the lead.'))

/** Newest first. */
export const listLeads = operation({
  name: 'listLeads',
  scope: 'read:leads',
  input: {
    ...pageParameters,
    status: textParameter(
      `Only leads of this pipeline status, as it is written: usual are ${usualLeadStatuses.join(', ')}. An unknown status finds none, an empty one is no filter.`,
    ),
    search: textParameter('Case-insensitive substring of name, email or phone; empty: no filter.'),
    include_archived: booleanParameter('Whether archived leads are included.'),
  },
  data: Type.Array(Lead),
  meta: PageMeta,
  async run(database, input) {
    const { include_archived, limit: row_limit, offset: row_offset } = input
    const filters = { search: input.search || null, status: input.status || null, include_archived }
    return page(await database.json('listLeads', { ...filters, row_limit, row_offset }), input)
  },
})

/** Archived or not. Throws not_found. */
export const getLead = operation({
  name: 'getLead',
  scope: 'read:leads',
  input: { lead_id },
  data: Lead,
  async run(database, { lead_id }) {
    const { count, json } = await database.json('getLead', { lead_id })
    if (count === 0) throw new ApiError('not_found', 'There is no lead with this id.')
    return { data: json }
  },
})

/** The newest one. Throws not_found for a lead that has none (spec 4, rule 2). */
export const getLeadAnalysis = operation({
  name: 'getLeadAnalysis',
  scope: 'read:analyses',
  input: { lead_id },
  data: LeadAnalysis,
  async run(database, { lead_id }) {
    const { count, json } = await database.json('getLeadAnalysis', { lead_id })
    if (count === 0) throw new ApiError('not_found', 'This lead has no parsed analysis.')
    return { data: json }
  },
})
