// Spec part 4: /leads.
import { Type } from '@sinclair/typebox'
import { PageMeta, page, pageParameters } from '../http/pagination.ts'
import { booleanParameter, textParameter } from '../http/parameters.ts'
import { Lead, LeadAnalysis } from '../model/lead.ts'
import { getLead, getLeadAnalysis, listLeads } from '../operations/leads.ts'
import { type Route, route } from './route.ts'

const leadId = { leadId: { kind: 'uuid', description: 'Id of the lead.' } } as const

export const leadRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/leads',
    operationId: 'listLeads',
    scope: 'read:leads',
    summary: 'List leads, newest first',
    query: {
      ...pageParameters,
      status: textParameter('Only leads of this pipeline status; an unknown status finds none.'),
      search: textParameter('Case-insensitive substring of name, email or phone.'),
      include_archived: booleanParameter('Whether archived leads are included.'),
    },
    data: Type.Array(Lead),
    meta: PageMeta,
    errors: ['invalid_request'],
    run: async (database, { query }) => page(await listLeads(database, query), query),
  }),
  route({
    method: 'GET',
    path: '/leads/{leadId}',
    operationId: 'getLead',
    scope: 'read:leads',
    summary: 'One lead with its parsed contact data',
    pathParameters: leadId,
    query: {},
    data: Lead,
    errors: ['invalid_id', 'not_found'],
    run: async (database, { path }) => ({ data: await getLead(database, path.leadId ?? '') }),
  }),
  route({
    method: 'GET',
    path: '/leads/{leadId}/analysis',
    operationId: 'getLeadAnalysis',
    scope: 'read:analyses',
    summary: 'The newest needs analysis of a lead',
    description:
      'Raw income amounts are removed. 404 also means that the lead has no parsed analysis.',
    pathParameters: leadId,
    query: {},
    data: LeadAnalysis,
    errors: ['invalid_id', 'not_found'],
    run: async (database, { path }) => ({
      data: await getLeadAnalysis(database, path.leadId ?? ''),
    }),
  }),
]
