// Deliveries as jobs of pg-boss, in batches as its documentation recommends for speed: several workers, each of which
// fetches a batch, sends all of it at once, settles every job of it, and fetches again as long as batches are full.
import { createServer } from 'node:http'
import { PgBoss } from 'pg-boss'
import { deliver } from './deliver.mjs'

const { BATCH_SIZE, WORKERS, DATABASE_URL, PORT } = process.env
const queue = 'deliver'

const settled = ({ id, data }) =>
  deliver(data).then(
    () => ({ id, status: 'completed' }),
    error => ({ id, status: 'failed', output: { message: error.message } }),
  )

const boss = new PgBoss({ connectionString: DATABASE_URL, max: Number(WORKERS) + 2 })
boss.on('error', error => process.stderr.write(`${error}\n`))
await boss.start()
await boss.createQueue(queue, { retryLimit: 5 })
await boss.work(
  queue,
  {
    batchSize: Number(BATCH_SIZE),
    localConcurrency: Number(WORKERS),
    pollingIntervalSeconds: 0.5,
    burstWhenBatchFull: true,
    perJobResults: true,
  },
  jobs => Promise.all(jobs.map(settled)),
)

const server = createServer((_request, response) => response.end('ok'))
server.listen(Number(PORT), '127.0.0.1')

process.on('SIGTERM', async () => {
  server.close()
  await boss.stop({ graceful: false })
  process.exit(0)
})
