// One entry of a manifest: a query file and the exact shape of its rows.
import type { TSchema } from '@sinclair/typebox'
import { type QueryFile, readQueryFile } from './query_file.ts'

export type Query<Row extends TSchema = TSchema> = { file: QueryFile; row: Row | null }

export const query = <Row extends TSchema>(path: string, text: string, row: Row): Query<Row> => ({
  file: readQueryFile(path, text),
  row,
})

export const command = (path: string, text: string): Query<never> => ({
  file: readQueryFile(path, text),
  row: null,
})
