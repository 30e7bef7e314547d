// An entry of the manifest: a query file with the shape of its rows.
import type { TSchema } from '@sinclair/typebox'
import { type QueryFile, readQueryFile } from './query_file.ts'

export type Query<Row extends TSchema = TSchema> = { file: QueryFile; row: Row | null }

export const query = <Row extends TSchema>(path: string, text: string, row: Row): Query<Row> => ({
  file: readQueryFile(path, text),
  row,
})

/** A statement that returns nothing. */
export const command = (path: string, text: string): Query<never> => ({
  file: readQueryFile(path, text),
  row: null,
})
