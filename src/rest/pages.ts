// What is served beside the API: its description, the page that shows it, and the health checks.
import packageJson from '../../package.json' with { type: 'json' }
import type { Database } from '../db/database.ts'
import { docsAssets } from './docs.ts'
import { commonHeaders, envelope, errorEnvelope } from './envelope.ts'
import { buildOpenApi } from './openapi.ts'
import { examples } from './openapi_examples.ts'
import { requestIdOf } from './request.ts'
import { basePath, routes } from './routes.ts'

const readinessTimeoutMs = 1_000

export const version: string = packageJson.version

type PageOptions = { database: Database; schemaVersion: number; baseUrl: string }

async function databaseState({ database, schemaVersion }: PageOptions): Promise<string> {
  const [readiness] = await Promise.race([
    database.list('getReadiness', {}),
    new Promise<never>((_, reject) => setTimeout(reject, readinessTimeoutMs, new Error('slow'))),
  ])
  return readiness?.schema_version === schemaVersion ? 'ready' : 'of another schema version'
}

export function apiPages(options: PageOptions) {
  const document = buildOpenApi(routes, { baseUrl: options.baseUrl + basePath, version, examples })
  return {
    assets: {
      [`${basePath}/openapi.json`]: { type: 'application/json', body: JSON.stringify(document) },
      ...docsAssets(`${basePath}/openapi.json`),
    },
    healthz(request: Request) {
      const headers = commonHeaders(requestIdOf(request))
      return new Response(envelope(JSON.stringify({ status: 'ok', version })), { headers })
    },
    async readyz(request: Request) {
      const requestId = requestIdOf(request)
      const database = await databaseState(options).catch(() => 'away')
      const headers = commonHeaders(requestId)
      return database === 'ready'
        ? new Response(envelope(JSON.stringify({ status: 'ready' })), { headers })
        : new Response(errorEnvelope('internal_error', `Not ready: the database is ${database}.`), {
            status: 503,
            headers,
          })
    },
  }
}
