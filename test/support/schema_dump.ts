// Describes a migrated database as one SQL file that makes the same schema in an empty one.
// In the order in which things need each other, then by kind and name: the same schema gives the same text.
import type { Sql } from '../../src/db/connect.ts'
import { readSchema, type SchemaObject } from './schema_catalog.ts'

const head = `-- The schema after all migrations, for reading. Generated: bun run schema.
-- psql loads it into an empty database; the service's own way is its command migrate.

-- The body of a function may name what comes later.
SET check_function_bodies = off;

`

const kinds = ['extension', 'type', 'domain', 'function', 'table', 'view']

const rank = ({ kind, name }: SchemaObject) => `${kinds.indexOf(kind)} ${name}`
const byRank = (one: SchemaObject, other: SchemaObject) => (rank(one) < rank(other) ? -1 : 1)

/** Each time the first object by rank of those whose needs are met. */
function inOrder(objects: SchemaObject[], needsOf: Map<string, Set<string>>): SchemaObject[] {
  const waiting = [...objects].sort(byRank)
  const ordered: SchemaObject[] = []
  while (waiting.length > 0) {
    const keys = new Set(waiting.map(({ key }) => key))
    const next = waiting.findIndex(
      ({ key }) =>
        ![...(needsOf.get(key) ?? [])].some(needed => needed !== key && keys.has(needed)),
    )
    if (next < 0)
      throw new Error(`these need each other: ${waiting.map(({ name }) => name).join(', ')}`)
    ordered.push(...waiting.splice(next, 1))
  }
  return ordered
}

// A control character is invisible, and a carriage return would not survive every editor.
const hidden = /(?!\n)\p{Cc}/gu
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const visible = (literal: string) =>
  /^[eE]/.test(literal) || literal.search(hidden) < 0
    ? literal
    : `e${literal.replaceAll('\\', '\\\\').replace(hidden, escaped).replaceAll('\n', '\\n')}`

/** Text between dollar quotes stays as its author wrote it. */
const withVisibleLiterals = (statement: string) =>
  statement.includes('$function$') ? statement : statement.replace(/[eE]?'(?:[^']|'')*'/g, visible)

const textOf = ({ statements }: SchemaObject) =>
  `${statements
    .filter(statement => statement !== null)
    .map(statement => `${withVisibleLiterals(statement)};`)
    .join('\n')}\n`

export async function dumpSchema(sql: Sql): Promise<string> {
  const { objects, edges } = await readSchema(sql)
  const needsOf = new Map<string, Set<string>>()
  for (const { needing, needed } of edges)
    needsOf.set(needing, (needsOf.get(needing) ?? new Set()).add(needed))
  return head + inOrder(objects, needsOf).map(textOf).join('\n')
}
