// The texts of the API description, by operation.
import type { OperationName } from '../../operations/contract.ts'

type Text = { summary: string; description?: string }

export const operationTexts: Record<OperationName, Text> = {
  listLeads: { summary: 'List leads, newest first' },
  getLead: { summary: 'One lead with its parsed contact data' },
  getLeadAnalysis: {
    summary: 'The newest needs analysis of a lead',
    description:
      'Raw income amounts are removed. 404 also means that the lead has no parsed analysis.',
  },
  listKontakte: {
    summary: 'List contacts, last changed first',
    description:
      'One entry per person: merged-away identity keys are not listed. With `include=haushalt` a page of 200 has their records too.',
  },
  getKontakt: {
    summary: 'The household record of a contact, by any form of identity',
    description: 'Resolves aliases; `canonical_key` is the surviving key.',
  },
  getHaushalt: {
    summary: 'The household record under an exact identity key',
    description:
      'The prefix is required and nothing is normalised; an exact alias key resolves too.',
  },
  listAppointments: { summary: 'List appointments, latest start first' },
  getMeetingIntelligence: {
    summary: 'What was found in a meeting',
    description:
      'Summary, next steps and scored fields with rationale. A meeting without findings has empty `results`.',
  },
  listSignals: { summary: 'List sales signals, latest detected first' },
  listEvents: {
    summary: 'Read the event feed',
    description:
      'Ascending by cursor, at least once. Store `meta.next_cursor` and send it as `after`; de-duplicate by event `id`. ' +
      'The header `X-Feed-Head` is the cursor of the last event. With `Accept: text/event-stream` the answer stays open and follows the feed, one message per event: ' +
      'its id is the cursor, its data the event as it is here, and `Last-Event-ID` resumes.',
  },
  listHooks: {
    summary: 'List webhook subscriptions, newest first',
    description: 'All of them, without their signing secrets.',
  },
  createHook: {
    summary: 'Subscribe a URL to events',
    description:
      'Events of these types that arise from now on are sent to `target_url`, signed with the `signing_secret` of this answer, which is shown nowhere else. ' +
      'The holder of this scope receives full payloads without any read scope.',
  },
  deleteHook: {
    summary: 'End a webhook subscription',
    description: 'At once: what is not under way to it at this moment is not sent any more.',
  },
  listSampleEvents: {
    summary: 'Example events for field mapping',
    description:
      'One invented event per type, with the fields of a live event and every one filled.',
  },
  getAnalysisSchema: {
    summary: 'The schemas of needs analyses',
    description:
      'The extraction schema (din_core_v2 core and product fragments), the DIN check schema, and the flat projection. Fields marked `x-redacted` exist in conversations and are never delivered.',
  },
}
