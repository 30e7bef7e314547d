// Every tool and the route that answers the same, each with input that both must refuse with one code. The feed
// these look at has head 3 and horizon 2.
import type { ErrorCode } from '../../src/errors.ts'
import type { Scope } from '../../src/model/scope.ts'
import type { Message } from '../support/http/tool_calls.ts'

const id = '00000000-0000-4000-8000-000000000000'

type Input = { args: Message; path: string; code: ErrorCode }
/** A tool, its route, and what both refuse. */
export type FacePair = {
  name: string
  scope: Scope
  args: Message
  path: string
  bad: Input[]
  missing?: Input
}

export const pairs: FacePair[] = [
  {
    name: 'search_leads',
    scope: 'read:leads',
    args: { query: 'a' },
    path: '/leads?search=a',
    bad: [
      { args: { query: 'a\n' }, path: '/leads?search=a%0A', code: 'invalid_request' },
      { args: { query: 'a\0' }, path: '/leads?search=a%00', code: 'invalid_request' },
      {
        args: { query: 'x'.repeat(255) },
        path: `/leads?search=${'x'.repeat(255)}`,
        code: 'invalid_request',
      },
      { args: { query: 'a', limit: 0 }, path: '/leads?search=a&limit=0', code: 'invalid_request' },
      {
        args: { query: 'a', limit: 201 },
        path: '/leads?search=a&limit=201',
        code: 'invalid_request',
      },
      {
        args: { query: 'a', limit: 1.5 },
        path: '/leads?search=a&limit=1.5',
        code: 'invalid_request',
      },
      {
        args: { query: 'a', limit: 1e21 },
        path: '/leads?search=a&limit=1e21',
        code: 'invalid_request',
      },
    ],
  },
  {
    name: 'get_lead',
    scope: 'read:leads',
    args: { lead_id: id },
    path: `/leads/${id}`,
    bad: [
      { args: { lead_id: '17' }, path: '/leads/17', code: 'invalid_id' },
      {
        args: { lead_id: id.replaceAll('-', '') },
        path: `/leads/${id.replaceAll('-', '')}`,
        code: 'invalid_id',
      },
    ],
    missing: { args: { lead_id: id }, path: `/leads/${id}`, code: 'not_found' },
  },
  {
    name: 'get_lead_analysis',
    scope: 'read:analyses',
    args: { lead_id: id },
    path: `/leads/${id}/analysis`,
    bad: [{ args: { lead_id: '17' }, path: '/leads/17/analysis', code: 'invalid_id' }],
    missing: { args: { lead_id: id }, path: `/leads/${id}/analysis`, code: 'not_found' },
  },
  {
    name: 'list_appointments',
    scope: 'read:appointments',
    args: {},
    path: '/appointments',
    bad: [
      {
        args: { from: '2026-02-30T00:00:00Z' },
        path: '/appointments?from=2026-02-30T00:00:00Z',
        code: 'invalid_request',
      },
      { args: { from: 'infinity' }, path: '/appointments?from=infinity', code: 'invalid_request' },
      { args: { offset: -1 }, path: '/appointments?offset=-1', code: 'invalid_request' },
    ],
  },
  {
    name: 'get_meeting_intelligence',
    scope: 'read:meetings',
    args: { meeting_id: id },
    path: `/meetings/${id}/intelligence`,
    bad: [{ args: { meeting_id: 'x' }, path: '/meetings/x/intelligence', code: 'invalid_id' }],
    missing: { args: { meeting_id: id }, path: `/meetings/${id}/intelligence`, code: 'not_found' },
  },
  {
    name: 'list_kontakte',
    scope: 'read:kontakte',
    args: {},
    path: '/kontakte',
    bad: [
      { args: { offset: 1_000_001 }, path: '/kontakte?offset=1000001', code: 'invalid_request' },
    ],
  },
  {
    name: 'get_haushalt',
    scope: 'read:kontakte',
    args: { key: 'a@example.org' },
    path: '/kontakte/a%40example.org',
    bad: [
      { args: { key: 'nobody' }, path: '/kontakte/nobody', code: 'invalid_request' },
      { args: { key: '' }, path: '/kontakte/', code: 'invalid_request' },
      {
        args: { key: 'a@example.org\0' },
        path: '/kontakte/a%40example.org%00',
        code: 'invalid_request',
      },
      {
        args: { key: 'a'.repeat(5_000) },
        path: `/kontakte/${'a'.repeat(5_000)}`,
        code: 'invalid_request',
      },
    ],
    missing: {
      args: { key: 'nobody@example.org' },
      path: '/kontakte/nobody@example.org',
      code: 'not_found',
    },
  },
  {
    name: 'list_events',
    scope: 'read:events',
    args: {},
    path: '/events',
    bad: [
      { args: { after: -1 }, path: '/events?after=-1', code: 'invalid_cursor' },
      { args: { after: 4711 }, path: '/events?after=4711', code: 'invalid_cursor' },
      { args: { after: 2 ** 53 }, path: `/events?after=${2 ** 53}`, code: 'invalid_cursor' },
      { args: { after: 1 }, path: '/events?after=1', code: 'cursor_expired' },
      {
        args: { types: ['lead.deleted'] },
        path: '/events?types=lead.deleted',
        code: 'invalid_types',
      },
      {
        args: { types: `${'lead.created,'.repeat(154)}lead.deleted` },
        path: `/events?types=${'lead.created,'.repeat(154)}lead.deleted`,
        code: 'invalid_types',
      },
      { args: { types: [] }, path: '/events?types=', code: 'invalid_types' },
      { args: { limit: 0 }, path: '/events?limit=0', code: 'invalid_request' },
    ],
  },
]
