// Every call that only Bun has. deno.ts is its twin.
import http from 'node:http'
import type { HttpServer, ResolvedAddress, ServeOptions } from './types.ts'

// Bun refuses larger heads with an empty 431. A search of 100 KB must get the contract's answer.
const headBytesMax = 256 * 1024

// HTTP/1.0 and an empty Host leave Bun with a path for a URL; routers want a whole one.
const withAbsoluteUrl = (request: Request): Request =>
  request.url.startsWith('/') ? new Request(`http://localhost${request.url}`, request) : request

type Answer = (request: Request, bun: Bun.Server<undefined>) => Response | Promise<Response>

/** The URL of a request to a path, and of no other. */
const urlForm = (path: string) =>
  new RegExp(
    `^https?://[^/?#]*${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/?]*').replace('*', '[^?]*')}(?:\\?|$)`,
  )

/**
 * Bun resolves `..`, `%2e%2e` and `\\` in request.url, and looks its routes up by the path as it was sent: only a URL that is
 * still of the route's path is the one that a proxy in front has seen.
 */
const routesOf = (
  paths: readonly string[],
  answer: (isKnown: (url: string) => boolean) => Answer,
) =>
  Object.fromEntries(
    paths.map(path => {
      const form = urlForm(path)
      return [path, answer(url => form.test(url))]
    }),
  )

export function serveOnBun({
  fetch,
  hostname,
  port,
  paths,
  idleMs = 30_000,
}: ServeOptions): HttpServer {
  ;(http as unknown as { maxHeaderSize: number }).maxHeaderSize = headBytesMax
  const answer =
    (isKnown: (url: string) => boolean): Answer =>
    (request, bun) => {
      const absolute = withAbsoluteUrl(request)
      return fetch(absolute, () => bun.requestIP(request)?.address ?? '', isKnown(absolute.url))
    }
  const server = Bun.serve({
    hostname,
    port,
    // Bun shares the port with every other process on it where `development` is false.
    reusePort: false,
    // No page with our sources for a fault that nothing caught.
    development: false,
    // Bun answers a longer body with an empty 413. The service refuses it by its length, in its own form, and reads none of it.
    maxRequestBodySize: Number.POSITIVE_INFINITY,
    // A slow client keeps its connection this long, in seconds; answers take milliseconds.
    idleTimeout: Math.ceil(idleMs / 1_000),
    routes: routesOf(paths ?? [], answer),
    fetch: answer(() => paths === undefined),
  })
  return {
    port: server.port ?? port,
    stop: () => server.stop(),
    stopNow: () => server.stop(true),
  }
}

// What Bun sends in one system call. An answer that is ready later than its handler, and not smaller than this, it sends
// with one call for every name, colon, value and line end of its headers: 31 instead of one for a page of leads.
const wholeBytesMax = 15 * 1024

/** A body of several pieces, sent in one call together with the headers and its length. */
export function bodyOnBun(pieces: Uint8Array[]): BodyInit {
  const bytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
  if (bytes < wholeBytesMax) return Buffer.concat(pieces)
  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: 'direct',
    pull(body: ReadableStreamDirectController) {
      for (const piece of pieces) body.write(piece)
      void body.end()
    },
  }
  // Above the mark it would begin before it knows its length.
  return new ReadableStream(source as unknown as UnderlyingSource, { highWaterMark: bytes + 1 })
}

// c-ares, which reads /etc/hosts too. node:dns has getaddrinfo in two threads (on 2 cores): two names whose
// servers never answer stop every other name for ten seconds.
export const lookupOnBun = (hostname: string): Promise<ResolvedAddress[]> =>
  Bun.dns.lookup(hostname)
