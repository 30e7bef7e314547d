// What an operation is: one thing a client may ask for, through either face. REST adds method and path
// (src/api/rest/routes.ts), the tools a description for a model (src/api/mcp/tools.ts). Without a scope it does not type-check.
import type { TObject, TSchema } from '@sinclair/typebox'
import type { Database, JsonText } from '../db/database.ts'
import type { HookSettings } from '../model/hook.ts'
import type { Scope } from '../model/scope.ts'
import type { Parameters, Values } from './parameters.ts'

/** Data as JSON text, made by the database and passed through. */
export type Answer = {
  data: JsonText | string
  meta?: Record<string, number | string>
  /** Headers of the answer over HTTP; a tool has none. */
  headers?: Record<string, string>
}

export type Operation<Taken extends Parameters = Parameters> = {
  /** The API description calls it `operationId`. */
  name: string
  scope: Scope
  input: Taken
  /** How many bytes its answers may have where the process has room for them, if they are to end there; see Database. */
  bytesMax?: number
  /** The JSON body it reads; without it none is read. */
  body?: TSchema
  data: TSchema
  meta?: TObject
  run(
    database: Database,
    input: Values<Taken> & { body?: unknown },
    settings: HookSettings,
  ): Promise<Answer>
}

/** Keeps the types of the input for run. */
export const operation = <Taken extends Parameters>(definition: Operation<Taken>) => definition
