// Starts the load process and hands it plans, one at a time.
import { join } from 'node:path'

/** Sends from several connections at once, each its next request as soon as it has its answer. */
export type Saturate = {
  port: number
  connections: number
  /** Ends after so many seconds, or after so many requests. */
  until: { seconds: number } | { requests: number }
  /** Whole requests as text, sent in turn. */
  requests: string[]
}

/** Sends one request at a time, in turn of each side, so that all see the same machine. */
export type Alternate = {
  times: number
  /** Whole requests as text, sent in turn. */
  sides: { port: number; requests: string[] }[]
}

export type Plan = Saturate | Alternate

/** Requests per second; by side the milliseconds of each request. */
export type Outcome = { rate: number } | { times: number[][] } | { error: string }

const headOf = (start: string, key?: string) =>
  `${start} HTTP/1.1\r\nhost: 127.0.0.1\r\n${key ? `authorization: Bearer ${key}\r\n` : ''}`

export const getRequest = (path: string, key?: string): string =>
  `${headOf(`GET ${path}`, key)}\r\n`

/** A JSON body. */
export const postRequest = (path: string, body: string, key?: string, headers = ''): string =>
  `${headOf(`POST ${path}`, key)}${headers}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

export function startLoad() {
  let settle: ((outcome: Outcome) => void) | undefined
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'main.ts')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: outcome => settle?.(outcome as Outcome),
    onExit: () => settle?.({ error: 'the load process ended' }),
  })
  async function carryOut<Result>(plan: Plan): Promise<Result> {
    const outcome = await new Promise<Outcome>(resolve => {
      settle = resolve
      child.send(plan)
    })
    if ('error' in outcome) throw new Error(`load: ${outcome.error}`)
    return outcome as Result
  }
  return {
    saturate: async (plan: Saturate) => (await carryOut<{ rate: number }>(plan)).rate,
    alternate: async (plan: Alternate) => (await carryOut<{ times: number[][] }>(plan)).times,
    async stop() {
      child.kill()
      await child.exited
    },
  }
}
