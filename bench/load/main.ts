// The load process: carries out plans it is sent, so that making the load takes no time from the service.
import { type LoadConnection, openLoadConnection } from './connection.ts'
import type { Alternate, Outcome, Plan, Saturate } from './load.ts'

async function saturate(plan: Saturate): Promise<Outcome> {
  const requests = plan.requests.map(text => Buffer.from(text))
  const { until } = plan
  const requestsMax = 'requests' in until ? until.requests : Number.POSITIVE_INFINITY
  const connections: LoadConnection[] = []
  let sent = 0
  let answered = 0
  const startedAt = performance.now()
  const endsAt = 'seconds' in until ? startedAt + until.seconds * 1000 : Number.POSITIVE_INFINITY
  await new Promise<void>((resolve, reject) => {
    let running = plan.connections
    const next = (connection: LoadConnection) => {
      if (performance.now() >= endsAt || sent >= requestsMax) {
        running -= 1
        if (running === 0) resolve()
        return
      }
      const request = requests[sent % requests.length] as Buffer
      sent += 1
      connection.send(request, () => {
        answered += 1
        next(connection)
      })
    }
    for (let index = 0; index < plan.connections; index += 1)
      openLoadConnection(plan.port, reject).then(connection => {
        connections.push(connection)
        next(connection)
      }, reject)
  }).finally(() => {
    for (const connection of connections) connection.close()
  })
  return { rate: answered / ((performance.now() - startedAt) / 1000) }
}

const timeOf = (connection: LoadConnection, request: Buffer): Promise<number> =>
  new Promise(resolve => {
    const sentAt = performance.now()
    connection.send(request, () => resolve(performance.now() - sentAt))
  })

async function alternate(plan: Alternate): Promise<Outcome> {
  const failed = Promise.withResolvers<never>()
  const sides = await Promise.all(
    plan.sides.map(async ({ port, requests }) => ({
      connection: await openLoadConnection(port, failed.reject),
      requests: requests.map(text => Buffer.from(text)),
      times: [] as number[],
    })),
  )
  try {
    for (let turn = 0; turn < plan.times; turn += 1)
      for (const { connection, requests, times } of sides) {
        const request = requests[turn % requests.length] as Buffer
        times.push(await Promise.race([timeOf(connection, request), failed.promise]))
      }
  } finally {
    for (const { connection } of sides) connection.close()
  }
  return { times: sides.map(({ times }) => times) }
}

process.on('message', async (plan: Plan) => {
  const outcome: Outcome = await (plan.kind === 'saturate'
    ? saturate(plan)
    : alternate(plan)
  ).catch((error: Error) => ({ error: error.message }))
  process.send?.(outcome)
})
