// Starts the worker thread, and starts it again when it ends by itself. The one place that knows where its
// file is: beside the sources, or in the binary.
import { Worker } from 'node:worker_threads'
import type { Config } from '../config.ts'
import { within } from '../within.ts'

export type WorkerThread = { stop(): Promise<void> }

type Options = {
  config: Config
  url: string
  /** Where the worker counts, when somebody reads it. */
  numbers: SharedArrayBuffer | undefined
  onLost: (reason: string) => void
}

const restartDelayMs = 500
const restartDelayMaxMs = 10_000
// Attempts under way get 7 s, then what is left is given back.
const stopMs = 10_000

// `bun build --compile` keeps the worker under its path relative to the working root.
const workerFile = (): string | URL =>
  typeof Bun !== 'undefined' && Bun.isStandaloneExecutable
    ? './workers/worker.ts'
    : new URL('../../workers/worker.ts', import.meta.url)

/** Resolves when the worker says `message`; fails when it ends before. */
function saysOnce(worker: Worker, message: string): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', said => {
      if (said === message) resolve()
    })
    worker.once('error', reject)
    worker.once('exit', code => reject(new Error(`the worker thread ended with code ${code}`)))
  })
}

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))

async function start({ config, url, numbers }: Options): Promise<Worker> {
  const worker = new Worker(workerFile(), { workerData: { config, url, numbers } })
  await saysOnce(worker, 'ready')
  return worker
}

/** Resolves with the reason when a worker that was ready ends. */
const ends = (worker: Worker): Promise<string> =>
  saysOnce(worker, 'never').then(
    () => '',
    (error: Error) => error.message,
  )

/** Resolves when the worker works. Throws when its first start fails. */
export async function startWorkerThread(options: Options): Promise<WorkerThread> {
  let worker = await start(options)
  let stopped = false

  /** Tries until one is ready again. */
  async function restart(reason: string, failures = 0): Promise<void> {
    options.onLost(reason)
    await pause(Math.min(restartDelayMs * 2 ** failures, restartDelayMaxMs))
    if (stopped) return
    try {
      worker = await start(options)
    } catch (error) {
      await restart((error as Error).message, failures + 1)
    }
  }

  async function watch() {
    while (!stopped) {
      const reason = await ends(worker)
      if (!stopped) await restart(reason)
    }
  }

  void watch()
  return {
    async stop() {
      stopped = true
      const said = saysOnce(worker, 'stopped')
      worker.postMessage('stop')
      await within(said, stopMs).catch(() => {})
      await worker.terminate()
    },
  }
}
