// Entry of the worker thread: reads what the main thread handed over, works until it is asked to stop.
import { parentPort, workerData } from 'node:worker_threads'
import { ConfigError } from '../src/lib/config_error.ts'
import { errorCodeOf } from '../src/lib/error_code.ts'
import { openLog } from '../src/observability/log.ts'
import type { WorkerGiven, WorkerReport } from '../src/runtime/worker_thread.ts'
import { startWorker } from '../src/worker/start.ts'

const { config, url, heartbeatMs } = workerData as WorkerGiven
const log = openLog(config.LOG_LEVEL)
// prom-client is slow to load.
const counted =
  config.METRICS_PORT === undefined
    ? undefined
    : (await import('../src/observability/metrics/count.ts')).countWork(log)
const say = (message: WorkerReport) => parentPort?.postMessage(message)

async function work() {
  const worker = await startWorker(config, url, log)
  say({ is: 'ready' })
  // The main thread ends a thread that it does not hear from.
  const beat = async () => {
    const numbers = (await counted?.getMetricsAsJSON()) ?? []
    say({ is: 'alive', numbers })
  }
  void beat()
  setInterval(beat, heartbeatMs)
  parentPort?.on('message', async () => {
    await worker.stop()
    await log.flush()
    say({ is: 'stopped' })
  })
}

// Deno writes what a thread does not catch on stderr, with its stack.
await work().catch((error: Error & { severity?: string }) =>
  say({
    is: 'failed',
    reason: error.message,
    code: errorCodeOf(error),
    severity: error.severity,
    isConfig: error instanceof ConfigError,
  }),
)
