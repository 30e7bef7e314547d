// A subscriber's side of deliveries: an HTTPS server in another process, scripted by path (receiver/scripts.ts),
// that records what it got.
import { afterAll, beforeAll } from 'bun:test'
import { join } from 'node:path'
import { until } from '../until.ts'
import type { Counts, Received } from './answers.ts'
import type { Places } from './main.ts'

export type { Received } from './answers.ts'

export type Receiver = Places & {
  /** Where a path is served, under any name the certificate has (127.0.0.1, localhost, *.hooks.example). */
  url(path: string, host?: string): string
  /** All requests so far, in the order they came; of one path or of all. */
  requests(path?: string): Promise<Received[]>
  /** Resolves with the requests once the condition over them holds. */
  waitFor(condition: (requests: Received[]) => unknown, milliseconds?: number): Promise<Received[]>
  count(): Promise<number>
  connections(): Promise<Counts>
  /** A path answers with this status until it is healed. */
  answer(path: string, status: number): Promise<void>
  heal(path: string): Promise<void>
  /** Requests for a path are recorded, and wait for their answer until it is released. */
  hold(path: string): Promise<void>
  /** All of them; or the first so many, and others go on waiting. */
  release(path: string, count?: number): Promise<void>
  forget(): Promise<void>
  stop(): Promise<void>
}

/** What a process says first. */
export async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) return text
  }
  throw new Error('the process ended before it said anything')
}

export async function startReceiver(): Promise<Receiver> {
  const receiver = Bun.spawn(['bun', join(import.meta.dir, 'main.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const places = JSON.parse(await firstLine(receiver.stdout)) as Places
  const received: Received[] = []

  async function ask(command: string, query: Record<string, string | number> = {}) {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, `${value}`]),
    )
    const response = await fetch(`${places.control}${command}?${search}`)
    if (!response.ok) throw new Error(`the receiver does not know ${command}`)
    return response.json()
  }

  /** Only what is new comes over. Two at once bring the same, each to its place. */
  async function update(): Promise<Received[]> {
    const after = received.length
    const fresh = (await ask('/requests', { after })) as Received[]
    received.splice(after, fresh.length, ...fresh)
    return received
  }

  return {
    ...places,
    url: (path, host = '127.0.0.1') => `https://${host}:${new URL(places.origin).port}${path}`,
    requests: async path =>
      (await update()).filter(request => path === undefined || request.path === path),
    async waitFor(condition, milliseconds) {
      await until(async () => condition(await update()), milliseconds)
      return received
    },
    count: () => ask('/count') as Promise<number>,
    connections: () => ask('/connections') as Promise<Counts>,
    answer: (path, status) => ask('/answer', { path, status }),
    heal: path => ask('/heal', { path }),
    hold: path => ask('/hold', { path }),
    release: (path, count) => ask('/release', { path, ...(count !== undefined && { count }) }),
    async forget() {
      await ask('/forget')
      received.length = 0
    },
    async stop() {
      receiver.kill()
      await receiver.exited
    },
  }
}

/** Call at the top of a file. */
export function useReceiver(): Receiver {
  const test = {} as Receiver
  beforeAll(async () => {
    Object.assign(test, await startReceiver())
  })
  afterAll(() => test.stop())
  return test
}
