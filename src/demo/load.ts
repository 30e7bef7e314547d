// Fills an empty workspace with demo data, in one transaction: all of it or nothing.
import insertRows from '../../sql/demo/insert_demo_rows.sql' with { type: 'text' }
import makeFunctions from '../../sql/demo/make_functions.sql' with { type: 'text' }
import switchEvents from '../../sql/demo/update_demo_events.sql' with { type: 'text' }
import type { Sql } from '../db/connect.ts'
import { inTransaction } from '../db/connect.ts'
import { openDatabase, runQueryFile, runScript } from '../db/database.ts'
import { queries } from '../db/queries.ts'
import { readQueryFile } from '../db/query_file.ts'
import { fullLeadsMax, rowsOf } from './rows.ts'

// Small enough that the progress bar moves and the rows fit in memory, large enough that a statement's start does not count.
const sliceLeads = 1_000

export const demoFiles = {
  insertRows: readQueryFile('demo/insert_demo_rows', insertRows),
  switchEvents: readQueryFile('demo/update_demo_events', switchEvents),
}

export async function isEmpty(sql: Sql): Promise<boolean> {
  const [leads] = await openDatabase(sql, queries).rows('getLeadPresence', {})
  return !leads?.present
}

/** Inserts rows by table, in the order of the tables. */
async function insertDemoRows(sql: Sql, tables: Record<string, object[]>): Promise<void> {
  for (const [table_name, rows] of Object.entries(tables))
    if (rows.length > 0)
      await runQueryFile(sql, demoFiles.insertRows, { table_name, rows: JSON.stringify(rows) })
}

/** Loads `leads` leads with everything around them. The database must be empty. */
export async function loadDemo(
  sql: Sql,
  leads: number,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  await inTransaction(sql, async inside => {
    await runScript(inside, makeFunctions)
    const quiet = leads > fullLeadsMax
    const switchTo = (action: string) => runQueryFile(inside, demoFiles.switchEvents, { action })
    if (quiet) await switchTo('disable')
    // The server inserts a slice while the next one is drawn.
    let inserting = Promise.resolve()
    for (let first = 1; first <= leads; first += sliceLeads) {
      const last = Math.min(first + sliceLeads - 1, leads)
      const tables = rowsOf(first, last, leads)
      await inserting
      onProgress(first - 1, leads)
      inserting = insertDemoRows(inside, tables)
    }
    await inserting
    if (quiet) await switchTo('enable')
  })
  onProgress(leads, leads)
}
