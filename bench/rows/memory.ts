// memory: what a service holds while it answers a million requests, and while it sends a hundred thousand deliveries.
import type { Bench } from '../bench.ts'
import {
  type MemoryCurve,
  memoryCurve,
  memoryFigures,
  memoryReaches,
  parts,
  requestMemory,
} from '../memory.ts'
import { openReceiver } from '../receiver.ts'
import type { Row } from '../row.ts'
import { requestKinds } from '../samples.ts'
import { addEvents, prepared, startDelivering, subscribeAll } from '../subscriptions.ts'

/** Kinds in turn, so that none is cached for long. */
async function mixedRequests(bench: Bench) {
  const database = await bench.database(bench.options.sizes.small)
  const kinds = await requestKinds(database)
  const requests = database.keys.map((_, turn) => kinds[turn % kinds.length]?.requests[turn] ?? '')
  return { database, requests }
}

async function deliveryMemory(bench: Bench, total: number): Promise<MemoryCurve> {
  const database = await bench.database(bench.options.sizes.small, 'deliveries')
  const receiver = await openReceiver(bench)
  await prepared(database, async sql => {
    await subscribeAll(sql, receiver, 1)
    await addEvents(sql, total)
  })
  await receiver.begin()
  return await bench.during(startDelivering(database, receiver), service =>
    memoryCurve(service, tenth => receiver.reached((total / parts) * tenth)),
  )
}

export const memory: Row = {
  name: 'memory',
  measures:
    'megabytes a service holds (RSS of the whole process) over many requests and many deliveries',
  reaches: memoryReaches,
  async run(bench) {
    const { requests: asked, deliveries } = bench.options.watched
    const { database, requests } = await mixedRequests(bench)
    bench.note(
      'memory: pages of leads and of events, single leads and searches in turn; deliveries to 1 subscription.',
    )
    return [
      ...memoryFigures(
        await requestMemory(bench, database, asked, requests),
        `${asked.toLocaleString('en')} requests`,
      ),
      ...memoryFigures(
        await deliveryMemory(bench, deliveries),
        `${deliveries.toLocaleString('en')} deliveries`,
      ),
    ]
  },
}
