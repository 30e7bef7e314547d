// The generated manifest of queries says what the files say, and its types are held.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'
import { type Column, describeRows } from '../support/database/described_rows.ts'
import {
  queryFilesOnDisk,
  queryManifest,
  queryManifestPath,
} from '../support/repo/query_manifest.ts'

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
    statement.replace('kind, title,', 'kind, score as title,'),
  )
  expect(changed).not.toBe(written)
})

// Each line must be an error of types, or tsc says that the directive above it is not needed.
const mistakes: Record<string, (database: Database) => Promise<unknown>> = {
  'a missing argument': database =>
    // @ts-expect-error
    database.rows('listSignals', { status: null, row_limit: 1 }),
  'a misspelt argument': database =>
    // @ts-expect-error
    database.rows('listSignals', { state: null, row_limit: 1, row_offset: 0 }),
  'an argument too many': database =>
    // @ts-expect-error
    database.list('listSignals', { status: null, row_limit: 1, row_offset: 0, order: 'asc' }),
  'an argument where there is none': database =>
    // @ts-expect-error
    database.listJson('listHooks', { id: 'x' }),
}

test.each(Object.entries(mistakes))('%s is an error of types, and at run time', async (_, send) => {
  await expect(send(openDatabase(database.sql, queries))).rejects.toThrow(TypeError)
})

test('null where it means nothing, another type and a column that is not there are errors of types', async () => {
  const database = { rows: async () => [], getJson: async () => null } as unknown as Database
  // @ts-expect-error
  await database.getJson('getLead', { lead_id: null })
  // @ts-expect-error
  await database.getJson('getLead', { lead_id: 1 })
  const [row] = await database.rows('deleteHook', { id: 'x' })
  // @ts-expect-error
  expect(row?.lock).toBeUndefined()
  // @ts-expect-error
  await expect(database.rows('claimLock', {})).resolves.toEqual([])
})
