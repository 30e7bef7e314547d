// Picks the runtime's own server. What both can do through node: modules does not come here.
import { ConfigError } from '../lib/config_error.ts'
import { errorCodeOf } from '../lib/error_code.ts'
import { bodyOnBun, serveOnBun } from './bun.ts'
import { serveOnDeno } from './deno.ts'
import type { HttpServer, ServeOptions } from './types.ts'

export type { HttpServer } from './types.ts'

function explained(error: Error, { hostname, port, portSetting }: ServeOptions): Error {
  const code = errorCodeOf(error)
  const refusal = (why: string) =>
    `Port ${port} of ${hostname} is ${why}; ${portSetting} chooses another one.`
  // The other program may end.
  if (code === 'EADDRINUSE') return new Error(refusal('taken by another program'))
  if (code === 'EACCES') return new ConfigError(refusal('closed to this user'))
  // Bun has EINPROGRESS for a name that does not resolve.
  const reason = code === 'EINPROGRESS' ? 'the name does not resolve' : error.message
  return new ConfigError(
    `HOST must be an address or a name of this machine, not ${hostname}: ${reason}.`,
  )
}

/** Listens. Throws when the address cannot be listened on. */
export function serveHttp(options: ServeOptions): HttpServer {
  try {
    return typeof Bun === 'undefined' ? serveOnDeno(options) : serveOnBun(options)
  } catch (error) {
    throw explained(error as Error, options)
  }
}

/** The body of an answer to `request`, of several pieces. */
export const bodyOf = (request: Request, pieces: Uint8Array[]): BodyInit =>
  // The answer to HEAD takes its length from a body that is known.
  typeof Bun === 'undefined' || request.method === 'HEAD'
    ? Buffer.concat(pieces)
    : bodyOnBun(pieces)
