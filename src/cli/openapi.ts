// openapi: prints the API description that the service publishes.

import { apiDocument } from '../api/docs/document.ts'
import { publicUrlOf } from '../config/public_url.ts'
import type { Config } from '../config/settings.ts'
import { readArguments } from './arguments.ts'
import { write } from './output.ts'

export async function openapi(config: Config, args: string[]): Promise<void> {
  readArguments(args, [])
  const description = apiDocument(publicUrlOf(config, config.PORT), config.RATE_LIMIT_PER_MINUTE)
  write(JSON.stringify(description, null, 2))
}
