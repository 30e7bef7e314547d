// The queries of the service by name, with the types of what each takes and returns. Files are embedded as text, so the
// binary carries them.
import type { Static, TSchema } from '@sinclair/typebox'
import { type QueryTypes, queries } from './queries.generated.ts'
import type { Rows } from './rows.ts'

export { queries }

export type Queries = typeof queries
export type QueryName = keyof Queries

/** What a query takes, by the head of its file. */
export type ArgumentsOf<Name extends QueryName> = QueryTypes[Name]['args']

type Shape<Name extends QueryName> = Name extends keyof Rows ? Rows[Name] : undefined

/** A row of a query: the shape of the contract where it has one, else the columns that PostgreSQL describes. */
export type RowOf<Name extends QueryName> =
  Shape<Name> extends TSchema ? Static<Shape<Name>> : QueryTypes[Name]['row']
