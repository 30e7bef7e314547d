// The contract on one screen (spec part 4): path, scope, parameters, shape and what runs. Routes, tools, the description and the
// tables of the tests follow from it. What only reads a row or a list has no file of its own: its query, limits and 404 stand here.
import { Type } from '@sinclair/typebox'
import { Appointment, usualAppointmentStatuses } from '../model/appointment.ts'
import { PublishedEvent } from '../model/event.ts'
import { Haushalt, KontaktSummary } from '../model/haushalt.ts'
import { HookRequest, HookSubscription, NewHookSubscription } from '../model/hook.ts'
import { Lead, LeadAnalysis, usualLeadStatuses } from '../model/lead.ts'
import { MeetingIntelligence } from '../model/meeting.ts'
import samples from '../model/sample_events.json' with { type: 'json' }
import { Exact } from '../model/schema.ts'
import { Signal, SignalStatus, signalStatuses } from '../model/signal.ts'
import { getAnalysisSchema } from './analysis_schema.ts'
import { listEvents, pageBytesMax } from './events.ts'
import { createHook, deleteHook, readHookBody } from './hooks.ts'
import { getHaushalt, getKontakt, kontaktKeysOf } from './kontakte.ts'
import {
  all,
  created,
  feed,
  listOf,
  type Operation,
  offsetMax,
  one,
  pages,
  reachedBy,
  rowOf,
} from './operation.ts'
import { take } from './parameters.ts'

const get = reachedBy('GET')

export const limit = (absent: number) =>
  take.integer(1, 200, absent, 'Number of entries, 1 to 200.')

const page = {
  limit: limit(50),
  offset: take.integer(0, offsetMax, 0, 'Number of entries to skip.'),
}
const lead_id = take.required(take.uuid('Id of the lead.'))
const statusOf = (what: string, usual: readonly string[]) =>
  take.text(
    `Only ${what} of this status, as it is written: usual are ${usual.join(', ')}. An unknown status finds none, an empty one is no filter.`,
  )

