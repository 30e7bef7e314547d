// /metrics: what this process counts, and what the database says of the workspace, on a port of its own. Nothing is
// counted where METRICS_PORT is not set.
import process from 'node:process'
import { type HttpServer, listenHttp } from '../../runtime/runtime.ts'
import { version } from '../../version.ts'
import type { Log, Part } from '../log.ts'
import { type Gauges, openGauges } from './gauges.ts'
import type { WatchDatabase } from './part.ts'
import { openRequestNumbers } from './requests.ts'
import { add, exposition, type Series, set, value } from './series.ts'
import { makeWorkerMemory, openWorkerNumbers } from './worker.ts'

export type Metrics = {
  /** The log of the main thread; what it hears of is counted. */
  watchLog(log: Log): Log
  watchDatabase: WatchDatabase
  /** For the worker thread, which counts into it. */
  workerMemory: SharedArrayBuffer
  /** Listens. Throws when the port is taken. */
  serve(options: ServeMetrics): Promise<RunningMetrics>
}

export type ServeMetrics = { host: string; port: number; url: string; sqlDir: string | undefined }
export type RunningMetrics = { port: number; stop(): Promise<void> }

const contentType = 'text/plain; version=0.0.4; charset=utf-8'

const runtime = () => {
  const { bun, deno, node } = process.versions as Record<string, string | undefined>
  return bun ? `bun ${bun}` : deno ? `deno ${deno}` : `node ${node}`
}

function processSeries(): Series[] {
  const { user, system } = process.cpuUsage()
  return [
    value('wda_build_info', 1, { version, runtime: runtime() }),
    value('process_cpu_seconds_total', (user + system) / 1e6),
    value('process_resident_memory_bytes', process.memoryUsage.rss()),
    value('process_start_time_seconds', Math.round(Date.now() / 1_000 - process.uptime())),
  ]
}

const say = (status: number, said: string, headers: Record<string, string> = {}) =>
  new Response(said, { status, headers })

/** Answers `/metrics` alone. */
const answer =
  (text: () => Promise<string>) =>
  async (request: Request): Promise<Response> => {
    if (!/^https?:\/\/[^/]*\/metrics(\?|$)/.test(request.url))
      return say(404, 'Metrics are at /metrics.\n')
    // The server drops the body of an answer to HEAD.
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return say(405, 'Metrics are read by GET.\n', { allow: 'GET, HEAD' })
    return new Response(await text(), { headers: { 'content-type': contentType } })
  }

function listen(options: ServeMetrics, gauges: Gauges, own: () => Series[]): HttpServer {
  const text = async () => exposition([...own(), ...(await gauges.read()), ...processSeries()])
  const { host: hostname, port } = options
  return listenHttp({ hostname, port, portSetting: 'METRICS_PORT', fetch: answer(text) })
}

/** The numbers of a process with these roles. */
export function openMetrics(roles: readonly Part[]): Metrics {
  const requests = openRequestNumbers()
  const workerMemory = makeWorkerMemory()
  const worker = openWorkerNumbers(workerMemory)
  const own = () => [
    ...(roles.includes('api') ? requests.series() : []),
    ...(roles.includes('worker') ? worker.series : []),
  ]
  return {
    workerMemory,
    watchDatabase: requests.watchDatabase,
    watchLog: log => ({
      ...requests.watchLog(log),
      workerLost(reason) {
        set(worker.up, 0)
        add(worker.restarts)
        log.workerLost(reason)
      },
    }),
    async serve(options) {
      const gauges = await openGauges(options.url, options.sqlDir)
      try {
        const server = listen(options, gauges, own)
        return {
          port: server.port,
          async stop() {
            await server.stopNow()
            await gauges.close()
          },
        }
      } catch (error) {
        await gauges.close()
        throw error
      }
    },
  }
}
