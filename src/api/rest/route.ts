// What a route is: an operation with the method and path that reach it, and what the API description says of it.
import type { Database } from '../../db/database.ts'
import type { ErrorCode } from '../../errors.ts'
import type { Answer, Operation } from '../../operations/operation.ts'
import type { Parameter, Parameters, Values } from '../../operations/parameters.ts'

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

/** An answer that stays open. */
export type OpenStream = { stream: ReadableStream<Uint8Array>; headers: Record<string, string> }

type Reached<Taken extends Parameters> = {
  /** GET answers HEAD too. Everything else writes, and is permitted before it begins. */
  method: 'GET' | 'POST' | 'DELETE'
  /** Relative to the base URL, parameters in braces as in spec part 4: `{leadId}` is the input `lead_id`. */
  path: string
  summary: string
  description?: string
  /** Of success; 200 where nothing is said. */
  status?: 201
  /** Beyond 400 invalid_request, 401, 403, 429 and 500, which every route can answer. */
  errors?: ErrorCode[]
  /** Takes back what run did, for a client that left, or was answered, before it could hear of it. Without: to repeat the request is enough. */
  undo?(database: Database, answer: Answer): Promise<void>
  /** Answers `Accept: text/event-stream` instead of run. */
  stream?(database: Database, input: Values<Taken>, context: StreamContext): Promise<OpenStream>
}

/** A parameter that the path holds, by the name it has there. */
export type PathParameter = {
  name: string
  input: string
  segment: number
  parameter: Parameter<unknown>
}

export type RestRoute = Operation &
  Reached<Parameters> & { errors: ErrorCode[]; pathParameters: PathParameter[]; query: Parameters }

const snakeCase = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

function pathParametersOf(path: string, taken: Parameters): PathParameter[] {
  return path.split('/').flatMap((text, index, segments) => {
    const name = /^\{(\w+)\}$/.exec(text)?.[1]
    if (name === undefined) return []
    const input = snakeCase(name)
    const parameter = taken[input]
    if (!parameter) throw new TypeError(`${path}: the operation takes no ${input}`)
    // Counted from the end: a base path may stand in front.
    return [{ name, input, segment: index - segments.length, parameter }]
  })
}

/** What the path does not hold of an operation's input is in the query. */
export function route<Taken extends Parameters>(
  operation: Operation<Taken>,
  reached: Reached<Taken>,
): RestRoute {
  const pathParameters = pathParametersOf(reached.path, operation.input)
  const inPath = new Set(pathParameters.map(({ input }) => input))
  const query = Object.entries(operation.input).filter(([name]) => !inPath.has(name))
  return {
    ...(operation as unknown as Operation),
    errors: [],
    ...(reached as unknown as Reached<Parameters>),
    pathParameters,
    query: Object.fromEntries(query),
  }
}
