// Appointments and what was found in them. Shared by REST and the tool server.
import type { Database, JsonPage, JsonText } from '../db/database.ts'
import { ApiError } from '../errors.ts'

export type ListAppointments = {
  status: string | null
  /** Only appointments that start at this moment or later. */
  from: string | null
  limit: number
  offset: number
}

/** Appointment[], latest start first. */
export function listAppointments(database: Database, input: ListAppointments): Promise<JsonPage> {
  return database.listJson('listAppointments', {
    status: input.status,
    starts_from: input.from,
    row_limit: input.limit,
    row_offset: input.offset,
  })
}

/** MeetingIntelligence; an appointment without findings has empty results. Throws not_found. */
export async function getMeetingIntelligence(
  database: Database,
  appointment_id: string,
): Promise<JsonText> {
  const found = await database.getJson('getMeetingIntelligence', { appointment_id })
  if (found === null) throw new ApiError('not_found', 'There is no appointment with this id.')
  return found
}
