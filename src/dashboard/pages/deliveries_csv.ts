// The deliveries that a filter shows, as a table for a spreadsheet: sent as it is read, and no longer than a limit.

import { findDeliveries } from '../../operations/found_deliveries.ts'
import type { Context } from '../context.ts'
import { hookOf } from '../hooks.ts'
import { eventName, nameOf } from '../parts.ts'
import { csvResponse } from '../respond.ts'
import { filterOf, readAsked } from './delivery_filter.ts'

export const rowsMax = 10_000
const rowsPerLook = 500
// However rare it is what the filter wants.
const looksMax = 100

// What a spreadsheet would run.
const formula = /^[=+\-@\t\r＝＋－＠]/

/** Always in quotes; a text that begins like a formula begins with an apostrophe instead. */
export function cell(value: string | number | null): string {
  const text = String(value ?? '')
  return `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
}

type Row = Awaited<ReturnType<typeof findDeliveries>>['rows'][number]

const answerOf = ({ texts }: Context, { status, error_class }: Row): string | number => {
  if (status !== null) return status
  if (error_class === null) return ''
  return texts.shortFailures[error_class as keyof typeof texts.shortFailures] ?? error_class
}

const cellsOf = (context: Context, row: Row) => [
  row.ended_at ?? row.due_at ?? row.created_at,
  context.texts.delivery.states[row.state as keyof Context['texts']['delivery']['states']],
  eventName(context.texts, row.event_type),
  row.event_type,
  row.person,
  answerOf(context, row),
  row.duration_ms,
  row.attempts,
  row.event_id,
  row.cursor,
]

function headOf({ texts }: Context) {
  const { webhooks, delivery, events, keys, found } = texts
  return [
    `${webhooks.at} ${found.utc}`,
    keys.state,
    webhooks.event,
    found.type,
    webhooks.about,
    delivery.answer,
    `${delivery.duration} (ms)`,
    webhooks.attempts,
    events.id,
    events.cursor,
  ]
}

/** One after the other, as the reader takes them. */
async function* linesOf(context: Context, id: string): AsyncGenerator<string> {
  const asked = readAsked(context.url.searchParams)
  const state = asked.state === 'all' ? null : asked.state
  const filter = filterOf(asked)
  // Spreadsheets set up in German take a semicolon for the end of a cell.
  const separator = context.texts.language === 'de' ? ';' : ','
  const line = (cells: (string | number | null)[]) => `${cells.map(cell).join(separator)}\r\n`
  // By this mark they know that it is UTF-8.
  yield `\ufeff${line(headOf(context))}`
  let left = rowsMax
  let before: number | null = null
  for (let looks = 0; looks < looksMax && left > 0; looks += 1) {
    const limit = Math.min(rowsPerLook, left)
    const page = await findDeliveries(context.database, id, filter, { state, before, limit })
    yield page.rows.map(row => line(cellsOf(context, row))).join('')
    left -= page.rows.length
    if (page.next === null) return
    before = page.next
  }
}

const fileNameOf = (name: string) =>
  `${name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\w.-]+/g, '-')
    .slice(0, 60)}-${new Date().toISOString().slice(0, 10)}.csv`

/** Null: there is no such webhook. */
export async function exportDeliveries(context: Context): Promise<Response | null> {
  const id = context.parameters.id ?? ''
  const hook = hookOf(context, id)
  if (!hook) return null
  return csvResponse(linesOf(context, id), fileNameOf(nameOf(context.texts, hook)))
}
