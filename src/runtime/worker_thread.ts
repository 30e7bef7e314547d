// Starts the worker thread. The one place that knows where its file is: beside the sources, or in the binary.
import { Worker } from 'node:worker_threads'
import type { Config } from '../config.ts'

export type WorkerThread = { stop(): Promise<void> }

// `bun build --compile` keeps the worker under its path relative to the working root.
const workerFile = (): string | URL =>
  typeof Bun !== 'undefined' && Bun.isStandaloneExecutable
    ? './workers/worker.ts'
    : new URL('../../workers/worker.ts', import.meta.url)

const told = (worker: Worker, message: string) =>
  new Promise<void>((resolve, reject) => {
    worker.on('message', said => {
      if (said === message) resolve()
    })
    worker.once('error', reject)
    worker.once('exit', code => reject(new Error(`the worker thread ended with code ${code}`)))
  })

/** Resolves when the worker works. */
export async function startWorkerThread(config: Config, url: string): Promise<WorkerThread> {
  const worker = new Worker(workerFile(), { workerData: { config, url } })
  await told(worker, 'ready')
  return {
    async stop() {
      const stopped = told(worker, 'stopped').catch(() => {})
      worker.postMessage('stop')
      await stopped
      await worker.terminate()
    },
  }
}
