// What the worker thread counts. Its numbers lie in memory that both threads see: the worker adds, the main thread
// reads, without a message between them, and a worker that ends and is started again counts on from where it was.
import type { ErrorClass } from '../../sending/sender.ts'
import type { AttemptLine, Log } from '../log.ts'
import { type MetricName, metricCatalog } from './catalog.ts'
import { takeCommon, type WatchDatabase, watchCommon, watchStatements } from './part.ts'
import { add, lengthOf, observe, type Series, set } from './series.ts'

const cellBytes = Float64Array.BYTES_PER_ELEMENT
const cellsMax = 128

/** To be opened by both threads. */
export const makeWorkerMemory = (): SharedArrayBuffer => new SharedArrayBuffer(cellsMax * cellBytes)

/** Each, and whether what ends with it is tried again; a blocked target never is. */
const isRetried: Record<ErrorClass, boolean> = {
  dns: true,
  connect: true,
  tls: true,
  timeout: true,
  status: true,
  blocked: false,
}
const errorClasses = Object.keys(isRetried) as ErrorClass[]

/** Every series of the worker, each at its place in the memory; both threads come to the same places. */
export function openWorkerNumbers(memory: SharedArrayBuffer) {
  const series: Series[] = []
  let offset = 0
  function take(name: MetricName, labels: Record<string, string> = {}) {
    const cells = new Float64Array(memory, offset * cellBytes, lengthOf(name))
    offset += cells.length
    series.push({ name, labels, cells })
    return cells
  }
  const takeAttempts = (outcome: string, error_class: string) =>
    [
      `${outcome} ${error_class}`,
      take('wda_delivery_attempts_total', { outcome, error_class }),
    ] as const
  return {
    series,
    common: takeCommon(take, 'worker'),
    up: take('wda_worker_up'),
    restarts: take('wda_worker_restarts_total'),
    attempts: new Map([
      takeAttempts('delivered', ''),
      ...errorClasses.filter(one => isRetried[one]).map(one => takeAttempts('retry', one)),
      ...errorClasses.map(one => takeAttempts('failed', one)),
    ]),
    attemptSeconds: take('wda_delivery_attempt_duration_seconds'),
    receiptSeconds: take('wda_delivery_receipt_seconds'),
    paused: take('wda_hooks_paused_total'),
    accepted: take('wda_owner_notices_total', { outcome: 'accepted' }),
    refused: take('wda_owner_notices_total', { outcome: 'failed' }),
  }
}

export type WorkerNumbers = ReturnType<typeof openWorkerNumbers>

function countAttempt(numbers: WorkerNumbers, line: AttemptLine): void {
  const { outcome, error_class = '', duration_ms, receipt_ms } = line
  const attempts = numbers.attempts.get(`${outcome} ${error_class}`)
  if (attempts) add(attempts)
  const { attemptSeconds, receiptSeconds } = numbers
  const { wda_delivery_attempt_duration_seconds: attempt, wda_delivery_receipt_seconds: receipt } =
    metricCatalog
  observe(attemptSeconds, attempt.bounds, duration_ms / 1_000)
  if (receipt_ms !== undefined) observe(receiptSeconds, receipt.bounds, receipt_ms / 1_000)
}

export type WatchedWorker = {
  log: Log
  watchDatabase: WatchDatabase
  /** The worker works. */
  ready(): void
}

/** For the worker thread: its log and its statements, counted. */
export function watchWorker(memory: SharedArrayBuffer, log: Log): WatchedWorker {
  const numbers = openWorkerNumbers(memory)
  const { common, up, paused, accepted, refused } = numbers
  // What holds of the worker before this one holds no more.
  for (const gauge of [up, common.listener, common.inFlight]) set(gauge, 0)
  return {
    watchDatabase: watchStatements(common),
    ready: () => set(up, 1),
    log: {
      ...watchCommon(common, log),
      attempt(line) {
        countAttempt(numbers, line)
        log.attempt(line)
      },
      hookPaused(id) {
        add(paused)
        log.hookPaused(id)
      },
      notice(line) {
        add(line.error_class === null ? accepted : refused)
        log.notice(line)
      },
    },
  }
}
