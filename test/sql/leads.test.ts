// Rows in, rows out: list_leads, get_lead, get_lead_analysis.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/connect.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { analysis, lead, momentSent as moment } from '../support/database/factory.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const inside = (work: (sql: Sql) => Promise<void>) => () => rolledBack(database.sql, work)

const everything = {
  ...{ search: null, status: null, include_archived: true, row_limit: 200, row_offset: 0 },
}

async function listedNames(sql: Sql, args: object) {
  const rows = await rowsOf(sql, 'listLeads', { ...everything, ...args })
  return rows.map(row => row.name)
}

const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`

test(
  'leads come newest first, and of two at one moment the higher id first',
  inside(async sql => {
    await lead(sql, { name: 'old', created_at: '2026-01-01T00:00:00Z' })
    await lead(sql, { name: 'tie 1', id: id(1) })
    await lead(sql, { name: 'tie 3', id: id(3) })
    await lead(sql, { name: 'tie 2', id: id(2) })
    await lead(sql, { name: 'new', created_at: '2026-06-01T00:00:00.000001Z' })
    expect(await listedNames(sql, {})).toEqual(['new', 'tie 3', 'tie 2', 'tie 1', 'old'])
  }),
)

test(
  'limit and offset cut pages that neither overlap nor leave a gap, also among ties',
  inside(async sql => {
    for (let digit = 0; digit < 7; digit += 1) await lead(sql, { name: `${digit}`, id: id(digit) })
    const pages = []
    for (const row_offset of [0, 3, 6, 9])
      pages.push(await listedNames(sql, { row_limit: 3, row_offset }))
    expect(pages).toEqual([['6', '5', '4'], ['3', '2', '1'], ['0'], []])
  }),
)

test(
  'archived leads are left out unless they are asked for',
  inside(async sql => {
    await lead(sql, { name: 'here', id: id(2) })
    await lead(sql, { name: 'gone', id: id(1), archived_at: moment })
    expect(await listedNames(sql, { include_archived: false })).toEqual(['here'])
    expect(await listedNames(sql, { include_archived: true })).toEqual(['here', 'gone'])
  }),
)

test(
  'a status finds the leads that have exactly it',
  inside(async sql => {
    await lead(sql, { name: 'new', status: 'new', id: id(3) })
    await lead(sql, { name: 'New', status: 'New', id: id(2) })
    await lead(sql, { name: 'won', status: 'won', id: id(1), archived_at: moment })
    expect(await listedNames(sql, { status: 'new' })).toEqual(['new'])
    expect(await listedNames(sql, { status: 'won' })).toEqual(['won'])
    expect(await listedNames(sql, { status: 'won', include_archived: false })).toEqual([])
    expect(await listedNames(sql, { status: '%' })).toEqual([])
  }),
)

test(
  'search, status and include_archived are met together',
  inside(async sql => {
    await lead(sql, { name: 'Meier 1', id: id(1) })
    await lead(sql, { name: 'Meier 3', id: id(3), status: 'won' })
    await lead(sql, { name: 'Meier 2', id: id(2), status: 'won', archived_at: moment })
    await lead(sql, { name: 'Schulz', id: id(5), status: 'won' })
    const all = ['Meier 3', 'Meier 2', 'Meier 1']
    const search = 'meier'
    const active = { search, include_archived: false }
    expect(await listedNames(sql, { search })).toEqual(all)
    expect(await listedNames(sql, { search, row_limit: 1, row_offset: 1 })).toEqual(['Meier 2'])
    expect(await listedNames(sql, { search, status: 'won' })).toEqual(['Meier 3', 'Meier 2'])
    expect(await listedNames(sql, active)).toEqual(['Meier 3', 'Meier 1'])
    expect(await listedNames(sql, { ...active, status: 'won' })).toEqual(['Meier 3'])
  }),
)

test(
  'a new lead is new and created now',
  inside(async sql => {
    await sql`insert into leads default values`
    const [row] = await sql`select status, created_at = now() as now from leads`
    expect(row).toMatchObject({ status: 'new', now: true })
  }),
)

test(
  'a lead answers by id, archived or not, with every member',
  inside(async sql => {
    await lead(sql, { id: id(1), archived_at: '2026-03-02T08:30:00.25Z', phone: null })
    expect(await rowsOf(sql, 'getLead', { lead_id: id(1) })).toEqual([
      {
        id: id(1),
        name: 'Erika Mustermann',
        email: 'erika@example.org',
        phone: null,
        status: 'new',
        source_type: 'website_form',
        contacted_at: null,
        archived_at: '2026-03-02T08:30:00.250000Z',
        archive_reason_code: 'not_reachable',
        parsed_data: { stadt: 'Leipzig' },
        created_at: moment,
      },
    ])
  }),
)

test(
  'an id without a lead gives no row',
  inside(async sql => {
    await lead(sql)
    expect(await rowsOf(sql, 'getLead', { lead_id: randomUUID() })).toEqual([])
  }),
)

test(
  'the analysis of a lead is its newest, whichever channel it came from',
  inside(async sql => {
    const { id: lead_id } = await lead(sql)
    const at = (created_at: string, channel: string) =>
      analysis(sql, { lead_id, created_at, channel, source_id: created_at })
    await at('2026-03-02T00:00:00Z', 'chat')
    await at('2026-03-03T00:00:00Z', 'call')
    await at('2026-03-01T00:00:00Z', 'chat')
    await analysis(sql, { created_at: '2026-04-01T00:00:00Z' })
    const rows = await rowsOf(sql, 'getLeadAnalysis', { lead_id })
    expect(rows).toMatchObject([{ lead_id, source_id: '2026-03-03T00:00:00Z', channel: 'call' }])
  }),
)

test(
  'of two analyses at one moment the one with the higher id is the newest',
  inside(async sql => {
    const { id: lead_id } = await lead(sql)
    for (const digit of [1, 3, 2])
      await analysis(sql, { lead_id, id: id(digit), source_id: `${digit}` })
    expect(await rowsOf(sql, 'getLeadAnalysis', { lead_id })).toMatchObject([{ source_id: '3' }])
  }),
)

test(
  'a lead without an analysis gives no row',
  inside(async sql => {
    const { id: lead_id } = await lead(sql)
    expect(await rowsOf(sql, 'getLeadAnalysis', { lead_id })).toEqual([])
  }),
)

test(
  'documents leave as they were stored: key order aside, nothing is added, lost or rounded',
  inside(async sql => {
    const { id: lead_id } = await lead(sql)
    const analysis_v2 = {
      wert: 1e-7,
      groß: 9007199254740991,
      text: 'ä\u2028"\\',
      leer: {},
      n: null,
    }
    await analysis(sql, { lead_id, analysis_v2 })
    expect(await rowsOf(sql, 'getLeadAnalysis', { lead_id })).toMatchObject([{ analysis_v2 }])
  }),
)
