// Reads one .sql file: a comment head, then one `prepare name (types) as …;` statement that psql runs as it is.
// The service sends the part after `as`, so it executes what the DBA reads, with the same parameter types.
import { readdirSync } from 'node:fs'
import { ConfigError } from '../lib/config_error.ts'

// The OID of each type that a file may name. Without it `$1 is null` fails with 42P08; with it the server plans exactly the
// types of the file.
export const oids = {
  boolean: 16,
  bigint: 20,
  'bigint[]': 1016,
  integer: 23,
  'integer[]': 1007,
  text: 25,
  'text[]': 1009,
  timestamptz: 1184,
  'timestamptz[]': 1185,
  uuid: 2950,
  'uuid[]': 2951,
  jsonb: 3802,
} as const

export type ParameterType = keyof typeof oids

type QueryParameter = {
  name: string
  type: ParameterType
  /** Marked with ? in the head. */
  nullable: boolean
}

export type QueryFile = {
  /** Path below sql/ without the ending, such as `leads/list_leads`. */
  path: string
  name: string
  parameters: QueryParameter[]
  /** @planned with values: each time anew, because one plan for all values would be a worse one. */
  withValues: boolean
  /** @replica answers: rows that are a moment old will do. */
  mayBeBehind: boolean
  /** @uses: the indexes it finds its rows by. */
  uses: string[]
  /** @adds: indexes that it only adds to. */
  adds: string[]
  /** @not_null: columns of which the catalog cannot tell that they are never null. */
  notNull: string[]
  /** The statement alone, without `prepare … as` and the final semicolon. */
  statement: string
  /** The whole file. */
  text: string
}

/** A start meets it in files of SQL_DIR alone. */
export class QueryFileError extends ConfigError {}

const prepareLine = /^prepare ([a-z_]+)(?: \(([a-z[\], ]+)\))? as$/m
const note = /^-- \$(\d+) +([a-z][a-z0-9_]*)(\??)(?: |$)/gm
const directives = ['planned', 'replica', 'uses', 'adds', 'not_null'] as const

const directive = /^-- @(\w+) +(\S.*)$/

/** The head of a file: the comments above its first statement. */
export const headOf = (text: string): string => /^(?:--.*\n)*/.exec(text)?.[0] ?? ''

/**
 * The values of each directive of a head, such as `-- @uses leads_pkey, leads_active_idx: a reason`; those of several lines
 * together. Throws QueryFileError for one that is not known.
 */
export function readDirectives<Name extends string>(
  path: string,
  head: string,
  known: readonly Name[],
): Record<Name, string[]> {
  const found = Object.fromEntries(known.map(name => [name, [] as string[]]))
  for (const line of head.split('\n').filter(line => line.startsWith('-- @'))) {
    const [, name = '', values = ''] = directive.exec(line) ?? []
    const list = found[name]
    if (!list)
      throw new QueryFileError(
        `${path}.sql: the head says "${line}"; there are @${known.join(', @')}`,
      )
    const named = values.replace(/:.*/, '').split(',')
    list.push(...named.map(value => value.trim()).filter(value => value !== ''))
  }
  return found as Record<Name, string[]>
}

function readParameters(path: string, head: string, types: string[]): QueryParameter[] {
  const notes = [...head.matchAll(note)]
  const inOrder = notes.every((match, index) => Number(match[1]) === index + 1)
  if (!inOrder || notes.length !== types.length)
    throw new QueryFileError(
      `${path}.sql: prepare has ${types.length} types, so the head must name as many parameters, $1 first, one line each, in order`,
    )
  return notes.map((match, index) => {
    const type = types[index] as ParameterType
    if (!Object.hasOwn(oids, type))
      throw new QueryFileError(`${path}.sql: parameter type ${type} is not one the service sends`)
    return { name: match[2] ?? '', type, nullable: match[3] === '?' }
  })
}

/** Whether it only reads, by the verb in its name: fit for a subquery, and can be asked again. */
export const isReading = ({ name }: QueryFile): boolean =>
  /^(get|list|count|search|resolve)_/.test(name)

/** Throws QueryFileError with what is wrong and where. */
export function readQueryFile(path: string, text: string): QueryFile {
  const prepare = prepareLine.exec(text)
  if (!prepare) throw new QueryFileError(`${path}.sql: no line "prepare name (types) as"`)
  const name = prepare[1] ?? ''
  if (name !== path.split('/').at(-1))
    throw new QueryFileError(`${path}.sql: prepares ${name}; the name must be the file's`)
  const types = prepare[2]?.split(',').map(type => type.trim()) ?? []
  const statement = text.slice(prepare.index + prepare[0].length).trim()
  if (!statement.endsWith(';')) throw new QueryFileError(`${path}.sql: must end with a semicolon`)
  const head = text.slice(0, prepare.index)
  // It would not be sent.
  if (/^(?![^\S\n]*(--|$))/m.test(head))
    throw new QueryFileError(`${path}.sql: only lines that begin with -- may stand before prepare`)
  const { planned, replica, uses, adds, not_null: notNull } = readDirectives(path, head, directives)
  const isOnly = (values: string[], value: string) => values.every(one => one === value)
  if (!isOnly(planned, 'with values') || !isOnly(replica, 'answers'))
    throw new QueryFileError(
      `${path}.sql: @planned takes nothing but with values, @replica nothing but answers`,
    )
  return {
    path,
    name,
    parameters: readParameters(path, head, types),
    withValues: planned.length > 0,
    mayBeBehind: replica.length > 0,
    ...{ uses, adds, notNull },
    statement: statement.slice(0, -1),
    text,
  }
}

/** Name and types as PREPARE shows them: what an override must not change. */
export const signature = (file: QueryFile): string =>
  `${file.name}(${file.parameters.map(({ name, type }) => `${name} ${type}`).join(', ')})`

/** Paths of all .sql files below `dir` without the ending, sorted. */
export const listSqlPaths = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.sql'))
    .map(path => path.slice(0, -'.sql'.length).replaceAll('\\', '/'))
    .sort()
