// The load process: carries out plans it is sent, so that making the load takes no time from the service. Its connections are
// bare sockets that read the head and count the body, and no more, so that little of the machine goes to the load.
import type { Alternate, Outcome, Plan, Saturate } from './load.ts'

type Connection = {
  /** Sends one request; calls back when the answer is whole. Anything but a 200 is an error. */
  send(request: Buffer, onAnswer: () => void): void
  close(): void
}

const headEnd = '\r\n\r\n'
// JSON has no line ends of its own.
const chunksEnd = '0\r\n\r\n'

/** Of a body without a stated length: undefined. */
function lengthOf(head: string): number | undefined {
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`answered ${head.split('\r\n')[0]}`)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  return length === undefined ? undefined : Number(length)
}

async function connect(port: number, onError: (error: Error) => void): Promise<Connection> {
  // The head so far, or the end of a body without a stated length.
  let received = Buffer.alloc(0)
  let missing: number | undefined
  let isInBody = false
  let answered: () => void = () => {}

  function receive(chunk: Buffer) {
    let body = chunk
    if (!isInBody) {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf(headEnd)
      if (end < 0) return
      missing = lengthOf(received.toString('latin1', 0, end))
      body = received.subarray(end + headEnd.length)
      received = Buffer.alloc(0)
      isInBody = true
    }
    if (missing === undefined) {
      received = Buffer.concat([received, body]).subarray(-chunksEnd.length)
      if (received.toString('latin1') !== chunksEnd) return
    } else {
      missing -= body.length
      if (missing > 0) return
    }
    received = Buffer.alloc(0)
    isInBody = false
    answered()
  }

  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_socket, chunk) {
        try {
          receive(chunk)
        } catch (error) {
          onError(error as Error)
        }
      },
      error: (_socket, error) => onError(error),
      // After close() the plan is over, and nothing waits for the error.
      close: () => onError(new Error('the server closed the connection')),
    },
  })
  return {
    send(request, onAnswer) {
      answered = onAnswer
      // A request is far smaller than a socket's buffer, so it is always taken whole.
      socket.write(request)
    },
    close: () => socket.end(),
  }
}

async function saturate({ port, until, ...plan }: Saturate): Promise<Outcome> {
  const requests = plan.requests.map(text => Buffer.from(text))
  const requestsMax = 'requests' in until ? until.requests : Number.POSITIVE_INFINITY
  let sent = 0
  let answered = 0
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const connections = await Promise.all(
    Array.from({ length: plan.connections }, () => connect(port, failed.reject)),
  )
  const startedAt = performance.now()
  const endsAt = 'seconds' in until ? startedAt + until.seconds * 1000 : Number.POSITIVE_INFINITY
  const work = (connection: Connection) =>
    new Promise<void>(resolve => {
      const next = () => {
        if (performance.now() >= endsAt || sent >= requestsMax) return resolve()
        sent += 1
        connection.send(requests[sent % requests.length] as Buffer, () => {
          answered += 1
          next()
        })
      }
      next()
    })
  await Promise.race([Promise.all(connections.map(work)), failed.promise])
  const rate = answered / ((performance.now() - startedAt) / 1000)
  for (const connection of connections) connection.close()
  return { rate }
}

async function alternate(plan: Alternate): Promise<Outcome> {
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const sides = await Promise.all(
    plan.sides.map(async ({ port, requests }) => ({
      connection: await connect(port, failed.reject),
      requests: requests.map(text => Buffer.from(text)),
      times: [] as number[],
    })),
  )
  for (let turn = 0; turn < plan.times; turn += 1)
    for (const { connection, requests, times } of sides) {
      const sentAt = performance.now()
      const answer = new Promise<void>(resolve => {
        connection.send(requests[turn % requests.length] as Buffer, resolve)
      })
      await Promise.race([answer, failed.promise])
      times.push(performance.now() - sentAt)
    }
  for (const { connection } of sides) connection.close()
  return { times: sides.map(({ times }) => times) }
}

process.on('message', async (plan: Plan) => {
  const outcome = await ('sides' in plan ? alternate(plan) : saturate(plan)).catch(
    (error: Error): Outcome => ({ error: error.message }),
  )
  process.send?.(outcome)
})
