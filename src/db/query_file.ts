// Reads one .sql file: a comment head, then one `prepare name (types) as …;` statement that psql runs as it is.
// The service sends the part after `as`, so it executes what the DBA reads, with the same parameter types.
import { isParameterType, type ParameterType } from './parameter_types.ts'

export type Parameter = { name: string; type: ParameterType }

export type QueryFile = {
  /** Path below sql/ without the ending, such as `leads/list_leads`. */
  path: string
  name: string
  parameters: Parameter[]
  /** One plan is good for all values; others are planned with the values at hand, every time. */
  plannedOnce: boolean
  /** The statement alone, without `prepare … as` and the final semicolon. */
  statement: string
  /** The whole file. */
  text: string
}

const head = /^prepare ([a-z_]+)(?: \(([a-z[\], ]+)\))? as$/m
const plannedOnce = /^-- Planned once\b/m
const note = /^-- \$(\d+) +([a-z][a-z0-9_]*)/gm

export class QueryFileError extends Error {}

function readParameters(path: string, text: string, types: string[]): Parameter[] {
  const notes = [...text.matchAll(note)]
  const inOrder = notes.every((match, index) => Number(match[1]) === index + 1)
  if (!inOrder || notes.length !== types.length)
    throw new QueryFileError(
      `${path}.sql: the head must name $1 to $${types.length}, one line each, in order`,
    )
  return notes.map((match, index) => {
    const type = types[index] ?? ''
    if (!isParameterType(type))
      throw new QueryFileError(`${path}.sql: parameter type ${type} is not one the service sends`)
    return { name: match[2] ?? '', type }
  })
}

/** Whether it only reads, by the verb in its name: fit for a subquery, and can be asked again. */
export const isReading = ({ name }: QueryFile): boolean =>
  /^(get|list|count|search|resolve)_/.test(name)

/** Throws QueryFileError with what is wrong and where. */
export function readQueryFile(path: string, text: string): QueryFile {
  const prepare = head.exec(text)
  if (!prepare) throw new QueryFileError(`${path}.sql: no line "prepare name (types) as"`)
  const name = prepare[1] ?? ''
  if (name !== path.split('/').at(-1))
    throw new QueryFileError(`${path}.sql: prepares ${name}; the name must be the file's`)
  const types = prepare[2]?.split(',').map(type => type.trim()) ?? []
  const statement = text.slice(prepare.index + prepare[0].length).trim()
  if (!statement.endsWith(';')) throw new QueryFileError(`${path}.sql: must end with a semicolon`)
  return {
    path,
    name,
    parameters: readParameters(path, text.slice(0, prepare.index), types),
    plannedOnce: plannedOnce.test(text.slice(0, prepare.index)),
    statement: statement.slice(0, -1),
    text,
  }
}

/** Name and types as PREPARE shows them: what an override must not change. */
export const signature = (file: QueryFile): string =>
  `${file.name}(${file.parameters.map(({ name, type }) => `${name} ${type}`).join(', ')})`
