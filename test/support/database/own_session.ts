// A connection of its own, for tests that leave something behind in the session: PREPARE, SET.
import { afterAll, beforeAll } from 'bun:test'
import { connect, type Sql } from '../../../src/db/connect.ts'
import { type ArgumentsOf, type QueryName, queries } from '../../../src/db/queries.ts'
import type { QueryFile } from '../../../src/db/query_file.ts'
import type { TestDatabase } from './database.ts'

/** Call after useDatabase; the field is filled before the first test. */
export function useSingleConnection(database: TestDatabase): { sql: Sql } {
  const single = {} as { sql: Sql }
  beforeAll(() => {
    single.sql = connect({
      url: database.url,
      connectionsMax: 1,
      applicationName: 'test',
      statementTimeoutMs: 20_000,
    })
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

/** The parameters of a query: those given, null for every other. */
export const withNulls = <Name extends QueryName>(
  name: Name,
  given: Partial<ArgumentsOf<Name>>,
): ArgumentsOf<Name> => {
  const values = new Map<string, unknown>(Object.entries(given))
  const names = queries[name].parameters.map(parameter => parameter.name)
  return Object.fromEntries(names.map(name => [name, values.get(name) ?? null])) as never
}
