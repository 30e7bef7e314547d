// Whether the process lives and whether it can serve. In the envelope, like everything else.
import type { Database } from '../../db/database.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { version } from '../../version.ts'
import { commonHeaders, envelope, errorEnvelope } from '../http/envelope.ts'
import { requestIdOf } from '../http/request_line.ts'

// A database that takes longer to say that it is there is not ready.
const readinessTimeoutMs = 1_000

const say = (request: Request, status: number, body: string, more = {}) =>
  new Response(body, { status, headers: { ...commonHeaders(requestIdOf(request)), ...more } })

export const healthz = (request: Request): Response =>
  say(request, 200, envelope({ data: JSON.stringify({ status: 'ok', version }) }))

/** What is wrong with it. */
async function databaseHindrance(database: Database, schemaVersion: number) {
  const [readiness] = await withTimeout(database.rows('getReadiness', {}), readinessTimeoutMs)
  if (readiness?.schema_version !== schemaVersion)
    return 'the database is of another schema version'
  return readiness.takes_writes ? undefined : 'the database takes no writes'
}

/** Why this process is not ready, apart from the database: `the worker is silent`. */
export type NotReadyReason = () => string | undefined

/** A feed that stands still is no reason to send no requests: everything else is served. */
async function feedState(database: Database) {
  const [feed] = await withTimeout(database.rows('getFeedCheck', {}), readinessTimeoutMs)
  return feed?.stuck ? { feed: 'events have had no cursor for a minute' } : {}
}

/** 200 when the database answers, takes writes and has this program's schema, and nothing of our own hinders; else 503. */
export const readyz =
  (database: Database, schemaVersion: number, notReadyReason: NotReadyReason) =>
  async (request: Request): Promise<Response> => {
    const reason =
      notReadyReason() ??
      (await databaseHindrance(database, schemaVersion).catch(() => 'the database is away'))
    if (reason !== undefined)
      return say(request, 503, errorEnvelope('internal_error', `Not ready: ${reason}.`), {
        'retry-after': '1',
      })
    const feed = await feedState(database).catch(() => ({}))
    return say(request, 200, envelope({ data: JSON.stringify({ status: 'ready', ...feed }) }))
  }
