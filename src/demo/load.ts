// Fills an empty workspace with demo data, in one transaction: all of it or nothing.
import type { Sql } from '../db/connect.ts'
import { inTransaction } from '../db/connect.ts'
import { openDatabase, runQueryFile, runScript } from '../db/database.ts'
import { queries } from '../db/queries.ts'
import { edgeRows } from './edges.ts'
import { demoDisableEvents, demoEnableEvents, demoFiles } from './queries.ts'
import { fullLeadsMax, rowsOf, type Tables } from './rows.ts'

// Small enough that the progress bar moves and the rows fit in memory, large enough that a statement's start does not count.
const sliceLeads = 1_000

type OnProgress = (done: number, total: number) => void

export async function isEmpty(sql: Sql): Promise<boolean> {
  const [leads] = await openDatabase(sql, queries).rows('getLeadPresence', {})
  return !leads?.present
}

/** JSON text; what stands between @ and @ is a number with more digits than JavaScript holds. */
const jsonOf = (rows: object[]) => JSON.stringify(rows).replace(/"@([0-9.]+)@"/g, '$1')

async function insert(sql: Sql, tables: Tables): Promise<void> {
  for (const [table, file] of demoFiles)
    if (tables[table].length > 0) await runQueryFile(sql, file, { rows: jsonOf(tables[table]) })
}

/** Loads `leads` leads (and the edge rows) with everything around them. The database must be empty. */
export async function loadDemo(sql: Sql, leads: number, onProgress: OnProgress): Promise<void> {
  await inTransaction(sql, async inside => {
    const quiet = leads > fullLeadsMax
    if (quiet) await runScript(inside, demoDisableEvents)
    // First, so that the newest events are of everyday people.
    await insert(inside, edgeRows())
    for (let first = 1; first <= leads; first += sliceLeads) {
      const last = Math.min(first + sliceLeads - 1, leads)
      await insert(inside, rowsOf(first, last, leads))
      onProgress(last, leads)
    }
    if (quiet) await runScript(inside, demoEnableEvents)
  })
}
