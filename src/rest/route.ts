// What a route is. One registry of these serves, validates and documents; a route without a scope does not type-check.
import type { TSchema } from '@sinclair/typebox'
import type { Database } from '../db/database.ts'
import type { ErrorCode } from '../errors.ts'
import type { Answer } from '../http/envelope.ts'
import type { QueryParameters, QueryValues } from '../http/parameters.ts'
import type { Scope } from '../model/scope.ts'
import type { Subscribing } from '../operations/hooks.ts'

export type PathParameter = { kind: 'uuid' | 'key'; description: string }

export type Input<Query extends QueryParameters> = {
  path: Record<string, string>
  query: QueryValues<Query>
  /** What the body's JSON says; undefined where a route takes no body. */
  body: unknown
}

/** What a stream needs to know of the request it answers. */
export type StreamContext = {
  request: Request
  /** Resolves when events were sequenced, or after so many milliseconds. */
  waitForEvents(milliseconds: number): Promise<void>
  /** Whether the client is still there, its key still live and the service still running. */
  isWanted(): Promise<boolean>
  /** Gives the stream's place back. Harmless when done twice. */
  end(): void
}

export type Route<Query extends QueryParameters = QueryParameters> = {
  /** GET answers HEAD too. Everything else writes, and is permitted before it begins. */
  method: 'GET' | 'POST' | 'DELETE'
  /** Relative to the base URL, parameters in braces as in spec part 4. */
  path: string
  operationId: string
  scope: Scope
  summary: string
  description?: string
  pathParameters?: Record<string, PathParameter>
  query: Query
  /** The JSON body a route reads; without it none is read. */
  body?: TSchema
  /** Of success; 200 where nothing is said. */
  status?: 201
  data: TSchema
  /** Lists carry meta: {count, limit, offset}. */
  meta?: TSchema
  /** Beyond 401, 403, 429 and 500, which every route can answer. */
  errors: ErrorCode[]
  run(database: Database, input: Input<Query>, subscribing: Subscribing): Promise<Answer>
  /** Answers `Accept: text/event-stream` instead of run. */
  stream?(
    database: Database,
    query: QueryValues<Query>,
    context: StreamContext,
  ): Promise<ReadableStream<Uint8Array>>
}

/** Keeps the query's types for run, and lets routes of every kind stand in one registry. */
export const route = <Query extends QueryParameters>(definition: Route<Query>): Route =>
  definition as unknown as Route
