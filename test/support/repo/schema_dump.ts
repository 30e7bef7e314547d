// Describes a migrated database as one file for reading: what is stored first, then views, triggers, and functions by signature
// and comment. The same schema gives the same text.
import type { Sql } from '../../../src/db/connect.ts'
import { readSchema, type SchemaObject } from './schema_catalog.ts'

const head = `-- The schema after all migrations, for reading. Generated: bun run schema.
-- The bodies of functions are in functions/; the command migrate makes all of it.

`

const kinds = ['extension', 'type', 'domain', 'sequence', 'table', 'view', 'trigger', 'function']

const rank = ({ kind, name }: SchemaObject) => `${kinds.indexOf(kind)} ${name}`
const byRank = (one: SchemaObject, other: SchemaObject) => (rank(one) < rank(other) ? -1 : 1)

// A control character is invisible, and a carriage return would not survive every editor.
const hidden = /(?!\n)\p{Cc}/gu
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const visible = (literal: string) =>
  /^[eE]/.test(literal) || literal.search(hidden) < 0
    ? literal
    : `e${literal.replaceAll('\\', '\\\\').replace(hidden, escaped).replaceAll('\n', '\\n')}`

const withVisibleLiterals = (statement: string) =>
  statement.replace(/[eE]?'(?:[^']|'')*'/g, visible)

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

/** Functions and triggers are lists, all others have room around them. */
const textOf = ({ kind, statements }: SchemaObject) => {
  const written = statements
    .filter(statement => statement !== null)
    .map(statement => (kind === 'view' ? withoutPrefix(statement) : statement))
  if (kind === 'function') return `${written.join('\n')}\n`
  const text = written.map(statement => `${withVisibleLiterals(statement)};`).join('\n')
  return kind === 'table' || kind === 'view' ? `\n${text}\n` : `${text}\n`
}

export async function dumpSchema(sql: Sql): Promise<string> {
  const objects = (await readSchema(sql)).sort(byRank)
  const texts = [...Map.groupBy(objects, ({ kind }) => kind).values()].map(
    ofKind => `${ofKind.map(textOf).join('').trim()}\n`,
  )
  return head + texts.join('\n')
}
