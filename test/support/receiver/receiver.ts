// A subscriber's side of deliveries: an HTTPS server in another process, scripted by path (receiver/main.ts), that records what
// it got.
import { afterAll, beforeAll } from 'bun:test'
import { join } from 'node:path'
import type { Places } from './main.ts'
import type { Received } from './server.ts'

export type { Received } from './server.ts'

/** What a process writes first. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) return text
  }
  throw new Error('the process ended before it wrote anything')
}

async function startReceiver() {
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

  return {
    ...places,
    /** Where a path is served, under any name the certificate has (127.0.0.1, localhost, *.hooks.example). */
    url: (path: string, host = '127.0.0.1') =>
      `https://${host}:${new URL(places.origin).port}${path}`,
    /** All requests so far, in the order they came; of one path or of all. */
    async requests(path?: string): Promise<Received[]> {
      // Only what is new comes over. Two at once bring the same, each to its place.
      const after = received.length
      const fresh = (await ask('/requests', { after })) as Received[]
      received.splice(after, fresh.length, ...fresh)
      return received.filter(request => path === undefined || request.path === path)
    },
    connections: () => ask('/connections') as Promise<{ accepted: number; open: number }>,
    /** A path answers with this status until it is healed. */
    answer: (path: string, status: number) => ask('/answer', { path, status }),
    heal: (path: string) => ask('/heal', { path }),
    /** Requests for a path are recorded, and wait for their answer until it is released. */
    hold: (path: string) => ask('/hold', { path }),
    release: (path: string) => ask('/release', { path }),
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

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Call at the top of a file. */
export function useReceiver(): Receiver {
  const test = {} as Receiver
  beforeAll(async () => {
    Object.assign(test, await startReceiver())
  })
  afterAll(() => test.stop())
  return test
}
