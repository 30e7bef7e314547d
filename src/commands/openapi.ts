// openapi: prints the API description that the service publishes.
import type { Config } from '../config.ts'
import { originOf } from '../origin.ts'
import { apiDocument } from '../rest/api_document.ts'
import { readArguments } from './arguments.ts'
import { write } from './output.ts'

export async function openapi(config: Config, args: string[]): Promise<void> {
  readArguments(args, [])
  write(JSON.stringify(apiDocument(originOf(config, config.PORT)), null, 2))
}
