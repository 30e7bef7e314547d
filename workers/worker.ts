// Entry of the worker thread: reads what the main thread handed over, works until it is told to stop.
import { parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../src/config.ts'
import { openLog } from '../src/log.ts'
import { watchWorker } from '../src/metrics/deliveries.ts'
import { startWorker } from '../src/worker.ts'

type Given = { config: Config; url: string; numbers: SharedArrayBuffer | undefined }

const { config, url, numbers } = workerData as Given
const unwatched = openLog(config.LOG_LEVEL)
const watched = numbers && watchWorker(numbers, unwatched)
const log = watched?.log ?? unwatched
const worker = await startWorker(config, url, log, {}, watched?.watchDatabase)
watched?.ready()
parentPort?.postMessage('ready')
parentPort?.on('message', async () => {
  await worker.stop()
  log.flush()
  parentPort?.postMessage('stopped')
  parentPort?.close()
})
