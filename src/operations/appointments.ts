// Appointments and what was found in them.
import type { Database } from '../db/database.ts'
import { type Answer, orNotFound, page } from './operation.ts'

type AppointmentFilters = {
  status: string | null
  from: string | null
  to: string | null
  lead_id: string | null
  limit: number
  offset: number
}

/** Latest start first. */
export async function listAppointments(
  database: Database,
  input: AppointmentFilters,
): Promise<Answer> {
  const { status, from: starts_from, to: starts_to, lead_id } = input
  const filters = { status: status || null, lead_id, starts_from, starts_to }
  const rows = { row_limit: input.limit, row_offset: input.offset }
  return page(await database.json('listAppointments', { ...filters, ...rows }), input)
}

/** An appointment without findings has empty results. Throws not_found. */
export const getMeetingIntelligence = async (
  database: Database,
  { meeting_id: appointment_id }: { meeting_id: string },
) =>
  orNotFound(
    await database.json('getMeetingIntelligence', { appointment_id }),
    'There is no appointment with this id.',
  )
