// Whether the process lives and whether it can serve. In the envelope, like everything else.
import type { Database } from '../db/database.ts'
import { commonHeaders, envelope, errorEnvelope } from '../http/envelope.ts'
import { requestIdOf } from '../http/request_id.ts'
import { version } from '../version.ts'
import { within } from '../within.ts'

// A database that takes longer to say that it is there is not ready.
const readinessTimeoutMs = 1_000

const say = (request: Request, status: number, body: string) =>
  new Response(body, { status, headers: commonHeaders(requestIdOf(request)) })

export const healthz = (request: Request): Response =>
  say(request, 200, envelope({ data: JSON.stringify({ status: 'ok', version }) }))

async function databaseState(database: Database, schemaVersion: number): Promise<string> {
  const [readiness] = await within(database.list('getReadiness', {}), readinessTimeoutMs)
  return readiness?.schema_version === schemaVersion ? 'ready' : 'of another schema version'
}

/** What keeps this process from being ready, beside the database: `the worker is silent`. */
export type Hindrance = () => string | undefined

async function hindranceOf(database: Database, schemaVersion: number, hindrance: Hindrance) {
  const own = hindrance()
  if (own !== undefined) return own
  const state = await databaseState(database, schemaVersion).catch(() => 'away')
  return state === 'ready' ? undefined : `the database is ${state}`
}

/** 200 when the database answers and has this program's schema and nothing of our own hinders, else 503. */
export const readyz =
  (database: Database, schemaVersion: number, hindrance: Hindrance) =>
  async (request: Request): Promise<Response> => {
    const reason = await hindranceOf(database, schemaVersion, hindrance)
    return reason === undefined
      ? say(request, 200, envelope({ data: JSON.stringify({ status: 'ready' }) }))
      : say(request, 503, errorEnvelope('internal_error', `Not ready: ${reason}.`))
  }
