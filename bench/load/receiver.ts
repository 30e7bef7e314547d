// Receives deliveries over HTTPS, in a process of its own: counts them and keeps how old each one's event was. It is asked over
// plain HTTP on PORT. Not counted is `/tarpit`, which takes a delivery and answers only when it is let go.
import { makeCertificates } from '../../test/support/receiver/certificates.ts'
import { openClock } from './clock.ts'

export type Receipts = {
  received: number
  /** Of one event in SAMPLE the `t` in its data, and when it came; in the order of receipt. */
  sampled: [t: number, at: number][]
  /** Whole seconds between the first receipt and the last in which none came. */
  silentSeconds: number
  /** Deliveries that the tar pit holds. */
  held: number
}

let now = openClock()
let places: { ca: string; ports: (number | undefined)[] } | undefined
let sample = 1
let receivedAt: number[] = []
let sampled: Receipts['sampled'] = []
const held: (() => void)[] = []
let waiting: { count: number; resolve(at: number): void }[] = []

// See emitStatement.
const madeAt = '"product_domain":'

function note(body: string) {
  const at = now()
  const received = receivedAt.push(at)
  const place = body.indexOf(madeAt)
  if (place >= 0) {
    const t = Number.parseFloat(body.slice(place + madeAt.length).slice(0, 32))
    // All deliveries of an event, or none.
    if (Math.floor(t * 1_000) % sample === 0) sampled.push([t, at])
  }
  const reached = waiting.filter(({ count }) => count <= received)
  if (reached.length === 0) return
  waiting = waiting.filter(({ count }) => count > received)
  for (const { resolve } of reached) resolve(at)
}

async function receive(request: Request): Promise<Response> {
  if (!request.url.endsWith('/tarpit')) {
    note(await request.text())
    return new Response('ok')
  }
  await new Promise<void>(resolve => held.push(resolve))
  return new Response(null, { status: 503 })
}

function silentSeconds(): number {
  const seconds = new Set(receivedAt.map(at => Math.floor(at / 1_000)))
  const span =
    Math.floor((receivedAt.at(-1) ?? 0) / 1_000) - Math.floor((receivedAt[0] ?? 0) / 1_000)
  return Math.max(0, span + 1 - seconds.size)
}

const questions: Record<string, (query: URLSearchParams) => unknown> = {
  '/': () => places,
  '/begin'(query) {
    now = openClock()
    sample = Number(query.get('sample'))
    receivedAt = []
    sampled = []
    return null
  },
  /** When so many have come. */
  '/reached'(query) {
    const count = Number(query.get('count'))
    return receivedAt[count - 1] ?? new Promise(resolve => waiting.push({ count, resolve }))
  },
  '/receipts': (): Receipts => ({
    received: receivedAt.length,
    sampled,
    silentSeconds: silentSeconds(),
    held: held.length,
  }),
  '/release'() {
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
