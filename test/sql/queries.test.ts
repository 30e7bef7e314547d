// The generated manifest of queries says what the files say, and its types are held.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  type Column,
  describeRows,
  queryFilesOnDisk,
  queryManifest,
  queryManifestPath,
} from '../../scripts/write_queries.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()

async function manifest(change: (text: string) => string = text => text): Promise<string> {
  const columns = new Map<string, Column[]>()
  const files = queryFilesOnDisk().map(file => ({ ...file, statement: change(file.statement) }))
  for (const file of files) columns.set(file.path, await describeRows(database.sql, file))
  return queryManifest(files, columns)
}

const written = readFileSync(queryManifestPath, 'utf8')

test('the manifest is that of the files and of the schema; bun run queries writes it anew', async () => {
  expect(await manifest()).toBe(written)
})

test('another column is another manifest', async () => {
  const changed = await manifest(statement =>
    statement.replace('listed.id, listed.kind', 'listed.id, listed.score as kind'),
  )
  expect(changed).not.toBe(written)
})

const none = { status: null, lead_id: null, kontakt_keys: null }

// Each line must be an error of types, or tsc says that the directive above it is not needed.
const mistakes: Record<string, (database: Database) => Promise<unknown>> = {
  'a missing argument': database =>
    // @ts-expect-error
    database.rows('listSignals', { ...none, row_limit: 1 }),
  'a misspelt argument': database =>
    // @ts-expect-error
    database.rows('getLead', { id: 'x' }),
  'an argument too many': database =>
    // @ts-expect-error
    database.rows('listSignals', { ...none, row_limit: 1, row_offset: 0, order: 'asc' }),
  'an argument where there is none': database =>
    // @ts-expect-error
    database.json('listHooks', { id: 'x' }),
}

test.each(Object.entries(mistakes))('%s is an error of types, and at run time', async (_, send) => {
  await expect(send(openDatabase(database.sql, queries))).rejects.toThrow(TypeError)
})

test('null where it means nothing, another type and a column that is not there are errors of types', async () => {
  const database = { rows: async () => [], json: async () => null } as unknown as Database
  // @ts-expect-error
  await database.json('getLead', { lead_id: null })
  // @ts-expect-error
  await database.json('getLead', { lead_id: 1 })
  const [row] = await database.rows('updateHookDeleted', { id: 'x' })
  // @ts-expect-error
  expect(row?.lock).toBeUndefined()
  // @ts-expect-error
  await expect(database.rows('claimLock', {})).resolves.toEqual([])
})
