// Deliveries as a task of graphile-worker: with its local queue and batched completion as its documentation
// recommends for speed, or as it comes, when BATCH_DELAY_MS is empty. No log of successes.
import { createServer } from 'node:http'
import { run } from 'graphile-worker'
import { deliver } from './deliver.mjs'

const { CONCURRENT_JOBS, BATCH_DELAY_MS, DATABASE_URL, PORT } = process.env
const concurrentJobs = Number(CONCURRENT_JOBS)
const batched = BATCH_DELAY_MS && {
  localQueue: { size: 500 },
  completeJobBatchDelay: Number(BATCH_DELAY_MS),
  failJobBatchDelay: Number(BATCH_DELAY_MS),
}

const runner = await run({
  preset: {
    worker: {
      connectionString: DATABASE_URL,
      concurrentJobs,
      // One each and one that listens, as in its documentation; opened when needed.
      maxPoolSize: concurrentJobs + 1,
      ...batched,
    },
  },
  noHandleSignals: true,
  taskList: { deliver },
})

const server = createServer((_request, response) => response.end('ok'))
server.listen(Number(PORT), '127.0.0.1')

process.on('SIGTERM', async () => {
  server.close()
  await runner.stop()
  process.exit(0)
})
