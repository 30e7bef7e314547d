// Listens for requests, and ends so that no client loses one: the last answers close their connections first.
import { publicUrlOf } from '../config/settings.ts'
import { schemaVersion } from '../db/schema_files.ts'
import { withTimeout } from '../lib/timeout.ts'
import { type HttpServer, listenHttp } from '../runtime/runtime.ts'
import { answerApp, buildApp, pathsOf } from './app.ts'
import { docsAssets } from './docs/docs.ts'
import type { Clients } from './http/client_address.ts'
import { type DashboardDeps, lazyDashboard } from './open_dashboard.ts'
import { type NotReadyReason, readyz } from './rest/health.ts'

export type Server = {
  port: number
  url: string
  /** Goes on serving, but says that it does not want more: /readyz answers 503, and every answer closes its connection. */
  retire(): void
  stop(): Promise<void>
}

const drainMs = 8_000
// A connection stays open for as long when nothing moves on it.
const idleMsMin = 30_000
const idleMarginMs = 5_000

/** An answer that takes as long as a request may take still finds its connection. */
export const idleMsOf = (requestTimeoutMs: number): number =>
  Math.max(idleMsMin, requestTimeoutMs + idleMarginMs)

/** Requests in flight get some seconds; what is open then is cut, so that the rest can end in order. */
const stopServer = (server: HttpServer) =>
  withTimeout(server.stop(), drainMs).catch(() => server.stopNow())

/** A client, or a proxy in front of many, must not send its next request over a connection that is about to end. */
async function lastAnswer(response: Response | Promise<Response>): Promise<Response> {
  const answer = await response
  answer.headers.set('connection', 'close')
  return answer
}

/** Throws when the port is taken. */
export function openServer(
  parts: Omit<DashboardDeps, 'origin'>,
  clients: Clients,
  notReadyReason: NotReadyReason,
): Server {
  const { config, service } = parts
  let retired = false
  // Known once the port is, before the first request.
  let port = config.PORT
  const origin = () => publicUrlOf(config, port)
  const app = buildApp(service, {
    origin,
    assets: docsAssets(origin, service.rateLimit.permitsMax),
    readyz: readyz(service.database, schemaVersion, () =>
      retired ? 'the service is stopping' : notReadyReason(),
    ),
    dashboard: lazyDashboard(() => ({ ...parts, origin: origin() })),
  })
  const answerRequest = answerApp(service, app)
  const server = listenHttp({
    hostname: config.HOST,
    port,
    portSetting: 'PORT',
    idleMs: idleMsOf(service.requestTimeoutMs),
    paths: pathsOf(app),
    fetch(request, socket, isKnownPath) {
      clients.note(request, socket)
      const answer = answerRequest(request, isKnownPath)
      return retired ? lastAnswer(answer) : answer
    },
  })
  port = server.port
  return {
    port,
    url: origin(),
    retire() {
      retired = true
    },
    stop: () => stopServer(server),
  }
}
