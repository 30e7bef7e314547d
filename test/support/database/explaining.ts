// Sessions of a test that prepare the query files as a DBA does and explain what they run: the plans of their own statements,
// and of those inside the functions they call.
import { afterAll, beforeAll } from 'bun:test'
import postgres from 'postgres'
import { type Sql, sessionSettings } from '../../../src/db/connect.ts'
import { encodeParameter } from '../../../src/db/database.ts'
import type { QueryFile } from '../../../src/db/query_file.ts'
import { oneConnection, type TestDatabase } from './database.ts'

export type ParameterValues = Record<string, unknown>

/** `execute name(…)` of a prepared file. */
export function execution(file: QueryFile, values: ParameterValues): string {
  const written = file.parameters.map(({ name, type }) => {
    const text = encodeParameter(type, (values[name] ?? null) as never)
    return text === null ? 'null' : `'${text.replaceAll("'", "''")}'`
  })
  return `execute ${file.name}(${written.join()})`
}

const count = (node: PlanNode, member: string) => Number(node[member] ?? 0)

/** Rows that a step read, those it threw away included, over all of its loops. */
export const touched = (node: PlanNode): number =>
  (count(node, 'Actual Rows') +
    count(node, 'Rows Removed by Filter') +
    count(node, 'Rows Removed by Join Filter') +
    count(node, 'Rows Removed by Index Recheck')) *
  count(node, 'Actual Loops')

/** One connection with the settings that the worker's pool gives its own, and others. */
export async function openExplaining(
  url: string,
  settings: Record<string, string> = sessionSettings,
) {
  let nested: PlanNode[] = []
  const onnotice = (notice: postgres.Notice) => void nested.push(...explainedBy(notice))
  const sql = postgres(url, { max: 1, onnotice, fetch_types: false, connection: settings })
  await sql.unsafe(`
    load 'auto_explain';
    set auto_explain.log_analyze = on; set auto_explain.log_timing = off;
    set auto_explain.log_nested_statements = on; set auto_explain.log_format = json`)
  return {
    run: (text: string) => sql.unsafe(text),
    /** Runs it; the nodes of its plan. */
    async explain(statement: string): Promise<PlanNode[]> {
      const [row] = await sql.unsafe(
        `explain (analyze, buffers, timing off, format json) ${statement}`,
      )
      return nodesOf(row?.['QUERY PLAN'][0].Plan)
    },
    /** Runs it; the nodes of the plans of all that ran for it, as the session had them. */
    async explainNested(statement: string): Promise<PlanNode[]> {
      nested = []
      await sql.unsafe('set auto_explain.log_min_duration = 0; set client_min_messages = log')
      await sql.unsafe(statement)
      await sql.unsafe('set auto_explain.log_min_duration = -1; set client_min_messages = notice')
      return nested
    },
    end: () => sql.end({ timeout: 1 }),
  }
}

export type Explaining = Awaited<ReturnType<typeof openExplaining>>

/** Blocks that a statement needed, from memory or not. */
export const blocksOf = (nodes: PlanNode[]): number =>
  count(nodes[0] ?? {}, 'Shared Hit Blocks') + count(nodes[0] ?? {}, 'Shared Read Blocks')

/** A connection that keeps what a test leaves behind in its session: PREPARE, SET. Call after useDatabase; the field is filled before the first test. */
export function useSingleConnection(database: TestDatabase): { sql: Sql } {
  const single = {} as { sql: Sql }
  beforeAll(() => {
    single.sql = oneConnection(database.url)
  })
  afterAll(() => single.sql.end({ timeout: 1 }))
  return single
}

/** Runs the file as it stands, then `work`, then forgets the statement under the file's name. */
export async function withPrepared<Value>(
  sql: Sql,
  file: QueryFile,
  work: () => Promise<Value>,
): Promise<Value> {
  await sql.unsafe(file.text)
  try {
    return await work()
  } finally {
    await sql.unsafe(`deallocate ${file.name}`)
  }
}

/** `execute name(null, …)`, what a DBA types behind `explain`; `given` has SQL by the names of parameters. */
export const executeWithNulls = (file: QueryFile, given: Record<string, string> = {}): string => {
  const values = file.parameters.map(({ name }) => given[name] ?? 'null')
  return `execute ${file.name}${values.length > 0 ? `(${values.join(', ')})` : ''}`
}

type PlanNode = Record<string, unknown> & { Plans?: PlanNode[] }

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Of a notice that auto_explain sent, the nodes of its plan; none of another. */
function explainedBy({ message = '' }: postgres.Notice): PlanNode[] {
  const plan = /plan:\n([\s\S]*)/.exec(message)?.[1]
  return plan === undefined ? [] : nodesOf(JSON.parse(plan).Plan)
}
