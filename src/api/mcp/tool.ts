// What a tool is: an operation, described for a model. How tools/list shows it, and what a call of it does.
// Arguments are the parameters of the operation, sent as JSON. The schema says which JSON, the parser reads it as the text it
// would be in a query, so both faces refuse the same values with the same code.
import type { TSchema } from '@sinclair/typebox'
import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import { allows } from '../../operations/key_ring.ts'
import type { Operation } from '../../operations/operation.ts'
import {
  type Parameter,
  type Parameters,
  readValue,
  type Values,
} from '../../operations/parameters.ts'
import { readWithin } from '../http/answer_bytes.ts'
import { type Authorized, missingScope, type Progress, type Service } from '../http/authorize.ts'
import { envelopePieces } from '../http/envelope.ts'
import { envelopeSchema, isObject, type Json, toJsonSchema } from '../http/json_schema.ts'
import { hinted, withHint } from './hints.ts'

// The SDK holds an answer several times over, and no model reads more.
const answerMax = 512 * 1024

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
 * For clients that read less of JSON Schema than REST's do: one type at a time. And no `uri`: some check it by
 * rules of their own and refuse a whole answer over one address.
 */
function portable(name: string, value: unknown): unknown {
  if (name === 'format' && value === 'uri') return undefined
  if (!isObject(value) || !Array.isArray(value.type)) return value
  const { type, description, ...rest } = value
  return { description, anyOf: [{ type: type[0], ...rest }, { type: 'null' }] }
}

const portableSchema = (schema: Json): Json => JSON.parse(JSON.stringify(schema, portable))

/** The arguments as the JSON Schema that a client is shown. */
function argumentsSchema(taken: Parameters): Json {
  const names = Object.keys(taken)
  const properties = names.map(name => {
    const { schema, description } = taken[name] as Parameter<unknown>
    return [name, { ...(toJsonSchema(schema) as Json), description }]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: names.filter(name => taken[name]?.required),
    additionalProperties: false,
  }
}

/** A tool as `tools/list` shows it. */
export const describeTool = ({ name, title, description, takes, data, meta }: Tool) => ({
  name,
  title,
  description,
  inputSchema: argumentsSchema(takes),
  outputSchema: portableSchema(envelopeSchema(data, meta)),
  annotations: { title, readOnlyHint: true, openWorldHint: false },
})

/** As a person writes a list: with spaces behind the commas. */
const withoutSpaces = (list: string) =>
  list
    .split(',')
    .map(entry => entry.trim())
    .join(',')

const isListEntry = (entry: unknown) => typeof entry === 'string' && !entry.includes(',')

/** A JSON value as the text it would be in a query; undefined where its type is none the schema takes. */
function textOf({ schema, isList }: Parameter<unknown>, value: unknown): string | undefined {
  if (schema.type === 'integer') return typeof value === 'number' ? String(value) : undefined
  if (typeof value === 'string') return isList ? withoutSpaces(value) : value
  return isList && Array.isArray(value) && value.every(isListEntry) ? value.join(',') : undefined
}

const jsonTypeOf = ({ schema, isList }: Parameter<unknown>) => {
  if (schema.type === 'integer') return 'a JSON number'
  return isList ? 'a JSON array of strings or one string with commas' : 'a JSON string'
}

function readOne(name: string, parameter: Parameter<unknown>, given: unknown): unknown {
  const expected = `${parameter.expected}, as ${jsonTypeOf(parameter)}`
  if (given === undefined) {
    if (!parameter.required) return parameter.absent
    throw new ApiError(
      parameter.code ?? 'invalid_request',
      `${name} is missing: it must be ${expected}.`,
    )
  }
  const text = textOf(parameter, given)
  // A list may be written in two ways, which the sentence of REST does not say.
  const isPlain = text !== undefined && !parameter.isList
  return readValue(name, isPlain ? parameter : { ...parameter, expected }, text)
}

/** Reads a call's arguments strictly. Throws the parameter's own code. */
export function readToolArguments<Taken extends Parameters>(
  given: Json,
  taken: Taken,
): Values<Taken> {
  const names = Object.keys(taken)
  if (Object.keys(given).some(name => !Object.hasOwn(taken, name)))
    throw new ApiError(
      'invalid_request',
      `This tool takes the arguments ${names.join(', ')} alone.`,
    )
  const values = names.map(name => [
    name,
    readOne(
      name,
      taken[name] as Parameter<unknown>,
      Object.hasOwn(given, name) ? given[name] : undefined,
    ),
  ])
  return Object.fromEntries(values) as Values<Taken>
}

/** The envelope of a call, as JSON in UTF-8. Throws missing_scope first, then as arguments and operation do. */
export async function runTool(
  tool: Tool,
  { answerBytes, database, hookSettings }: Service,
  { key, inSlot }: Authorized,
  given: Json,
  progress: Progress,
): Promise<Buffer> {
  if (!allows(key, tool.scope)) throw missingScope(tool.scope)
  const values = readToolArguments(given, tool.takes)
  const inTurn = (reading: Database) => inSlot(() => tool.run(reading, values, hookSettings))
  const answer = await readWithin(answerBytes, progress, database, inTurn, { most: answerMax })
  return Buffer.concat(envelopePieces(answer))
}
