// Entry of the worker thread: reads what the main thread handed over, works until it is told to stop.
import { parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../src/config.ts'
import { openLog } from '../src/log.ts'
import { startWorker } from '../src/worker.ts'

const { config, url } = workerData as { config: Config; url: string }
const log = openLog(config.LOG_LEVEL)
const worker = await startWorker(config, url, log)
parentPort?.postMessage('ready')
parentPort?.on('message', async () => {
  await worker.stop()
  log.flush()
  parentPort?.postMessage('stopped')
  parentPort?.close()
})
