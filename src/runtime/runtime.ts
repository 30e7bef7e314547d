// Picks the runtime's own server. What both can do through node: modules does not come here.
import { errorCodeOf } from '../error_code.ts'
import { serveOnBun } from './bun.ts'
import { serveOnDeno } from './deno.ts'

export type ServeOptions = {
  hostname: string
  port: number
  /** `address` gives the other end of the socket, only when somebody asks. */
  fetch(request: Request, address: () => string): Response | Promise<Response>
}

export type HttpServer = {
  port: number
  /** Accepts no more, and resolves when the requests in flight are answered. */
  stop(): Promise<void>
  stopNow(): Promise<void>
}

/** Listens. Throws when the address cannot be listened on. */
export function serveHttp(options: ServeOptions): HttpServer {
  try {
    return typeof Bun === 'undefined' ? serveOnDeno(options) : serveOnBun(options)
  } catch (error) {
    if (errorCodeOf(error) !== 'EADDRINUSE') throw error
    throw new Error(`Port ${options.port} of ${options.hostname} is taken by another program.`)
  }
}
