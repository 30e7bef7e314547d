// The command listen, while the service is away or says nothing, and while its own receiver takes long.
import { expect, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { type FollowOptions, followFeed } from '../../src/listen/follow.ts'

const refusing = Bun.serve({ port: 0, fetch: () => new Response() })
await refusing.stop(true)

/** Follows what listens at a port, from cursor 0, and takes its events, unless `more` says otherwise. */
const follow = (port: number | undefined, stop: AbortController, more: Partial<FollowOptions>) =>
  followFeed({
    base: `http://127.0.0.1:${port}/api/v1`,
    key: 'none',
    types: undefined,
    after: 0,
    stopped: stop.signal,
    async onEvent() {},
    onConnected() {},
    onBroken() {},
    ...more,
  })

test('waits that are over leave no listener on the signal that stops it', async () => {
  const stop = new AbortController()
  const waits: number[] = []
  const reasons: string[] = []
  const listeners: number[] = []
  await follow(refusing.port, stop, {
    onBroken(reason, waitMs) {
      reasons.push(reason)
      waits.push(waitMs)
      listeners.push(getEventListeners(stop.signal, 'abort').length)
      if (waits.length === 3) stop.abort()
    },
  })
  expect(waits).toEqual([500, 1_000, 2_000])
  expect(reasons[0]).toMatch(
    /^No answer from http:\/\/127\.0\.0\.1:\d+ \(\w+\): is the address right, and http or https\?$/,
  )
  expect(new Set(listeners).size).toBe(1)
})

test('a receiver that takes long is no silence of the service, and silence is noticed', async () => {
  let open: ReadableStreamDefaultController | undefined
  const send = (...ids: number[]) =>
    open?.enqueue(Buffer.from(ids.map(id => `id: ${id}\ndata: {}\n\n`).join('')))
  const service = Bun.serve({
    port: 0,
    fetch() {
      const start = (controller: ReadableStreamDefaultController) => {
        open = controller
        send(1, 2)
      }
      return new Response(new ReadableStream({ start }))
    },
  })
  const stop = new AbortController()
  const taken: number[] = []
  const reasons: string[] = []
  await follow(service.port, stop, {
    silenceMs: 500,
    async onEvent(cursor) {
      await Bun.sleep(700)
      taken.push(cursor)
      if (cursor === 2) send(3)
    },
    onBroken(reason) {
      reasons.push(reason)
      stop.abort()
    },
  })
  await service.stop(true)
  expect(taken).toEqual([1, 2, 3])
  expect(reasons).toEqual(['The service sends nothing.'])
})

test('a service that takes the connection and does not answer says nothing', async () => {
  const service = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) })
  for (const after of [undefined, 5]) {
    const stop = new AbortController()
    const reasons: string[] = []
    await follow(service.port, stop, {
      after,
      silenceMs: 100,
      onBroken(reason) {
        reasons.push(reason)
        stop.abort()
      },
    })
    expect(reasons).toEqual(['The service sends nothing.'])
  }
  await service.stop(true)
})

test('a service that is busy is asked again when it says, and never later than in a minute', async () => {
  const answers = ['2', '86400', '', 'tomorrow'].values()
  const service = Bun.serve({
    port: 0,
    fetch: () =>
      new Response(null, { status: 429, headers: { 'retry-after': answers.next().value ?? '' } }),
  })
  const waits: number[] = []
  for (const _ of [1, 2, 3, 4]) {
    const stop = new AbortController()
    await follow(service.port, stop, {
      onBroken(_reason, waitMs) {
        waits.push(waitMs)
        stop.abort()
      },
    })
  }
  await service.stop(true)
  expect(waits).toEqual([2_000, 60_000, 500, 500])
})
