// Picks the runtime's own server. What both can do through node: modules does not come here.
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

export const serveHttp = (options: ServeOptions): HttpServer =>
  typeof Bun === 'undefined' ? serveOnDeno(options) : serveOnBun(options)
