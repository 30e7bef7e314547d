// Receives deliveries over HTTPS, in a process of its own: counts them and keeps how old each one's event was.
// It is asked over plain HTTP on PORT. Not counted are `/slow`, which answers after 300 ms, `/tarpit`, which takes a delivery and
// answers only when it is let go, and `/down`, which refuses until then.
import { makeCertificates } from '../../test/support/receiver/certificates.ts'
import { openClock } from '../clock.ts'

export type MeasuredReceipts = {
  received: number
  /** Milliseconds from the `t` in an event's data to its receipt, in the order of receipt; and each one's `t`. */
  lags: number[]
  made: number[]
  /** Deliveries the tar pit holds. */
  held: number
  /** Seconds of a core that receiving took. */
  cpuSeconds: number
}

let now = openClock()
let places: { ca: string; ports: (number | undefined)[] } | undefined
let receivedAt: number[] = []
let lags: number[] = []
let made: number[] = []
let cpu = process.cpuUsage()
const held: (() => void)[] = []
// What a slow receiver takes.
const slowMs = 300
let holding = true
// One at a time is asked for.
const waiting: { count: number; resolve(at: number): void }[] = []

const reached = (count: number): Promise<number> => {
  const at = receivedAt[count - 1]
  return at !== undefined
    ? Promise.resolve(at)
    : new Promise(resolve => waiting.push({ count, resolve }))
}

function note(body: string) {
  const at = now()
  receivedAt.push(at)
  const place = body.indexOf('"t":')
  if (place >= 0) {
    const t = Number.parseFloat(body.slice(place + 4, place + 32))
    lags.push(at - t)
    made.push(t)
  }
  if (waiting[0] !== undefined && receivedAt.length >= waiting[0].count)
    waiting.shift()?.resolve(at)
}

async function receive(request: Request): Promise<Response> {
  if (request.url.endsWith('/slow')) {
    await Bun.sleep(slowMs)
    return new Response('ok')
  }
  if (request.url.endsWith('/tarpit')) {
    if (holding) await new Promise<void>(resolve => held.push(resolve))
    return new Response(null, { status: 503 })
  }
  if (request.url.endsWith('/down')) return new Response(null, { status: holding ? 503 : 200 })
  note(await request.text())
  return new Response('ok')
}

function receipts(): MeasuredReceipts {
  const { user, system } = process.cpuUsage(cpu)
  return {
    received: receivedAt.length,
    lags,
    made,
    held: held.length,
    cpuSeconds: (user + system) / 1e6,
  }
}

const questions: Record<string, (query: URLSearchParams) => unknown> = {
  '/': () => places,
  '/begin'() {
    now = openClock()
    receivedAt = []
    lags = []
    made = []
    cpu = process.cpuUsage()
    waiting.length = 0
    return null
  },
  '/reached': query => reached(Number(query.get('count'))),
  '/receipts': receipts,
  '/hold'() {
    holding = true
    return null
  },
  '/release'() {
    holding = false
    for (const answer of held.splice(0)) answer()
    return null
  },
}

// First, before the servers below take ports, perhaps this one.
const control = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  idleTimeout: 255,
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    const answer = places && questions[pathname]
    return answer ? Response.json(await answer(searchParams)) : new Response(null, { status: 404 })
  },
})

const { ca, right } = await makeCertificates()
// Subscribers are at different places, and no two share connections.
const servers = Array.from({ length: Number(process.env.ORIGINS) }, () =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // A tar pit is quiet for longer than the 10 s a server waits by itself.
    idleTimeout: 255,
    tls: right,
    fetch: receive,
  }),
)

places = { ca, ports: servers.map(({ port }) => port) }

process.on('SIGTERM', () => {
  for (const server of servers) void server.stop(true)
  void control.stop(true)
})
