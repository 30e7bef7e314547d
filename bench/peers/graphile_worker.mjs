// Deliveries as a task of graphile-worker, with its local queue and batched completion as its documentation recommends for
// speed. It checks and signs nothing, and keeps no log of successes.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { run } from 'graphile-worker'

const { CONCURRENT_JOBS, BATCH_DELAY_MS, CA_FILE, DATABASE_URL, PORT } = process.env
const concurrentJobs = Number(CONCURRENT_JOBS)
const batchDelay = Number(BATCH_DELAY_MS)
const tls = { ca: readFileSync(CA_FILE, 'utf8') }
const headers = { 'Content-Type': 'application/json' }

async function deliver({ url, event }) {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(event), tls })
  await answer.text()
  if (!answer.ok) throw new Error(`answered ${answer.status}`)
}

const runner = await run({
  preset: {
    worker: {
      connectionString: DATABASE_URL,
      concurrentJobs,
      // One each and one that listens, as in its documentation; opened when needed.
      maxPoolSize: concurrentJobs + 1,
      localQueue: { size: 500 },
      completeJobBatchDelay: batchDelay,
      failJobBatchDelay: batchDelay,
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
