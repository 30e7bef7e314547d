// The load process: carries out plans it is sent, so that making the load takes no time from the service.
import { quantile } from '../statistics.ts'
import { type LoadConnection, openLoadConnection } from './connection.ts'
import type { Alternate, Alternated, Outcome, Plan, Saturate, Saturated } from './plan.ts'

async function saturate(plan: Saturate): Promise<Saturated> {
  const requests = plan.requests.map(text => Buffer.from(text))
  const { until } = plan
  const requestsMax = 'requests' in until ? until.requests : Number.POSITIVE_INFINITY
  const connections: LoadConnection[] = []
  const cpu = process.cpuUsage()
  const times: number[] = []
  let bodyBytes = 0
  let sent = 0
  const startedAt = performance.now()
  const endsAt = 'seconds' in until ? startedAt + until.seconds * 1000 : Number.POSITIVE_INFINITY
  await new Promise<void>((resolve, reject) => {
    let running = plan.connections
    const next = (connection: LoadConnection) => {
      const sentAt = performance.now()
      if (sentAt >= endsAt || sent >= requestsMax) {
        running -= 1
        if (running === 0) resolve()
        return
      }
      const request = requests[sent % requests.length] as Buffer
      sent += 1
      connection.send(request, bytes => {
        bodyBytes = bytes
        times.push(performance.now() - sentAt)
        next(connection)
      })
    }
    for (let index = 0; index < plan.connections; index += 1)
      openLoadConnection(plan.port, reject, plan.ca).then(connection => {
        connections.push(connection)
        next(connection)
      }, reject)
  }).finally(() => {
    for (const connection of connections) connection.close()
  })
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return {
    requests: times.length,
    seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    bodyBytes,
    cpu: (user + system) / 1e6 / seconds,
  }
}

const once = (connection: LoadConnection, request: Buffer): Promise<number> =>
  new Promise(resolve => {
    const sentAt = performance.now()
    connection.send(request, () => resolve(performance.now() - sentAt))
  })

async function alternate(plan: Alternate): Promise<Alternated> {
  let fail: (error: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  const connections = await Promise.all(plan.ports.map(port => openLoadConnection(port, fail)))
  const requests = plan.requests.map(texts => texts.map(text => Buffer.from(text)))
  const times: number[][] = plan.ports.map(() => [])
  try {
    for (let turn = 0; turn < plan.times; turn += 1)
      for (const [side, connection] of connections.entries()) {
        const own = requests[side] as Buffer[]
        const request = own[turn % own.length] as Buffer
        times[side]?.push(await Promise.race([once(connection, request), failed]))
      }
  } finally {
    for (const connection of connections) connection.close()
  }
  return { times }
}

process.on('message', async (plan: Plan) => {
  const outcome: Outcome = await (plan.kind === 'saturate'
    ? saturate(plan)
    : alternate(plan)
  ).catch((error: Error) => ({ error: error.message }))
  process.send?.(outcome)
})
