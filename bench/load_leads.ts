// Demo leads as the command `demo` makes them, over two sessions where there are many: nearly all of the time is
// PostgreSQL's in making documents. Not one transaction, so only for a database that is thrown away on failure.
import type { Sql } from '../src/db/connect.ts'
import { runQueryFile, runScript } from '../src/db/database.ts'
import type { QueryFile } from '../src/db/query_file.ts'
import { leadsWithEventsMax, loadDemo, type OnProgress, sliceLeads } from '../src/demo/load.ts'
import {
  demoDisableEvents,
  demoEdgeFiles,
  demoEnableEvents,
  demoEnableIncome,
  demoFiles,
  demoSetup,
  demoTeardown,
} from '../src/demo/queries.ts'
import { withSql } from './session.ts'

const sessionsTotal = 2

/** Slices of one file in any order; the next file refers to their rows. */
async function loadFile(
  sessions: Sql[],
  file: QueryFile,
  leads_total: number,
  onSlice: () => void,
): Promise<void> {
  let next = 1
  const work = async (sql: Sql) => {
    while (next <= leads_total) {
      const first_lead = next
      next += sliceLeads
      const last_lead = Math.min(first_lead + sliceLeads - 1, leads_total)
      await runQueryFile(sql, file, { first_lead, last_lead, leads_total })
      onSlice()
    }
  }
  await Promise.all(sessions.map(work))
}

async function loadSlices(url: string, leads: number, onProgress: OnProgress): Promise<void> {
  const steps = demoFiles.length * Math.ceil(leads / sliceLeads)
  let done = 0
  const open = (sessions: Sql[]): Promise<void> =>
    withSql(url, async sql => {
      const all = [...sessions, sql]
      if (all.length < sessionsTotal) return open(all)
      for (const file of demoFiles)
        await loadFile(all, file, leads, () => {
          done += 1
          onProgress(done, steps)
        })
    })
  await open([])
}

export async function loadLeads(url: string, leads: number, onProgress: OnProgress): Promise<void> {
  if (leads <= leadsWithEventsMax) return withSql(url, sql => loadDemo(sql, leads, onProgress))
  await withSql(url, async sql => {
    await runScript(sql, demoSetup)
    await runScript(sql, demoDisableEvents)
    await loadSlices(url, leads, onProgress)
    await runScript(sql, demoEnableIncome)
    for (const file of demoEdgeFiles) await runQueryFile(sql, file, {})
    await runScript(sql, demoEnableEvents)
    await runScript(sql, demoTeardown)
  })
}
