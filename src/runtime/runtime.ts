// Picks the runtime's own server. What both can do through node: modules does not come here.
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { acceptsCoding, compressedMin } from '../lib/accepts.ts'
import { smallAnswerMax } from '../lib/answer_size.ts'
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
export function listenHttp(options: ServeOptions): HttpServer {
  try {
    return typeof Bun === 'undefined' ? serveOnDeno(options) : serveOnBun(options)
  } catch (error) {
    throw explained(error as Error, options)
  }
}

function* chunksOf(pieces: Uint8Array[]) {
  for (const piece of pieces)
    for (let start = 0; start < piece.byteLength; start += smallAnswerMax)
      yield piece.subarray(start, start + smallAnswerMax)
}

/** Leaves as the client takes it: the runtime would keep a copy of all that the socket does not take. */
function pulledBody(pieces: Uint8Array[], isCompressed: boolean, onTaken: () => void) {
  const chunks = chunksOf(pieces)
  const compressed = isCompressed ? Readable.from(chunks).pipe(zlib.createGzip()) : undefined
  const left = compressed?.[Symbol.asyncIterator]() ?? chunks
  const end = () => {
    compressed?.destroy()
    chunks.return()
    onTaken()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value } = await left.next()
        if (value) return controller.enqueue(value)
        end()
        controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}

// zstd takes as long for a page of leads, and makes it no smaller.
export const gzip = promisify<Uint8Array, Buffer<ArrayBuffer>>(zlib.gzip)

type Body = { body: BodyInit; headers: Record<string, string> }

/**
 * The body of an answer to `request`, of several pieces, compressed where the client takes that. `onTaken` is called once they
 * need not be held any more.
 */
export async function bodyOf(
  request: Request,
  pieces: Uint8Array[],
  onTaken = () => {},
): Promise<Body> {
  const bytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
  // The answer to HEAD takes its length from a body that is known.
  const isHead = request.method === 'HEAD'
  const isCompressed = bytes > compressedMin && !isHead && acceptsCoding(request, 'gzip')
  const headers: Body['headers'] = isCompressed ? { 'content-encoding': 'gzip' } : {}
  if (bytes > smallAnswerMax && !isHead)
    return { body: pulledBody(pieces, isCompressed, onTaken), headers }
  onTaken()
  if (isCompressed) return { body: await gzip(Buffer.concat(pieces)), headers }
  const isWhole = typeof Bun === 'undefined' || isHead
  return { body: isWhole ? Buffer.concat(pieces) : bodyOnBun(pieces), headers }
}
