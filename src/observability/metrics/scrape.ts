// /metrics, on a port of its own: what the threads of this process count, and what the database knows of the workspace. That
// is one statement per scrape, on a connection of its own, so that no scrape waits for requests and no request for a scrape.
import { AggregatorRegistry, Gauge, Registry } from 'prom-client'
import { openPool } from '../../db/connect.ts'
import { openDatabase } from '../../db/database.ts'
import { loadQueries } from '../../db/override.ts'
import type { RowOf } from '../../db/queries.ts'
import { type HttpServer, listenHttp } from '../../runtime/runtime.ts'
import type { Numbers } from './count.ts'

// A scrape costs the same however much waits. Beyond this the ages tell more.
const countMax = 10_000
const timeoutMs = 2_000

type Workspace = RowOf<'getGauges'>
type WorkspaceGauge = {
  help: string
  labels?: ['state']
  /** Null: there is no value now. With labels one for each state. */
  of(found: Workspace): number | null | Record<string, number>
}

export const workspaceGauges: Record<string, WorkspaceGauge> = {
  wda_database_up: {
    help: '1 if the database answered this scrape; at 0 the metrics of the workspace are missing.',
    of: () => 1,
  },
  wda_unsequenced_events: {
    help: 'Events without a cursor yet, counted up to 10000.',
    of: ({ unsequenced }) => unsequenced,
  },
  wda_unsequenced_oldest_age_seconds: {
    help: 'Age of the oldest event without a cursor; 0 if there is none.',
    of: ({ unsequenced_age }) => Math.max(0, unsequenced_age ?? 0),
  },
  wda_feed_head: { help: 'Cursor of the newest event in the feed.', of: ({ head }) => head },
  wda_feed_head_age_seconds: {
    help: 'Age of the newest event in the feed.',
    of: ({ head_age }) => head_age,
  },
  wda_feed_horizon: { help: 'Highest cursor that has expired.', of: ({ horizon }) => horizon },
  wda_deliveries_pending: {
    help: 'Deliveries that wait for their turn, for their next attempt, are in flight, or ended within the last ten seconds, counted up to 10000. Those of paused subscriptions wait for no turn.',
    of: ({ pending }) => pending,
  },
  wda_deliveries_failed: {
    help: 'Deliveries that failed for good and were neither sent again nor dismissed, counted up to 10000.',
    of: ({ failed }) => failed,
  },
  wda_deliveries_oldest_due_age_seconds: {
    help: 'How long the oldest retry has been due, including those in flight: shows a receiver that does not answer. 0 if there is none.',
    of: ({ due_age }) => Math.max(0, due_age ?? 0),
  },
  wda_leader: {
    help: '1 while a process with the role worker leads: it sequences, delivers and prunes. At 0 nothing is delivered.',
    of: ({ has_leader }) => (has_leader ? 1 : 0),
  },
  wda_subscriptions: {
    help: 'Webhook subscriptions by state: active, failing (the last delivery was a final failure) or paused.',
    labels: ['state'],
    of: ({ active, failing, paused }) => ({ active, failing, paused }),
  },
}

/** Undefined: the database does not answer. */
function workspaceNumbers(found: Workspace | undefined): Promise<Numbers> {
  const registry = new Registry()
  for (const [name, { help, labels = [], of }] of Object.entries(workspaceGauges)) {
    const value = found ? of(found) : name === 'wda_database_up' ? 0 : null
    if (value === null) continue
    const gauge = new Gauge({ name, help, labelNames: labels, registers: [registry] })
    if (typeof value === 'number') gauge.set(value)
    else for (const [state, count] of Object.entries(value)) gauge.set({ state }, count)
  }
  return registry.getMetricsAsJSON()
}

type ScrapeOptions = {
  host: string
  port: number
  url: string
  sqlDir: string | undefined
  /** Of each registry. */
  numbers(): Promise<Numbers[]>
}

const answer =
  (text: () => Promise<string>) =>
  async ({ url, method }: Request): Promise<Response> => {
    if (!/^https?:\/\/[^/]*\/metrics(\?|$)/.test(url))
      return new Response('Metrics are at /metrics.\n', { status: 404 })
    if (method !== 'GET' && method !== 'HEAD')
      return new Response('Metrics are read by GET.\n', {
        status: 405,
        headers: { allow: 'GET, HEAD' },
      })
    const contentType = AggregatorRegistry.PROMETHEUS_CONTENT_TYPE
    return new Response(await text(), { headers: { 'content-type': contentType } })
  }

/** Listens. Throws when the port is taken, and QueryFileError when a file in `sqlDir` does not fit. */
export async function serveMetrics({ host, port, url, sqlDir, numbers }: ScrapeOptions) {
  const applicationName = 'workspace-data-api metrics'
  const limits = { connectionsMax: 1, statementTimeoutMs: timeoutMs }
  const pool = openPool({ url, applicationName, ...limits })
  try {
    const database = openDatabase(pool, await loadQueries(pool.sql, sqlDir), timeoutMs + 500)
    const text = async () => {
      const [found] = await database.rows('getGauges', { count_max: countMax }).catch(() => [])
      const all = [...(await numbers()), await workspaceNumbers(found)]
      return await AggregatorRegistry.aggregate(all).metrics()
    }
    const server: HttpServer = listenHttp({
      hostname: host,
      port,
      portSetting: 'METRICS_PORT',
      fetch: answer(text),
    })
    return {
      port: server.port,
      async stop() {
        await server.stopNow()
        await pool.end()
      },
    }
  } catch (error) {
    await pool.end()
    throw error
  }
}
