// What a tool is, and how a client is told of it. A tool without a scope does not type-check.
import type { TSchema } from '@sinclair/typebox'
import type { Database } from '../db/database.ts'
import { type Answer, envelopePieces } from '../http/envelope.ts'
import { missingScope } from '../http/gate.ts'
import { envelopeSchema, isObject, type Json } from '../http/json_schema.ts'
import type { Scope } from '../model/scope.ts'
import { type ApiKey, allows } from '../operations/key_ring.ts'
import { argumentsSchema, readArguments, type ToolParameters, type Values } from './arguments.ts'

export type Tool<Taken extends ToolParameters = ToolParameters> = {
  name: string
  title: string
  /** For a model: what comes back, what never does, how to go on. */
  description: string
  scope: Scope
  takes: Taken
  data: TSchema
  meta?: TSchema
  run(database: Database, values: Values<Taken>): Promise<Answer>
}

/** Keeps the arguments' types for run, and lets tools of every kind stand in one registry. */
export const tool = <Taken extends ToolParameters>(definition: Tool<Taken>): Tool =>
  definition as unknown as Tool

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
  database: Database,
  key: ApiKey,
  given: Json,
): Promise<Buffer> {
  if (!allows(key, tool.scope)) throw missingScope(tool.scope)
  const answer = await tool.run(database, readArguments(given, tool.takes))
  return Buffer.concat(envelopePieces(answer))
}
