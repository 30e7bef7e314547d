// The plans of every statement that a statement runs inside functions, as auto_explain tells them.
import postgres from 'postgres'

export type PlanNode = Record<string, unknown> & { Plans?: PlanNode[] }

export const nodesOf = (node: PlanNode): PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(nodesOf),
]

/** Of a notice that auto_explain sent, the nodes of its plan; none of another. */
export function explainedBy({ message = '' }: postgres.Notice): PlanNode[] {
  const plan = /plan:\n([\s\S]*)/.exec(message)?.[1]
  return plan === undefined ? [] : nodesOf(JSON.parse(plan).Plan)
}

/** Runs a statement as the service does, undoes it, and returns the nodes of all plans, with the rows they gave. */
export async function nestedPlans(url: string, statement: string): Promise<PlanNode[]> {
  const nodes: PlanNode[] = []
  const onnotice = (notice: postgres.Notice) => void nodes.push(...explainedBy(notice))
  const sql = postgres(url, { max: 1, onnotice, fetch_types: false })
  const undone = new Error('undone')
  try {
    await sql.begin(async transaction => {
      await transaction.unsafe(`
        load 'auto_explain';
        set local auto_explain.log_min_duration = 0;
        set local auto_explain.log_analyze = on;
        set local auto_explain.log_timing = off;
        set local auto_explain.log_nested_statements = on;
        set local auto_explain.log_format = json;
        set local client_min_messages = log;
        set local plan_cache_mode = force_custom_plan;
        set local jit = off`)
      await transaction.unsafe(statement)
      throw undone
    })
  } catch (error) {
    if (error !== undone) throw error
  } finally {
    await sql.end()
  }
  return nodes
}

const number = (node: PlanNode, name: string) => Number(node[name] ?? 0)

/** How many rows the scans of some tables read, those among them that a condition left out. */
export const rowsRead = (nodes: PlanNode[], tables: RegExp): number =>
  nodes
    .filter(node => / Scan$/.test(String(node['Node Type'])))
    .filter(node => tables.test(String(node['Relation Name'] ?? '')))
    .map(
      node =>
        number(node, 'Actual Loops') *
        (number(node, 'Actual Rows') +
          number(node, 'Rows Removed by Filter') +
          number(node, 'Rows Removed by Index Recheck')),
    )
    .reduce((sum, rows) => sum + rows, 0)
