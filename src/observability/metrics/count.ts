// What a thread counts: one registry of prom-client, fed by the log. The table of docs/reference/metrics.md is made from the
// registries. No label names a person, a key, a URL or a subscription.
import process from 'node:process'
import { Counter, Gauge, Histogram, type MetricObject, Registry } from 'prom-client'
import { errorCodes } from '../../errors.ts'
import { version } from '../../version.ts'
import type { Log, Logged, Part } from '../log.ts'

// Pages take a millisecond or two, a statement at most STATEMENT_TIMEOUT_MS.
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
// From the goal (7 ms at the median, 30 ms for 99 of 100) to the last retry, 36 minutes later and more.
const receiptBounds = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15, 60, 300, 1_800, 3_600]

/** The numbers of a registry, as they go from one thread to the other. */
export type Numbers = MetricObject[]

const makerOf = (registry: Registry) => {
  const registers = [registry]
  return {
    counter: (name: string, help: string, ...labelNames: string[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: (name: string, help: string, ...labelNames: string[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
      new Histogram({ name, help, labelNames, registers, buckets }),
    /** A gauge that is asked at each scrape. */
    asked: (name: string, help: string, now: () => number) =>
      new Gauge({
        ...{ name, help, registers },
        collect() {
          this.set(now())
        },
      }),
  }
}

type Count = {
  [Name in Logged['name']]?: (fields: Extract<Logged, { name: Name }>['fields']) => void
}

/** What both parts of a process count alike, and what `count` makes of other events. */
function countPart(log: Log, part: Part, registry: Registry, count: Count): Registry {
  const make = makerOf(registry)
  const faultsHelp = 'Internal faults; the log has each with its stack.'
  const faults = make.counter('wda_faults_total', faultsHelp, 'part').labels(part)
  const listenerHelp =
    '1 while LISTEN is established. At 0 the service falls back to polling, with higher latency.'
  const listener = make.gauge('wda_listener_up', listenerHelp, 'part').labels(part)
  faults.inc(0)
  listener.set(0)
  log.subscribe(({ name, fields }) => {
    if (name === 'fault') faults.inc()
    else if (name === 'listener_established' && fields.part === part) listener.set(1)
    else if (name === 'listener_lost' && fields.part === part) listener.set(0)
    else count[name]?.(fields as never)
  })
  return registry
}

// Whatever stands in a request for its method, no more series come of it.
const methods = new Set(['GET', 'HEAD', 'POST', 'DELETE'])

/** For the main thread of a process that serves requests. */
export function countRequests(log: Log): Registry {
  const registry = new Registry()
  const make = makerOf(registry)
  const duration = make.histogram(
    'wda_http_request_duration_seconds',
    'Duration of requests, by route pattern; "-" is no route. Health checks and assets are not counted.',
    requestBounds,
    ...['method', 'route', 'status'],
  )
  const errors = make.counter(
    'wda_http_errors_total',
    'Requests and tool calls that failed, by error code: missing_token and invalid_token are failed authentications.',
    'code',
  )
  const limited = make.counter(
    'wda_http_rate_limited_total',
    'Requests refused as rate_limited: over the limit of a key, or from an address that failed to authenticate too often.',
    'by',
  )
  for (const code of errorCodes) errors.inc({ code }, 0)
  for (const by of ['key', 'address']) limited.inc({ by }, 0)
  return countPart(log, 'api', registry, {
    request({ method: given, route, status, duration_ms, code, key_id }) {
      const method = methods.has(given) ? given : 'other'
      duration.observe({ method, route, status }, duration_ms / 1_000)
      if (code) errors.inc({ code })
      if (code === 'rate_limited') limited.inc({ by: key_id ? 'key' : 'address' })
    },
  })
}

const outcomes = {
  delivered: [''],
  // A blocked target is never tried again.
  retry: ['dns', 'connect', 'tls', 'timeout', 'status'],
  failed: ['dns', 'connect', 'tls', 'timeout', 'status', 'blocked'],
}

/** For the worker thread. */
export function countWork(log: Log): Registry {
  const registry = new Registry()
  const make = makerOf(registry)
  const attempts = make.counter(
    'wda_delivery_attempts_total',
    'Delivery attempts by outcome (delivered, retry: tried again later, failed: final) and by the class of the error.',
    ...['outcome', 'error_class'],
  )
  const receipt = make.histogram(
    'wda_delivery_receipt_seconds',
    "Time from a change to the receiver's 2xx, including the feed, retries and pauses. Test events are not counted.",
    receiptBounds,
  )
  for (const [outcome, classes] of Object.entries(outcomes))
    for (const error_class of classes) attempts.inc({ outcome, error_class }, 0)
  return countPart(log, 'worker', registry, {
    attempt({ outcome, error_class = '', receipt_ms }) {
      attempts.inc({ outcome, error_class })
      if (receipt_ms !== undefined) receipt.observe(receipt_ms / 1_000)
    },
  })
}

/** Of the process, and of its worker thread where it has one, as the main thread sees it. */
export function countProcess(log: Log, isWorking?: () => boolean): Registry {
  const registry = new Registry()
  const make = makerOf(registry)
  if (isWorking) {
    const upHelp = '1 while the worker thread runs and responds.'
    make.asked('wda_worker_up', upHelp, () => (isWorking() ? 1 : 0))
    const restartsHelp = 'Unexpected ends of the worker thread, each followed by a restart.'
    const restarts = make.counter('wda_worker_restarts_total', restartsHelp)
    log.subscribe(({ name }) => name === 'worker_lost' && restarts.inc())
  }
  const { bun, deno } = process.versions as Record<string, string | undefined>
  const runtime = bun ? `bun ${bun}` : `deno ${deno}`
  const buildHelp = 'Always 1; the labels have the version and the runtime.'
  make.gauge('wda_build_info', buildHelp, 'version', 'runtime').set({ version, runtime }, 1)
  let counted = 0
  const processor = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system CPU time of all threads, in seconds.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage()
      processor.inc((user + system) / 1e6 - counted)
      counted = (user + system) / 1e6
    },
  })
  const memoryHelp = 'Resident memory, in bytes.'
  make.asked('process_resident_memory_bytes', memoryHelp, () => process.memoryUsage.rss())
  const startHelp = 'Start time of the process, in seconds since the Unix epoch.'
  const startedAt = Math.round(Date.now() / 1_000 - process.uptime())
  make.gauge('process_start_time_seconds', startHelp).set(startedAt)
  return registry
}
