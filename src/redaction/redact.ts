// Applies the income rule to what is stored already: rows from before the rule, or written with triggers off.
// Batch by batch, each in a transaction with the note of how far it came, so that a run that was interrupted
// goes on there. Emits no event: a change of nothing but removed income is none.
import type { Sql } from '../db/connect.ts'
import { inTransaction } from '../db/connect.ts'
import { openDatabase } from '../db/database.ts'
import type { Queries } from '../db/queries.ts'

// At 5 ms for a large analysis a batch holds its rows for a second at most.
const batchRows = 200

const tables = {
  leads: 'updateLeadsIncome',
  lead_analyses: 'updateLeadAnalysesIncome',
  haushalte: 'updateHaushalteIncome',
  meeting_intelligence: 'updateMeetingIntelligenceIncome',
  appointments: 'updateAppointmentsIncome',
  signals: 'updateSignalsIncome',
  advisory_docs: 'updateAdvisoryDocsIncome',
  events: 'updateEventsIncome',
} as const

type RedactedTable = { table: keyof typeof tables; seen: number; changed: number }
type Progress = RedactedTable & { after_key: string | null }

const names = Object.keys(tables) as (keyof typeof tables)[]

/** One batch; false when the table holds no more rows. */
async function redactBatch(sql: Sql, queries: Queries, progress: Progress): Promise<boolean> {
  return await inTransaction(sql, async inside => {
    const database = openDatabase(inside, queries)
    const { table, after_key } = progress
    const [batch] = await database.rows(tables[table], { after_key, limit: batchRows })
    if (!batch || batch.last_key === null) return false
    progress.after_key = batch.last_key
    progress.seen += batch.seen ?? 0
    progress.changed += batch.changed ?? 0
    const { seen, changed } = progress
    const note = { table_name: table, after_key: batch.last_key, seen, changed }
    await database.rows('recordRedactionProgress', note)
    return true
  })
}

/** Where an interrupted run stopped, or the beginning. */
async function readProgress(sql: Sql, queries: Queries): Promise<Progress[]> {
  const noted = await openDatabase(sql, queries).rows('listRedactionProgress', {})
  return names.map(table => {
    const found = noted.find(row => row.table_name === table)
    return {
      table,
      after_key: found?.after_key ?? null,
      seen: found?.seen ?? 0,
      changed: found?.changed ?? 0,
    }
  })
}

/** Calls `onProgress` after every batch, and once at the end, when nothing is left to do. */
export async function redactStored(
  sql: Sql,
  queries: Queries,
  onProgress: (done: number, total: number) => void,
): Promise<RedactedTable[]> {
  const database = openDatabase(sql, queries)
  const [totals] = await database.rows('getRedactionTotals', {})
  const total = Object.values(totals ?? {}).reduce<number>((sum, rows) => sum + (rows ?? 0), 0)
  const progress = await readProgress(sql, queries)
  const done = () => progress.reduce((sum, { seen }) => sum + seen, 0)
  for (const table of progress)
    while (await redactBatch(sql, queries, table)) onProgress(Math.min(done(), total - 1), total)
  await database.rows('deleteRedactionProgress', {})
  onProgress(total, total)
  return progress.map(({ table, seen, changed }) => ({ table, seen, changed }))
}

/** Makes the next run begin at the first row. */
export const forgetProgress = async (sql: Sql, queries: Queries): Promise<void> => {
  await openDatabase(sql, queries).rows('deleteRedactionProgress', {})
}
