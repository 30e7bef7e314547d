// The command listen, while the service is away, busy or silent, and while its own receiver takes long.
import { expect, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { type FollowOptions, followFeed } from '../../src/listen/follow.ts'

const noEvents = { async onEvent() {}, onConnected() {}, onBroken() {} }

/** Follows what listens at a port until it breaks for the last time; the reasons, and how long it waits after each. */
async function follow(port: number | undefined, breaks = 1, more: Partial<FollowOptions> = {}) {
  const stop = new AbortController()
  const [reasons, waits, listeners]: [string[], number[], number[]] = [[], [], []]
  await followFeed({
    ...{ base: `http://127.0.0.1:${port}/api/v1`, key: 'none', types: undefined, after: 0 },
    ...noEvents,
    ...more,
    stopped: stop.signal,
    onBroken(reason, waitMs) {
      reasons.push(reason)
      waits.push(waitMs)
      listeners.push(getEventListeners(stop.signal, 'abort').length)
      if (reasons.length === breaks) stop.abort()
    },
  })
  return { reasons, waits, listeners: new Set(listeners).size }
}

async function serving<Value>(
  fetch: () => Response | Promise<Response>,
  work: (port?: number) => Promise<Value>,
) {
  const service = Bun.serve({ port: 0, fetch })
  const value = await work(service.port)
  await service.stop(true)
  return value
}

test('waits grow, and leave no listener on the signal that stops it', async () => {
  const port = await serving(
    () => new Response(),
    async port => port,
  )
  const { reasons, waits, listeners } = await follow(port, 2)
  expect([waits, listeners]).toEqual([[500, 1_000], 1])
  expect(reasons[0]).toMatch(
    /^No answer from http:\/\/127\.0\.0\.1:\d+ \(\w+\): is the address right, and http or https\?$/,
  )
})

test('a receiver that takes long is no silence of the service, and silence is noticed', async () => {
  let open: ReadableStreamDefaultController | undefined
  const send = (...ids: number[]) =>
    open?.enqueue(Buffer.from(ids.map(id => `id: ${id}\ndata: {}\n\n`).join('')))
  const start = (controller: ReadableStreamDefaultController) => {
    open = controller
    send(1, 2)
  }
  const taken: number[] = []
  const onEvent = async (cursor: number) => {
    await Bun.sleep(300)
    taken.push(cursor)
    if (cursor === 2) send(3)
  }
  const { reasons } = await serving(
    () => new Response(new ReadableStream({ start })),
    port => follow(port, 1, { silenceMs: 200, onEvent }),
  )
  expect([taken, reasons]).toEqual([[1, 2, 3], ['The service sends nothing.']])
})

test.each([undefined, 5])(
  'a service that takes the connection and does not answer is silent, after %p',
  async after => {
    const silent = () => new Promise<Response>(() => {})
    const { reasons } = await serving(silent, port => follow(port, 1, { after, silenceMs: 100 }))
    expect(reasons).toEqual(['The service sends nothing.'])
  },
)

test.each([
  ['2', 2_000],
  ['86400', 60_000],
  ['', 500],
  ['tomorrow', 500],
])('with Retry-After "%s" it asks again in %d ms', async (retry, ms) => {
  const busy = () => new Response(null, { status: 429, headers: { 'retry-after': retry } })
  expect((await serving(busy, follow)).waits).toEqual([ms])
})
