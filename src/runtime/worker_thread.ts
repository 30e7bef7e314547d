// Runs the worker thread: starts it, watches its heartbeat, and starts it again when it ends or falls silent.
// The one place that knows where its file is: next to the sources, or in the binary.
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { MetricObject } from 'prom-client'
import type { Config } from '../config/settings.ts'
import { ConfigError } from '../lib/config_error.ts'
import { withTimeout } from '../lib/timeout.ts'

/** silent: its heartbeat is late. restarting: it ended, and another one is not ready yet. */
type WorkerState = 'working' | 'silent' | 'restarting'

/** What the thread is handed over. */
export type WorkerGiven = {
  config: Config
  url: string
  heartbeatMs: number
}

/** Messages of the thread; main sends one message alone, to stop. */
export type WorkerReport =
  | { is: 'ready' | 'stopped' }
  /** With what it counted, if metrics are on. */
  | { is: 'alive'; numbers: MetricObject[] }
  /** It could not start. An error loses its class and its own members on the way between threads. */
  | {
      is: 'failed'
      reason: string
      code: string
      severity: string | undefined
      isConfig: boolean
    }

export type WorkerThread = {
  state(): WorkerState
  /** What it had counted a moment ago; nothing while it is started again. */
  numbers(): MetricObject[]
  /** Throws when the thread was cut off before it had ended in order. */
  stop(): Promise<void>
}

/** Times in milliseconds that only tests change. */
type WorkerThreadTimes = {
  heartbeatMs: number
  restartDelayMs: number
  stopMs: number
}

type Options = {
  config: Config
  url: string
  /** The thread ended or was ended; it is started again. */
  onLost: (reason: string) => void
  /** Another entry, for tests. */
  file?: string | URL
  times?: Partial<WorkerThreadTimes>
}

// At a stop attempts in flight get 2 s, recording them 2 s more; then the lease goes back.
const usualTimes: WorkerThreadTimes = { heartbeatMs: 1_000, restartDelayMs: 500, stopMs: 10_000 }
const restartDelayMaxMs = 10_000
// One that worked for so long is started again as quickly as the first time.
const steadyMs = 60_000
// It waits for a database that does not answer 30 s at most, at each of two statements.
const readyLimitMs = 75_000

// In beats. A thread that does not come to beat is stuck in a loop or starved; it is given ten.
const silentAfter = 3
const lostAfter = 10

// `bun build --compile` keeps the worker under its path relative to the working root.
const workerFile = (): string | URL =>
  typeof Bun !== 'undefined' && Bun.isStandaloneExecutable
    ? './workers/worker.ts'
    : new URL('../../workers/worker.ts', import.meta.url)

type Failed = Extract<WorkerReport, { is: 'failed' }>

const failureOf = ({ reason, code, severity, isConfig }: Failed): Error =>
  Object.assign(isConfig ? new ConfigError(reason) : new Error(reason), { code, severity })

function launch({ config, url, file = workerFile(), times }: Options) {
  const { heartbeatMs } = { ...usualTimes, ...times }
  const given: WorkerGiven = { config, url, heartbeatMs }
  const worker = new Worker(file, { workerData: given })
  let isReady = false
  // Beats, not time: a machine that slept wakes with an old clock and a living worker.
  let missed = 0
  let numbers: MetricObject[] = []
  // Resolves with the reason, however it ends.
  const { promise: ended, resolve: end } = Promise.withResolvers<Error>()
  const { promise: ready, resolve: becomeReady, reject: neverReady } = Promise.withResolvers<void>()
  const watch = setInterval(() => {
    missed += 1
    if (isReady && missed >= lostAfter) end(new Error('the worker thread fell silent'))
  }, heartbeatMs)
  const readyLimit = setTimeout(() => {
    if (!isReady) end(new Error(`the worker thread did not get ready within ${readyLimitMs} ms`))
  }, readyLimitMs)
  worker.on('message', (said: WorkerReport) => {
    missed = 0
    if (said.is === 'failed') end(failureOf(said))
    if (said.is === 'alive') numbers = said.numbers
    if (said.is !== 'ready') return
    isReady = true
    becomeReady()
  })
  worker.once('error', end)
  worker.once('exit', code => end(new Error(`the worker thread ended with code ${code}`)))
  void ended.then(reason => {
    isReady = false
    numbers = []
    clearInterval(watch)
    clearTimeout(readyLimit)
    neverReady(reason)
    void worker.terminate()
  })
  // Only the first start waits for it.
  ready.catch(() => {})
  const state = (): WorkerState => {
    if (!isReady) return 'restarting'
    return missed >= silentAfter ? 'silent' : 'working'
  }
  return { worker, startedAt: performance.now(), state, numbers: () => numbers, ready, ended }
}

type Thread = ReturnType<typeof launch>

/** Lets the thread end in order; throws when it had to be cut off. */
async function stop({ worker, state, ended }: Thread, stopMs: number): Promise<void> {
  const stoppedReport = new Promise<true>(resolve => {
    worker.on('message', (message: WorkerReport) => message.is === 'stopped' && resolve(true))
  })
  let hasEnded = state() === 'restarting'
  if (!hasEnded) {
    worker.postMessage('stop')
    const endedEarly = ended.then(() => false)
    const end = Promise.race([stoppedReport, endedEarly])
    hasEnded = await withTimeout(end, stopMs).catch(() => false)
  }
  await worker.terminate()
  if (!hasEnded)
    throw new Error('The worker was cut off: what it had under way may be delivered once more.')
}

/** Resolves when the worker works. Throws when its first start fails. */
export async function startWorkerThread(options: Options): Promise<WorkerThread> {
  const { restartDelayMs, stopMs } = { ...usualTimes, ...options.times }
  let stopped = false
  let thread = launch(options)
  await thread.ready

  async function keepOneRunning() {
    for (let failures = 0; ; failures += 1) {
      const { message: reason } = await thread.ended
      if (stopped) return
      options.onLost(reason)
      if (performance.now() - thread.startedAt > steadyMs) failures = 0
      await pause(Math.min(restartDelayMs * 2 ** failures, restartDelayMaxMs))
      if (stopped) return
      thread = launch(options)
    }
  }

  void keepOneRunning()
  return {
    state: () => thread.state(),
    numbers: () => thread.numbers(),
    stop() {
      stopped = true
      return stop(thread, stopMs)
    },
  }
}
