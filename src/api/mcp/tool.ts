// What a tool is: an operation, described for a model. How tools/list shows it, and how a call gives its arguments.
import { ApiError } from '../../errors.ts'
import { schemaName } from '../../model/event.ts'
import type { Operation } from '../../operations/operation.ts'
import { type Parameters, readValue, type Values } from '../../operations/parameters.ts'
import { envelopeSchema, isObject, type Json, toJsonSchema } from '../http/json_schema.ts'

export const toolPath = '/mcp'

/** For a model: what comes back, what never does, how to go on. */
export type Tool = Pick<Operation, 'scope' | 'parameters' | 'shape' | 'run'> & {
  name: string
  title: string
  description: string
}

/**
 * For clients that read less of JSON Schema than REST's do: one type at a time. And no `uri`: some check it by rules of their
 * own and refuse a whole answer over one address.
 */
function portable(name: string, value: unknown): unknown {
  if (name === 'format' && value === 'uri') return undefined
  if (!isObject(value) || !Array.isArray(value.type)) return value
  const { type, description, ...rest } = value
  return { description, anyOf: [{ type: type[0], ...rest }, { type: 'null' }] }
}

/** The arguments as the JSON Schema that a client is shown. */
function argumentsSchema(input: Parameters): Json {
  const given = Object.entries(input)
  const properties = given.map(([name, { schema, description }]) => [
    name,
    { ...(toJsonSchema(schema) as Json), description },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: given.filter(([, parameter]) => parameter.required).map(([name]) => name),
    additionalProperties: false,
  }
}

/** A tool as `tools/list` shows it. */
export function describeTool({ name, title, description, parameters, shape }: Tool) {
  // Generators of types name them by titles.
  const answer = { title: `${schemaName(name)}Answer`, ...envelopeSchema(shape.data, shape.meta) }
  return {
    name,
    title,
    description,
    inputSchema: argumentsSchema(parameters),
    outputSchema: JSON.parse(JSON.stringify(answer, portable)) as Json,
    annotations: { title, readOnlyHint: true, openWorldHint: false },
  }
}

/** Models write a list as an array, as the JSON of one in a text, or with commas. */
function listOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.split(',').map(entry => entry.trim())
  }
}

/** Reads a call's arguments strictly; null is none. Throws the parameter's own code. */
export function readToolArguments(given: Json, input: Parameters): Values<Parameters> {
  if (!Object.keys(given).every(name => Object.hasOwn(input, name)))
    throw new ApiError(
      'invalid_request',
      `This tool takes the arguments ${Object.keys(input).join(', ')} alone.`,
    )
  const values = Object.entries(input).map(([name, parameter]) => {
    const value = given[name] ?? undefined
    const isListText = parameter.isList && typeof value === 'string'
    return [name, readValue(name, parameter, isListText ? listOf(value) : value)]
  })
  return Object.fromEntries(values)
}
