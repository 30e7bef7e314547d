// Spec part 4: /appointments and /meetings.
import { Type } from '@sinclair/typebox'
import { PageMeta, page, pageParameters } from '../http/pagination.ts'
import { dateTimeParameter, textParameter } from '../http/parameters.ts'
import { Appointment } from '../model/appointment.ts'
import { MeetingIntelligence } from '../model/meeting.ts'
import { getMeetingIntelligence, listAppointments } from '../operations/appointments.ts'
import { type Route, route } from './route.ts'

export const appointmentRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/appointments',
    operationId: 'listAppointments',
    scope: 'read:appointments',
    summary: 'List appointments, latest start first',
    query: {
      ...pageParameters,
      status: textParameter('Only appointments of this status; an unknown status finds none.'),
      from: dateTimeParameter('Only appointments that start at this moment or later.'),
    },
    data: Type.Array(Appointment),
    meta: PageMeta,
    errors: ['invalid_request'],
    run: async (database, { query }) => page(await listAppointments(database, query), query),
  }),
  route({
    method: 'GET',
    path: '/meetings/{meetingId}/intelligence',
    operationId: 'getMeetingIntelligence',
    scope: 'read:meetings',
    summary: 'What was found in a meeting',
    description:
      'Summary, next steps and scored fields with rationale. A meeting without findings has empty `results`.',
    pathParameters: { meetingId: { kind: 'uuid', description: 'Id of the appointment.' } },
    query: {},
    data: MeetingIntelligence,
    errors: ['invalid_id', 'not_found'],
    run: async (database, { path }) => ({
      data: await getMeetingIntelligence(database, path.meetingId ?? ''),
    }),
  }),
]
