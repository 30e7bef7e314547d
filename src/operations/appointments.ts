// Appointments and what was found in them.
import { Type } from '@sinclair/typebox'
import { ApiError } from '../errors.ts'
import { Appointment, usualAppointmentStatuses } from '../model/appointment.ts'
import { MeetingIntelligence } from '../model/meeting.ts'
import { operation } from './operation.ts'
import { PageMeta, page, pageParameters } from './pages.ts'
import { dateTimeParameter, required, textParameter, uuidParameter } from './parameters.ts'

/** Latest start first. */
export const listAppointments = operation({
  name: 'listAppointments',
  scope: 'read:appointments',
  input: {
    ...pageParameters,
    status: textParameter(
      `Only appointments of this status, as it is written: usual are ${usualAppointmentStatuses.join(', ')}. An unknown status finds none, an empty one is no filter.`,
    ),
    from: dateTimeParameter(
      'Only appointments that start at this moment (date, time and offset) or later.',
    ),
  },
  data: Type.Array(Appointment),
  meta: PageMeta,
  async run(database, input) {
    const { status, from: starts_from, limit: row_limit, offset: row_offset } = input
    const args = { status: status || null, starts_from, row_limit, row_offset }
    return page(await database.json('listAppointments', args), input)
  },
})

/** An appointment without findings has empty results. Throws not_found. */
export const getMeetingIntelligence = operation({
  name: 'getMeetingIntelligence',
  scope: 'read:meetings',
  input: { meeting_id: required(uuidParameter('Id of the appointment.')) },
  data: MeetingIntelligence,
  async run(database, { meeting_id: appointment_id }) {
    const { count, json } = await database.json('getMeetingIntelligence', { appointment_id })
    if (count === 0) throw new ApiError('not_found', 'There is no appointment with this id.')
    return { data: json }
  },
})
