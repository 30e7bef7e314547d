// What a tool is: an operation, described for a model. And how tools/list shows it.
import type { TSchema } from '@sinclair/typebox'
import { type ApiKey, allows } from '../../operations/key_ring.ts'
import type { Operation } from '../../operations/operation.ts'
import type { Parameters, Values } from '../../operations/parameters.ts'
import { envelopePieces } from '../http/envelope.ts'
import { missingScope, type Service } from '../http/gate.ts'
import { envelopeSchema, isObject, type Json } from '../http/json_schema.ts'
import { argumentsSchema, readToolArguments } from './arguments.ts'
import { hinted, withHint } from './hints.ts'

/** What a tool adds to its operation. */
type Described<Taken extends Parameters> = {
  name: string
  title: string
  /** For a model: what comes back, what never does, how to go on. */
  description: string
  /** In words for a model, and as much of the operation's input as one needs. */
  takes: Taken
  /** Where the shape of REST says more than a model can use. */
  data?: TSchema
  /** Likely reasons of an empty answer: the first that applies goes with it. */
  hints?(values: Values<Taken>): (string | false)[]
}

/** The operation's input, where the arguments of the tool are others. */
type Converted<Taken extends Parameters, Input> =
  Values<Taken> extends Input ? { inputOf?: undefined } : { inputOf(values: Values<Taken>): Input }

export type Tool = Pick<Operation, 'scope' | 'data' | 'meta' | 'run'> & Described<Parameters>

export function tool<Input extends Parameters, Taken extends Parameters>(
  { scope, data, meta, run }: Operation<Input>,
  described: Described<Taken> & Converted<Taken, Values<Input>>,
): Tool {
  const { hints, inputOf = (values: Values<Taken>) => values as unknown as Values<Input> } =
    described
  return {
    scope,
    data,
    ...(meta && { meta: hints ? withHint(meta) : meta }),
    ...(described as unknown as Described<Parameters>),
    async run(database, values, settings) {
      const answer = await run(database, inputOf(values as Values<Taken>), settings)
      return hints ? hinted(answer, hints(values as Values<Taken>)) : answer
    },
  }
}

/**
 * For clients that read less of JSON Schema than REST's do: one type at a time. And no `uri`: some check it and
 * refuse a whole answer over one address with an umlaut.
 */
function portable(name: string, value: unknown): unknown {
  if (name === 'format' && value === 'uri') return undefined
  if (!isObject(value) || !Array.isArray(value.type)) return value
  const { type, description, ...rest } = value
  return { description, anyOf: [{ type: type[0], ...rest }, { type: 'null' }] }
}

const portableSchema = (schema: Json): Json => JSON.parse(JSON.stringify(schema, portable))

/** A tool as `tools/list` shows it. */
export const describeTool = ({ name, title, description, takes, data, meta }: Tool) => ({
  name,
  title,
  description,
  inputSchema: argumentsSchema(takes),
  outputSchema: portableSchema(envelopeSchema(data, meta)),
  annotations: { title, readOnlyHint: true, openWorldHint: false },
})

/** The envelope of a call, as JSON in UTF-8. Throws missing_scope first, then as arguments and operation do. */
export async function callTool(
  tool: Tool,
  { database, subscribing }: Service,
  key: ApiKey,
  given: Json,
): Promise<Buffer> {
  if (!allows(key, tool.scope)) throw missingScope(tool.scope)
  const answer = await tool.run(database, readToolArguments(given, tool.takes), subscribing)
  return Buffer.concat(envelopePieces(answer))
}
