// Fills an empty workspace with demo data, in one transaction: all of it or nothing.
import type { Sql } from '../db/connect.ts'
import { inTransaction } from '../db/connect.ts'
import { openDatabase, runQueryFile, runScript } from '../db/database.ts'
import { queries } from '../db/queries.ts'
import {
  demoDisableEvents,
  demoEdgeFiles,
  demoEnableEvents,
  demoEnableIncome,
  demoFiles,
  demoSetup,
  demoSizeFile,
  demoTeardown,
} from './queries.ts'

// Small enough that the progress bar moves, large enough that a statement's start does not count.
export const sliceLeads = 10_000

// Beyond this the feed would be all demo, and loading would take many times as long.
export const leadsWithEventsMax = 10_000

export type OnProgress = (done: number, total: number) => void

export async function isEmpty(sql: Sql): Promise<boolean> {
  const [leads] = await openDatabase(sql, queries).rows('getLeadPresence', {})
  return !leads?.present
}

async function loadSlices(sql: Sql, leads_total: number, onProgress: OnProgress) {
  const steps = demoFiles.length * Math.ceil(leads_total / sliceLeads)
  let done = 0
  for (const file of demoFiles)
    for (let first_lead = 1; first_lead <= leads_total; first_lead += sliceLeads) {
      const last_lead = Math.min(first_lead + sliceLeads - 1, leads_total)
      await runQueryFile(sql, file, { first_lead, last_lead, leads_total })
      done += 1
      onProgress(done, steps)
    }
}

/** Loads `leads` leads (and the edge rows) with everything around them. The database must be empty. */
export async function loadDemo(sql: Sql, leads: number, onProgress: OnProgress): Promise<void> {
  await inTransaction(sql, async inside => {
    const quiet = leads > leadsWithEventsMax
    await runQueryFile(inside, demoSizeFile, { leads_total: leads })
    await runScript(inside, demoSetup)
    const loadEdges = async () => {
      for (const file of demoEdgeFiles) await runQueryFile(inside, file, {})
    }
    if (quiet) await runScript(inside, demoDisableEvents)
    // First, so that the newest events are of everyday people.
    else await loadEdges()
    await loadSlices(inside, leads, onProgress)
    if (quiet) {
      await runScript(inside, demoEnableIncome)
      await loadEdges()
      await runScript(inside, demoEnableEvents)
    }
    await runScript(inside, demoTeardown)
  })
}
