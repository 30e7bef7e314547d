// Rows in, rows out: list_signals.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { signalStatuses } from '../../src/model/signal.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { lead, momentSent as moment, signal } from '../support/database/factory.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const inside = (work: (sql: Sql) => Promise<void>) => () => rolledBack(database.sql, work)

const everything = {
  status: null,
  lead_id: null,
  kontakt_keys: null,
  row_limit: 200,
  row_offset: 0,
}

async function listedTitles(sql: Sql, args: object = {}) {
  const rows = await rowsOf(sql, 'listSignals', { ...everything, ...args })
  return rows.map(row => row.title)
}

const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`

test(
  'signals come latest detected first, and of two at one moment the higher id first',
  inside(async sql => {
    await signal(sql, { title: 'old', detected_at: '2026-01-01T00:00:00Z' })
    for (const digit of [2, 1, 3]) await signal(sql, { title: `tie ${digit}`, id: id(digit) })
    await signal(sql, { title: 'new', detected_at: '2026-06-01T00:00:00Z' })
    const all = ['new', 'tie 3', 'tie 2', 'tie 1', 'old']
    expect(await listedTitles(sql)).toEqual(all)
    expect(await listedTitles(sql, { row_limit: 2, row_offset: 2 })).toEqual(all.slice(2, 4))
  }),
)

test(
  'a status finds the signals that have it',
  inside(async sql => {
    for (const status of signalStatuses) await signal(sql, { title: status, status })
    for (const status of signalStatuses)
      expect(await listedTitles(sql, { status })).toEqual([status])
  }),
)

test(
  'a signal leaves with every member and no more, a score as the number it is',
  inside(async sql => {
    const { id: lead_id } = await lead(sql)
    await signal(sql, { id: id(1), lead_id, score: 0.1, quelle: 'crm_import', outcome: 'sold' })
    expect(await rowsOf(sql, 'listSignals', everything)).toEqual([
      {
        id: id(1),
        kind: 'contract_end',
        title: 'Vertrag läuft aus',
        status: 'open',
        score: 0.1,
        lead_id,
        detected_at: moment,
        updated_at: moment,
      },
    ])
  }),
)

test(
  'a signal outlives its lead',
  inside(async sql => {
    const { id: lead_id } = await lead(sql)
    await signal(sql, { lead_id })
    await sql`delete from leads`
    expect(await rowsOf(sql, 'listSignals', everything)).toMatchObject([{ lead_id: null }])
  }),
)
