// What both runtimes do, each in its own way.

export type ServeOptions = {
  hostname: string
  port: number
  /** The setting that the port comes from. */
  portSetting: 'PORT' | 'METRICS_PORT'
  /** How long a connection may stay without a byte, in milliseconds: longer than an answer may take. */
  idleMs?: number
  /** Paths that are served, with `:name` for a segment and `*` for a rest. Others, and those that only resolving `..` made, are not `known`. */
  paths?: readonly string[]
  /** `address` gives the other end of the socket, only on request. */
  fetch(request: Request, address: () => string, known: boolean): Response | Promise<Response>
}

export type HttpServer = {
  port: number
  /** Accepts no more, and resolves when the requests in flight are answered. */
  stop(): Promise<void>
  stopNow(): Promise<void>
}

export type ResolvedAddress = { address: string; family: number }

/** Both families, in the order to be tried; rejects when there is none. */
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>
