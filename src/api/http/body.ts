// Reads a request's body: never more of it than the limit, and not for ever.
import { ApiError } from '../../errors.ts'
import { TimeoutError, withTimeout } from '../../lib/timeout.ts'

export const bodyBytesMax = 64 * 1024

const refuse = (message: string, status?: 408 | 413 | 415) =>
  new ApiError('invalid_request', message, status && { status })

const tooLarge = () => refuse(`A body takes at most ${bodyBytesMax} bytes.`, 413)

/** Refuses by the length a client declares. */
export function refuseLargeBody(request: Request): void {
  if (Number(request.headers.get('content-length') ?? 0) > bodyBytesMax) throw tooLarge()
}

/** What goes beyond the limit is not read, where the length was not declared. */
async function read({ body }: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > bodyBytesMax) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function clientFault(thrown: unknown, milliseconds: number): ApiError {
  if (thrown instanceof ApiError) return thrown
  return thrown instanceof TimeoutError
    ? refuse(`The body did not arrive within ${milliseconds / 1_000} s.`, 408)
    : refuse('The body broke off.')
}

const encoded = 'A body is taken as it is: send it without Content-Encoding.'

/** The bytes of a body. Throws invalid_request: 415 when it is encoded, 413 when it is too large, 408 when it does not come. */
export async function readBody(request: Request, milliseconds: number): Promise<Uint8Array> {
  if (!/^(identity)?$/i.test(request.headers.get('content-encoding') ?? ''))
    throw refuse(encoded, 415)
  refuseLargeBody(request)
  try {
    return await withTimeout(read(request), milliseconds)
  } catch (thrown) {
    throw clientFault(thrown, milliseconds)
  }
}

export const jsonExpected = 'The body must be JSON in UTF-8.'

/**
 * What the JSON of a body says, whatever its Content-Type: a client that forgot it means JSON as well. A byte order mark is
 * dropped; of members with the same name the last counts.
 */
export async function readJson(request: Request, milliseconds: number): Promise<unknown> {
  const bytes = await readBody(request, milliseconds)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ApiError('invalid_json', jsonExpected)
  }
}

/** The fields of a form, as browsers send them. Throws as readBody does, and for NUL, which PostgreSQL does not store. */
export async function readForm(request: Request, milliseconds: number): Promise<URLSearchParams> {
  const fields = new URLSearchParams(
    new TextDecoder().decode(await readBody(request, milliseconds)),
  )
  if ([...fields.values()].some(value => value.includes('\0'))) throw refuse('A form holds no NUL.')
  return fields
}
