// Reads the JSON body of a request: at most so many bytes, for at most so long, whatever its headers say.
// JSON is judged by its text (RFC 8259), not by Content-Type: a client that forgot it means JSON as well.
import { ApiError } from '../errors.ts'
import { TimeoutError, within } from '../within.ts'
import { bodyBytesMax, bodyTooLarge } from './request.ts'

const notJson = () => new ApiError('invalid_json', 'The body must be JSON in UTF-8.')

const tooSlow = () =>
  new ApiError('invalid_request', 'The body took too long to arrive.', { status: 408 })

/** The bytes of a body. A chunked one has no length to go by, so what arrives is counted. */
async function readBytes(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array> {
  const bytes = new Uint8Array(bodyBytesMax)
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bytes.subarray(0, length)
    if (length + value.length > bodyBytesMax) throw bodyTooLarge()
    bytes.set(value, length)
    length += value.length
  }
}

/** A byte order mark is dropped. Of members with the same name the last one counts. */
function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw notJson()
  }
}

/** What the JSON of a body says. Throws invalid_json, and invalid_request when it is too large or too slow. */
export async function readBody(request: Request, timeoutMs: number): Promise<unknown> {
  const reader = request.body?.getReader()
  if (reader === undefined) throw notJson()
  try {
    return readJson(await within(readBytes(reader), timeoutMs))
  } catch (error) {
    void reader.cancel().catch(() => {})
    if (error instanceof ApiError) throw error
    // Anything else is a client that went away in the middle.
    throw error instanceof TimeoutError ? tooSlow() : notJson()
  }
}
