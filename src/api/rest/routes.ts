// The registry: every route of the REST API (spec part 4). It serves, validates and documents; what each takes, answers and
// does is its operation's own.
import { getAnalysisSchema } from '../../operations/analysis_schema.ts'
import { getMeetingIntelligence, listAppointments } from '../../operations/appointments.ts'
import { listEvents } from '../../operations/events.ts'
import { deleteHook, hookOperations } from '../../operations/hooks.ts'
import { getHaushalt, getKontakt, listKontakte } from '../../operations/kontakte.ts'
import { getLead, getLeadAnalysis, listLeads } from '../../operations/leads.ts'
import { listSignals } from '../../operations/signals.ts'
import { openEventStream } from './event_stream.ts'
import { type RestRoute, route } from './route.ts'

export const basePath = '/api/v1'

export const restRoutes: RestRoute[] = [
  route(listLeads, { method: 'GET', path: '/leads', summary: 'List leads, newest first' }),
  route(getLead, {
    method: 'GET',
    path: '/leads/{leadId}',
    summary: 'One lead with its parsed contact data',
    errors: ['invalid_id', 'not_found'],
  }),
  route(getLeadAnalysis, {
    method: 'GET',
    path: '/leads/{leadId}/analysis',
    summary: 'The newest needs analysis of a lead',
    description:
      'Raw income amounts are removed. 404 also means that the lead has no parsed analysis.',
    errors: ['invalid_id', 'not_found'],
  }),

  route(listKontakte, {
    method: 'GET',
    path: '/kontakte',
    summary: 'List contacts, last changed first',
    description: 'One entry per person: merged-away identity keys are not listed.',
  }),
  route(getKontakt, {
    method: 'GET',
    path: '/kontakte/{key}',
    summary: 'The household record of a contact, by any form of identity',
    description: 'Resolves aliases; `canonical_key` is the surviving key.',
    errors: ['not_found'],
  }),
  route(getHaushalt, {
    method: 'GET',
    path: '/kontakte/{key}/haushalt',
    summary: 'The household record under an exact identity key',
    description:
      'The prefix is required and nothing is normalised; an exact alias key resolves too.',
    errors: ['not_found'],
  }),

  route(listAppointments, {
    method: 'GET',
    path: '/appointments',
    summary: 'List appointments, latest start first',
  }),
  route(getMeetingIntelligence, {
    method: 'GET',
    path: '/meetings/{meetingId}/intelligence',
    summary: 'What was found in a meeting',
    description:
      'Summary, next steps and scored fields with rationale. A meeting without findings has empty `results`.',
    errors: ['invalid_id', 'not_found'],
  }),

  route(listSignals, {
    method: 'GET',
    path: '/signals',
    summary: 'List sales signals, latest detected first',
  }),

  route(listEvents, {
    method: 'GET',
    path: '/events',
    summary: 'Read the event feed',
    description:
      'Ascending by cursor, at least once. Store `meta.next_cursor` and send it as `after`; de-duplicate by event `id`. ' +
      'The header `X-Feed-Head` is the cursor of the last event. With `Accept: text/event-stream` the answer stays open and follows the feed, one message per event: ' +
      'its id is the cursor, its data the event as it is here, and `Last-Event-ID` resumes',
    errors: ['invalid_request', 'invalid_cursor', 'invalid_types', 'cursor_expired'],
    stream: openEventStream,
  }),

  route(hookOperations.list, {
    method: 'GET',
    path: '/hooks',
    summary: 'List webhook subscriptions, newest first',
    description: 'All of them, without their signing secrets',
  }),
  route(hookOperations.create, {
    method: 'POST',
    path: '/hooks',
    summary: 'Subscribe a URL to events',
    description:
      'Events of these types that arise from now on are sent to `target_url`, signed with the `signing_secret` of this answer, which is shown nowhere else. ' +
      'The holder of this scope receives full payloads without any read scope',
    status: 201,
    errors: ['invalid_json', 'missing_target_url', 'invalid_event_types', 'invalid_subscription'],
    async undo(database, { data }) {
      await deleteHook(database, JSON.parse(data.toString()).id)
    },
  }),
  route(hookOperations.delete, {
    method: 'DELETE',
    path: '/hooks/{hookId}',
    summary: 'End a webhook subscription',
    description: 'At once: what is not under way to it at this moment is not sent any more',
    errors: ['invalid_id', 'not_found'],
  }),
  route(hookOperations.listSamples, {
    method: 'GET',
    path: '/hooks/sample',
    summary: 'Example events for field mapping',
    description:
      'One invented event per type, with the fields of a live event and every one filled',
    errors: ['unknown_event_type'],
  }),

  route(getAnalysisSchema, {
    method: 'GET',
    path: '/schemas/analysis',
    summary: 'The schemas of needs analyses',
    description:
      'The extraction schema (din_core_v2 core and product fragments), the DIN check schema, and the flat projection. Fields marked `x-redacted` exist in conversations and are never delivered.',
  }),
]
