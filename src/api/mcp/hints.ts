// Why an answer is empty, where a likely reason is known: without one a model concludes that there is nothing.
import { type TObject, Type } from '@sinclair/typebox'
import { usualAppointmentStatuses } from '../../model/appointment.ts'
import { Exact } from '../../model/schema.ts'
import type { Answer } from '../../operations/operation.ts'

/** `meta` of a tool, with room for a hint. */
export const withHint = (meta: TObject): TObject =>
  Exact({
    ...meta.properties,
    hint: Type.Optional(
      Type.String({ description: 'Of an empty answer: a likely reason, and what to try.' }),
    ),
  })

const archived = 'Archived leads are left out.'
const phoneForm = /^[\d\s+()/.-]{6,}$/

function searchHint(query: string): string {
  if (phoneForm.test(query))
    return `Phones are compared as they are stored: try the last four digits, as one piece. ${archived}`
  if (query.includes('@'))
    return `${archived} get_haushalt with the whole email finds the household record, if there is one, also of an archived lead. Or try the part before the @.`
  return /\s/.test(query.trim())
    ? `\`query\` is compared as one piece with name, email and phone: try a single word of it, such as the surname. ${archived}`
    : `${archived} Or try a shorter part.`
}

export const hints = {
  search: searchHint,
  status: (status: string | null) =>
    status !== null &&
    !usualAppointmentStatuses.includes(status) &&
    `No appointment has this status. Statuses are compared as written; usual ones are ${usualAppointmentStatuses.join(', ')}.`,
  offset: (offset: number) => offset > 0 && '`offset` is beyond the last entry: nothing is left.',
  from: (from: string | null) =>
    from !== null &&
    'No such appointment starts at `from` or later: leave `from` out, the latest come first.',
}

/** The first hint that applies, in `meta` of an empty list. */
export function hinted(answer: Answer, candidates: (string | false)[]): Answer {
  const hint = candidates.find(candidate => candidate !== false)
  return answer.meta?.count === 0 && hint ? { ...answer, meta: { ...answer.meta, hint } } : answer
}
