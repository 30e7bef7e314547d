// Pages of lists neither overlap nor leave a gap, also among rows of one moment.
import { expect, test } from 'bun:test'
import { queries } from '../../src/db/queries.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { appointment, lead, signal } from '../support/database/factory.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const ids = [6, 5, 4, 3, 2, 1, 0].map(digit => `00000000-0000-4000-8000-00000000000${digit}`)

test.each([
  ['listLeads', lead, {}],
  ['listLeads', lead, { search: 'erika' }],
  ['listLeads', lead, { status: 'new', include_archived: true }],
  ['listAppointments', appointment, {}],
  ['listAppointments', appointment, { status: 'scheduled' }],
  ['listSignals', signal, {}],
  ['listSignals', signal, { status: 'open' }],
] as const)('%s with %p %j', (query, insert, filters) =>
  rolledBack(database.sql, async sql => {
    for (const id of ids.toSorted()) await insert(sql, { id })
    const pages = []
    for (const row_offset of [0, 3, 6, 9]) {
      const given = { include_archived: false, ...filters, row_limit: 3, row_offset }
      const values = new Map<string, unknown>(Object.entries(given))
      const args = queries[query].parameters.map(({ name }) => [name, values.get(name) ?? null])
      const rows = await rowsOf(sql, query, Object.fromEntries(args))
      pages.push(rows.map(row => row.id))
    }
    expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6), []])
  }),
)
