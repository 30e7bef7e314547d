// Every call that only Deno has. bun.ts is its twin.
import { lookup } from 'node:dns/promises'
import type { HttpServer, ResolvedAddress, ServeOptions } from './types.ts'

type DenoServer = { addr: { port: number }; shutdown(): Promise<void>; finished: Promise<void> }
type DenoApi = {
  serve(
    options: { hostname: string; port: number; signal: AbortSignal; onListen(): void },
    handler: (
      request: Request,
      info: { remoteAddr: { hostname?: string }; completed: Promise<void> },
    ) => Response | Promise<Response>,
  ): DenoServer
}

/**
 * Deno's own signal aborts after an answer that went well too, and announces on stderr that this will change. This one
 * aborts when the client has gone before the end of the answer.
 */
function withOwnSignal(request: Request, completed: Promise<void>): Request {
  let abort: AbortController | undefined
  const get = () => {
    if (abort) return abort.signal
    const made = new AbortController()
    abort = made
    completed.catch(() => made.abort())
    return made.signal
  }
  return Object.defineProperty(request, 'signal', { get })
}

export function serveOnDeno({ fetch, hostname, port }: ServeOptions): HttpServer {
  const { Deno: deno } = globalThis as unknown as { Deno: DenoApi }
  const abort = new AbortController()
  const server = deno.serve(
    { hostname, port, signal: abort.signal, onListen() {} },
    (request, info) =>
      fetch(withOwnSignal(request, info.completed), () => info.remoteAddr.hostname ?? '', true),
  )
  return {
    port: server.addr.port,
    stop: () => server.shutdown(),
    async stopNow() {
      abort.abort()
      await server.finished
    },
  }
}

export const lookupOnDeno = (hostname: string): Promise<ResolvedAddress[]> =>
  lookup(hostname, { all: true, order: 'verbatim' })
