// What an operation is: one thing that a client may ask for, through either face. contract.ts has them all. Without a scope it
// does not type-check.
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Database, JsonText } from '../db/database.ts'
import type { ArgumentsOf, QueryName } from '../db/queries.ts'
import { ApiError, type ErrorCode } from '../errors.ts'
import type { HookSettings } from '../model/hook.ts'
import { Exact } from '../model/schema.ts'
import type { Scope } from '../model/scope.ts'
import type { Parameters, Values } from './parameters.ts'

/** Data as JSON text, made by the database and passed through. */
export type Answer = {
  data: JsonText | string
  meta?: Record<string, number | string | string[]>
  /** Headers of the answer over HTTP; a tool has none. */
  headers?: Record<string, string>
  /** Parameters that give the next page, where there may be one. */
  next?: Record<string, number> | undefined
}

/** What it answers with when it succeeds. */
export type Shape = { data: TSchema; meta?: TObject; status?: 201 }

type Run<Taken extends Parameters> = (
  database: Database,
  input: Values<Taken> & { body?: unknown },
  settings: HookSettings,
) => Promise<Answer>

type Extras = {
  /** The JSON body it reads; without it none is read. */
  body?: TSchema
  /** Beyond those that follow from its parameters, and those that every operation has. */
  errors?: ErrorCode[]
  /** How many bytes its answers may have where the process has room for them, if they are to end there; see Database. */
  bytesMax?: number
}

/** A parameter that the path holds, by the name it has there. */
type PathParameter = { name: string; input: string; segment: number }

export type Operation<Taken extends Parameters = Parameters> = Extras & {
  /** GET answers HEAD too. Everything else writes, and is permitted before it begins. */
  method: 'GET' | 'POST' | 'DELETE'
  /** Relative to the base URL, parameters in braces as in spec part 4: `{leadId}` is the input `lead_id`. */
  path: string
  scope: Scope
  parameters: Taken
  shape: Shape
  run: Run<Taken>
  errors: ErrorCode[]
  inPath: PathParameter[]
  /** What the path does not hold of the parameters. */
  query: Parameters
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

function pathParametersOf(path: string, taken: Parameters): PathParameter[] {
  return path.split('/').flatMap((segmentText, segment) => {
    const name = /^\{(\w+)\}$/.exec(segmentText)?.[1]
    if (name === undefined) return []
    const input = snakeCase(name)
    if (taken[input] === undefined) throw new Error(`${path}: the operation takes no ${input}`)
    return [{ name, input, segment: segment - path.split('/').length }]
  })
}

/** `get('/leads', 'read:leads', { … }, pages(Lead), listLeads)`: what it takes, shows and runs. */
export const reachedBy =
  (method: Operation['method']) =>
  <Taken extends Parameters>(
    path: string,
    scope: Scope,
    parameters: Taken,
    shape: Shape,
    run: Run<Taken>,
    extras: Extras = {},
  ): Operation & { parameters: Taken } => {
    const inPath = pathParametersOf(path, parameters)
    const names = new Set(inPath.map(({ input }) => input))
    const query = Object.entries(parameters).filter(([name]) => !names.has(name))
    const ofParameters = Object.values(parameters).flatMap(({ code }) => code ?? [])
    const notFound: ErrorCode[] = inPath.length > 0 ? ['not_found'] : []
    const errors = new Set([...ofParameters, ...notFound, ...(extras.errors ?? [])])
    return {
      ...{ method, path, scope, parameters, shape, inPath, ...extras },
      run: run as unknown as Operation['run'],
      errors: [...errors],
      query: Object.fromEntries(query),
    }
  }

const entryCount = Type.Integer({ description: 'Number of entries in `data`.' })
const ignored_parameters = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Query parameters that this path does not have, where some were sent.',
  }),
)

const PageMeta = Exact(
  { count: entryCount, limit: Type.Integer(), offset: Type.Integer(), ignored_parameters },
  { $id: 'ListMeta' },
)
const CountMeta = Exact({ count: entryCount, ignored_parameters }, { $id: 'CountMeta' })
const FeedMeta = Exact(
  {
    next_cursor: Type.Integer({
      format: 'int64',
      minimum: 0,
      description:
        'Send it as `after` on the next call. Never null: stop where it equals the header X-Feed-Head.',
    }),
    count: entryCount,
    ignored_parameters,
  },
  { $id: 'FeedMeta' },
)

export const one = (data: TSchema): Shape => ({ data })
export const created = (data: TSchema): Shape => ({ data, status: 201 })
/** A list that is read by pages, and one that comes whole (spec part 4). */
export const pages = (entry: TSchema): Shape => ({ data: Type.Array(entry), meta: PageMeta })
export const all = (entry: TSchema): Shape => ({ data: Type.Array(entry), meta: CountMeta })
export const feed = (entry: TSchema): Shape => ({ data: Type.Array(entry), meta: FeedMeta })

/** Further on, a page would cost more than reading the feed from its start. */
export const offsetMax = 1_000_000

type Filters<Name extends QueryName> = Omit<ArgumentsOf<Name>, 'row_limit' | 'row_offset'>
type Paging = { limit: number; offset: number }

/**
 * Runs a query whose filters are named as the parameters are: a page of it. Where the page is full there may be another one, up to
 * offsetMax.
 */
export const listOf =
  <Name extends QueryName>(name: Name) =>
  async (
    database: Database,
    { limit, offset, ...filters }: Filters<Name> & Paging,
  ): Promise<Answer> => {
    const args = { ...filters, row_limit: limit, row_offset: offset }
    const { count, json } = await database.json(name, args as never)
    const hasNext = count === limit && offset + limit <= offsetMax
    const next = hasNext ? { offset: offset + limit } : undefined
    return { data: json, meta: { count, limit, offset }, next }
  }

/** The same for a query of one row. Throws not_found with the sentence where there is none. */
export const rowOf =
  <Name extends QueryName>(name: Name, otherwise: string) =>
  async (database: Database, args: ArgumentsOf<Name>): Promise<Answer> => {
    const { count, json } = await database.json(name, args)
    if (count === 0) throw new ApiError('not_found', otherwise)
    return { data: json }
  }
