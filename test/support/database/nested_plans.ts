// The plans of every statement that a statement runs inside functions, as auto_explain tells them.
import type postgres from 'postgres'

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
