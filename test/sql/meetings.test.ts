// Rows in, rows out: get_meeting_intelligence, and what its findings may look like.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/connect.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import {
  appointment,
  meeting,
  momentSent as moment,
  resultEntry,
} from '../support/database/factory.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const inside = (work: (sql: Sql) => Promise<void>) => () => rolledBack(database.sql, work)

async function found(sql: Sql, appointment_id: unknown) {
  const rows = await rowsOf(sql, 'getMeetingIntelligence', { appointment_id: `${appointment_id}` })
  return rows[0]
}

const fieldKeys = async (sql: Sql, appointment_id: unknown) =>
  (await found(sql, appointment_id))?.results.map(entry => entry.field_key)

const none = {
  overall_score: null,
  customer_persona: null,
  conversation_type: null,
  results: [],
}

test(
  'an appointment without findings answers with none',
  inside(async sql => {
    const { id } = await appointment(sql)
    expect(await found(sql, id)).toMatchObject({ ...none, appointment: { id, platform: 'zoom' } })
  }),
)

test(
  'the appointment inside is the one that list_appointments shows',
  inside(async sql => {
    const { id } = await appointment(sql, { ends_at: moment, intelligence_status: 'ready' })
    const filters = { status: null, lead_id: null, starts_from: null, starts_to: null }
    const everything = { ...filters, row_limit: 1, row_offset: 0 }
    const [listed] = await rowsOf(sql, 'listAppointments', everything)
    const inner = (await found(sql, id))?.appointment
    expect(inner).toEqual(listed as never)
    expect(Object.keys(inner ?? {})).toEqual(Object.keys(listed ?? {}))
  }),
)

test(
  'an id without an appointment gives no row',
  inside(async sql => {
    expect(await found(sql, randomUUID())).toBeUndefined()
  }),
)

test(
  'a ready meeting shows its findings, with summary and next steps as the first entries',
  inside(async sql => {
    const { appointment_id } = await meeting(sql, {
      overall_score: 7.25,
      customer_persona: 'vorsichtig',
      conversation_type: 'erstgespraech',
      summary: 'Es ging um Hausrat.',
      next_steps: ['Angebot senden'],
      results: [resultEntry()],
    })
    const shared = {
      status: 'ready',
      score: null,
      level: null,
      rationale: null,
      recommendation: null,
      generated_at: moment,
    }
    expect(await found(sql, appointment_id)).toMatchObject({
      overall_score: 7.25,
      customer_persona: 'vorsichtig',
      conversation_type: 'erstgespraech',
      results: [
        {
          ...shared,
          field_key: 'summary',
          label: 'Zusammenfassung',
          kind: 'summary',
          output_type: 'text',
          value: 'Es ging um Hausrat.',
        },
        {
          ...shared,
          field_key: 'next_steps',
          label: 'Nächste Schritte',
          kind: 'next_steps',
          output_type: 'list',
          value: ['Angebot senden'],
        },
        { ...resultEntry(), generated_at: moment },
      ],
    })
  }),
)

test(
  'a failed meeting answers with what is there: nothing',
  inside(async sql => {
    const { appointment_id } = await meeting(sql, { status: 'failed' })
    expect(await found(sql, appointment_id)).toMatchObject(none)
  }),
)

test(
  'findings keep their order',
  inside(async sql => {
    const results = ['c', 'a', 'b'].map(field_key => resultEntry({ field_key }))
    const { appointment_id } = await meeting(sql, { results })
    expect(await fieldKeys(sql, appointment_id)).toEqual(['c', 'a', 'b'])
  }),
)

test(
  'a summary that is a finding of its own is not made twice',
  inside(async sql => {
    const own = resultEntry({ field_key: 'summary', value: 'from the findings' })
    const { appointment_id } = await meeting(sql, {
      summary: 'from the column',
      next_steps: ['call'],
      results: [resultEntry(), own],
    })
    expect(await fieldKeys(sql, appointment_id)).toEqual(['next_steps', 'bedarf', 'summary'])
    expect((await found(sql, appointment_id))?.results.at(-1)?.value).toBe('from the findings')
  }),
)

test(
  'a finding whose value mentions summary does not hide the summary',
  inside(async sql => {
    const results = [resultEntry({ value: { field_key: 'summary' }, label: 'summary' })]
    const { appointment_id } = await meeting(sql, { summary: 'said', results })
    expect(await fieldKeys(sql, appointment_id)).toEqual(['summary', 'bedarf'])
  }),
)

const values: [what: string, value: unknown][] = [
  ['a number', 1.5],
  ['false', false],
  ['null', null],
  ['a list of lists', [[1], []]],
  ['an object', { a: { b: null } }],
]

test.each(values)('the value of a finding may be %s', (_, value) =>
  rolledBack(database.sql, async sql => {
    const { appointment_id } = await meeting(sql, { results: [resultEntry({ value })] })
    expect((await found(sql, appointment_id))?.results[0]?.value).toEqual(value)
  }),
)

const { score: _, ...withoutScore } = resultEntry()

const refused: [what: string, results: unknown][] = [
  ['no array', resultEntry()],
  ['a missing member', [withoutScore]],
  ['a member too many', [resultEntry({ extra: 1 })]],
  ['an entry that is no object', ['text']],
  ['null among the entries', [resultEntry(), null]],
  ['a field_key that is no text', [resultEntry({ field_key: 7 })]],
  ['a status of null', [resultEntry({ status: null })]],
  ['a score that is text', [resultEntry({ score: '7' })]],
  ['a level that is a number', [resultEntry({ level: 3 })]],
  ['a generated_at without a zone', [resultEntry({ generated_at: '2026-03-01T12:00:00' })]],
  ['a generated_at that is a number', [resultEntry({ generated_at: 1772366400 })]],
]

test.each(refused)('results with %s are refused', async (_, results) => {
  await expect(
    rolledBack(database.sql, async sql => void (await meeting(sql, { results }))),
  ).rejects.toMatchObject({
    code: '23514',
    constraint_name: 'meeting_intelligence_results_check',
  })
})
