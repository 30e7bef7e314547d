// openapi: prints the API description that the service publishes.
import type { Config } from '../config.ts'
import { buildOpenApi } from '../rest/openapi.ts'
import { examples } from '../rest/openapi_examples.ts'
import { version } from '../rest/pages.ts'
import { basePath, routes } from '../rest/routes.ts'
import { readArguments } from './arguments.ts'
import { write } from './output.ts'

export async function openapi(config: Config, args: string[]): Promise<void> {
  readArguments(args, [])
  const origin = config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`
  const document = buildOpenApi(routes, { baseUrl: origin + basePath, version, examples })
  write(JSON.stringify(document, null, 2))
}
