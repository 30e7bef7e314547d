// Reads a request's body, never more of it than the limit.
import { ApiError } from '../errors.ts'

export const bodyBytesMax = 64 * 1024

const tooLarge = () =>
  new ApiError('invalid_request', `A body takes at most ${bodyBytesMax} bytes.`, { status: 413 })

/** Refuses by the length a client declares. */
export function refuseLargeBody(request: Request): void {
  if (Number(request.headers.get('content-length') ?? 0) > bodyBytesMax) throw tooLarge()
}

/** A body of undeclared length: what goes beyond the limit is not read. */
async function readChunks(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const read = new Uint8Array(bodyBytesMax)
  let length = 0
  for await (const chunk of body) {
    if (length + chunk.length > bodyBytesMax) throw tooLarge()
    read.set(chunk, length)
    length += chunk.length
  }
  return read.subarray(0, length)
}

/** The bytes of a body. Throws invalid_request with 413. */
export async function readBody(request: Request): Promise<Uint8Array> {
  refuseLargeBody(request)
  if (request.body === null) return new Uint8Array()
  return request.headers.has('content-length')
    ? new Uint8Array(await request.arrayBuffer())
    : await readChunks(request.body)
}
