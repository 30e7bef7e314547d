// What the main thread counts: every line of the log about requests, and nothing else.
import { errorCodes } from '../../errors.ts'
import type { Log, RequestLine } from '../log.ts'
import { type MetricName, metricCatalog } from './catalog.ts'
import { takeCommon, type WatchDatabase, watchCommon, watchStatements } from './part.ts'
import { add, lengthOf, observe, type Series } from './series.ts'

const duration = 'wda_http_request_duration_seconds'
// Whatever stands in a request for its method, no more series come of it.
const methods = new Set(['GET', 'HEAD', 'POST', 'DELETE'])

export type RequestNumbers = {
  /** Those that were ever counted, and those that begin at 0. */
  series(): Iterable<Series>
  watchLog(log: Log): Log
  watchDatabase: WatchDatabase
}

export function openRequestNumbers(): RequestNumbers {
  const all = new Map<string, Series>()

  /** The cells under a key that is quicker to make than the labels. */
  function cellsOf(key: string, name: MetricName, labels: () => Record<string, string>) {
    const found = all.get(key)
    if (found) return found.cells
    const cells = new Float64Array(lengthOf(name))
    all.set(key, { name, labels: labels(), cells })
    return cells
  }

  const take = (name: MetricName, labels: Record<string, string> = {}) =>
    cellsOf(`${name} ${Object.values(labels)}`, name, () => labels)
  const common = takeCommon(take, 'api')
  for (const code of errorCodes) take('wda_http_errors_total', { code })
  const limited = {
    key: take('wda_http_rate_limited_total', { by: 'key' }),
    address: take('wda_http_rate_limited_total', { by: 'address' }),
  }

  function count({ method: given, route, status, duration_ms, code, key_id, tool }: RequestLine) {
    const method = methods.has(given) ? given : 'other'
    const labels = () => ({ method, route, status: String(status) })
    const cells = cellsOf(`${method} ${route} ${status}`, duration, labels)
    observe(cells, metricCatalog[duration].bounds, duration_ms / 1_000)
    if (code) add(take('wda_http_errors_total', { code }))
    if (code === 'rate_limited') add(key_id ? limited.key : limited.address)
    if (!tool) return
    const outcome = code ? 'error' : 'answered'
    add(cellsOf(`${tool} ${outcome}`, 'wda_tool_calls_total', () => ({ tool, outcome })))
  }

  return {
    series: () => all.values(),
    watchDatabase: watchStatements(common),
    watchLog: log => ({
      ...watchCommon(common, log),
      request(line) {
        count(line)
        log.request(line)
      },
    }),
  }
}
