// Describes a migrated database as one SQL file that makes the same schema in an empty one.
// Tables first, then views, functions and triggers, each by name and after what it needs: the same schema gives the same
// text.
import type { Sql } from '../../../src/db/connect.ts'
import { readSchema, type SchemaObject } from './schema_catalog.ts'

const head = `-- The schema after all migrations, for reading. Generated: bun run schema.
-- psql loads it into an empty database; the service's own way is its command migrate.

-- The body of a function may name what comes later.
SET check_function_bodies = off;

`

const kinds = ['extension', 'type', 'domain', 'sequence', 'table', 'view', 'function', 'trigger']

const rank = ({ kind, name }: SchemaObject) => `${kinds.indexOf(kind)} ${name}`
const byRank = (one: SchemaObject, other: SchemaObject) => (rank(one) < rank(other) ? -1 : 1)

/** By rank, each after those it needs: before a table come the functions of its checks, and no others. */
function inOrder(objects: SchemaObject[], needsOf: Map<string, Set<string>>): SchemaObject[] {
  const byKey = new Map(objects.map(object => [object.key, object]))
  const ordered = new Set<SchemaObject>()
  const visit = (object: SchemaObject, above: SchemaObject[]) => {
    if (ordered.has(object)) return
    if (above.includes(object))
      throw new Error(`these need each other: ${above.map(({ name }) => name).join(', ')}`)
    const needed = [...(needsOf.get(object.key) ?? [])].flatMap(key => byKey.get(key) ?? [])
    for (const each of needed.filter(each => each !== object).sort(byRank))
      visit(each, [...above, object])
    ordered.add(object)
  }
  for (const object of [...objects].sort(byRank)) visit(object, [])
  return [...ordered]
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

const onlyTable = /^ {3}FROM (\w+)$(?!\n {5}JOIN)/m

/** PostgreSQL 15 puts the table before each column of a view's own query; later ones do not where there is only one. */
function withoutPrefix(view: string): string {
  const table = onlyTable.exec(view)?.[1]
  if (table === undefined) return view
  const inQuery: boolean[] = []
  return view.replace(/\((\s*SELECT\b)?|\)|\b(\w+)\./g, (found, select, name) => {
    if (found === ')') inQuery.pop()
    else if (found.startsWith('(')) inQuery.push(select !== undefined)
    else if (name === table && !inQuery.includes(true)) return ''
    return found
  })
}

const textOf = ({ kind, statements }: SchemaObject) =>
  `${statements
    .filter(statement => statement !== null)
    .map(statement => (kind === 'view' ? withoutPrefix(statement) : statement))
    .map(statement => `${withVisibleLiterals(statement)};`)
    .join('\n')}\n`

export async function dumpSchema(sql: Sql): Promise<string> {
  const { objects, edges } = await readSchema(sql)
  const needsOf = new Map<string, Set<string>>()
  for (const { needing, needed } of edges)
    needsOf.set(needing, (needsOf.get(needing) ?? new Set()).add(needed))
  return head + inOrder(objects, needsOf).map(textOf).join('\n')
}