export const contract = {
  listLeads: get(
    '/leads',
    'read:leads',
    {
      ...page,
      status: statusOf('leads', usualLeadStatuses),
      search: take.text('Case-insensitive substring of name, email or phone; empty: no filter.'),
      include_archived: take.boolean('Whether archived leads are included.'),
    },
    pages(Lead),
    listOf('listLeads'),
  ),
  getLead: get(
    '/leads/{leadId}',
    'read:leads',
    { lead_id },
    one(Lead),
    rowOf('getLead', 'There is no lead with this id.'),
  ),
  getLeadAnalysis: get(
    '/leads/{leadId}/analysis',
    'read:analyses',
    { lead_id },
    one(LeadAnalysis),
    // Spec 4, rule 2.
    rowOf('getLeadAnalysis', 'This lead has no parsed analysis.'),
  ),
  listKontakte: get(
    '/kontakte',
    'read:kontakte',
    {
      ...page,
      updated_since: take.moment('Only contacts whose record changed at this moment or later.'),
      include: take.oneOf(
        ['haushalt'],
        'Each contact with its household record, as /kontakte/{key} answers.',
      ),
    },
    pages(KontaktSummary),
    (database, { include, ...input }) =>
      listOf(include === 'haushalt' ? 'listKontakteWithHaushalt' : 'listKontakte')(database, input),
  ),
  getKontakt: get(
    '/kontakte/{key}',
    'read:kontakte',
    {
      key: take.required(
        take.identity(
          'URL-encoded. `email:…`, `phone:…`, `lead:…`, or a bare email address, phone number or lead id, raw or normalised.',
        ),
      ),
    },
    one(Haushalt),
    getKontakt,
  ),
  getHaushalt: get(
    '/kontakte/{key}/haushalt',
    'read:kontakte',
    { key: take.required(take.identity('Exact identity key, URL-encoded.')) },
    one(Haushalt),
    getHaushalt,
  ),
  listAppointments: get(
    '/appointments',
    'read:appointments',
    {
      ...page,
      status: statusOf('appointments', usualAppointmentStatuses),
      from: take.moment('Only appointments that start at this moment or later.'),
      to: take.moment('Only appointments that start before this moment.'),
      lead_id: take.uuid('Only appointments with this lead.'),
    },
    pages(Appointment),
    (database, { from: starts_from, to: starts_to, ...input }) =>
      listOf('listAppointments')(database, { ...input, starts_from, starts_to }),
  ),
  getMeetingIntelligence: get(
    '/meetings/{meetingId}/intelligence',
    'read:meetings',
    { meeting_id: take.required(take.uuid('Id of the appointment.')) },
    one(MeetingIntelligence),
    (database, { meeting_id: appointment_id }) =>
      rowOf('getMeetingIntelligence', 'There is no appointment with this id.')(database, {
        appointment_id,
      }),
  ),
  listSignals: get(
    '/signals',
    'read:signals',
    {
      ...page,
      status: take.oneOf(signalStatuses, 'Only signals of this status.', SignalStatus),
      lead_id: take.uuid('Only signals of this lead.'),
      kontakt_key: take.identity(
        'Only signals of this contact, by any form of identity, its merged keys included.',
      ),
    },
    pages(Signal),
    async (database, { kontakt_key, ...input }) =>
      listOf('listSignals')(database, {
        ...input,
        ...(await kontaktKeysOf(database, kontakt_key)),
      }),
  ),
  listEvents: get(
    '/events',
    'read:events',
    {
      after: take.cursor(
        'Cursor of the last processed event (`meta.next_cursor`); omitted: from the oldest event retained.',
      ),
      types: take.someEventTypes('Only events of these types, separated by commas or repeated.'),
      limit: take.integer(1, 200, 100, 'Number of events, 1 to 200.'),
    },
    feed(PublishedEvent),
    listEvents,
    { errors: ['invalid_request', 'cursor_expired'], bytesMax: pageBytesMax },
  ),
  listHooks: get('/hooks', 'write:hooks', {}, all(HookSubscription), async database => {
    const { count, json } = await database.json('listHooks', {})
    return { data: json, meta: { count } }
  }),
  createHook: reachedBy('POST')(
    '/hooks',
    'write:hooks',
    {},
    created(NewHookSubscription),
    async (database, { body }, settings) => ({
      data: await createHook(database, readHookBody(body), settings),
    }),
    {
      body: HookRequest,
      errors: ['invalid_json', 'missing_target_url', 'invalid_event_types', 'invalid_subscription'],
    },
  ),
  deleteHook: reachedBy('DELETE')(
    '/hooks/{hookId}',
    'write:hooks',
    { hook_id: take.required(take.uuid('Id of the subscription.')) },
    one(Exact({ deleted: Type.Literal(true) }, { $id: 'HookDeleted' })),
    async (database, { hook_id }) => {
      await deleteHook(database, hook_id)
      return { data: '{"deleted":true}' }
    },
  ),
  listSampleEvents: get(
    '/hooks/sample',
    'write:hooks',
    { type: take.oneEventType('Only the example of this type.') },
    all(PublishedEvent),
    async (_database, { type }) => {
      const listed = samples.filter(({ event_type }) => type === null || event_type === type)
      return { data: JSON.stringify(listed), meta: { count: listed.length } }
    },
  ),
  getAnalysisSchema: get(
    '/schemas/analysis',
    'read:analyses',
    {},
    one(Type.Object({}, { $id: 'AnalysisSchema', additionalProperties: true })),
    getAnalysisSchema,
  ),
}

export const basePath = '/api/v1'

export type OperationName = keyof typeof contract

/** An operation as REST has it. The API description calls its name `operationId`. */
export type Route = Operation & { name: OperationName }

export const routes: Route[] = Object.entries(contract).map(([name, operation]) => ({
  ...operation,
  name: name as OperationName,
}))
