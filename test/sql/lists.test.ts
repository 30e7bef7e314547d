// Pages of lists neither overlap nor leave a gap, also among rows of one moment.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { appointment, lead, signal } from '../support/database/factory.ts'
import { withNulls } from '../support/database/own_session.ts'
import { rolledBack } from '../support/database/rolled_back.ts'
import { rowsOf } from '../support/database/rows.ts'

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
      const page = { include_archived: false, ...filters, row_limit: 3, row_offset }
      pages.push((await rowsOf(sql, query, withNulls(query, page))).map(row => row.id))
    }
    expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6), []])
  }),
)
