// Reads the JSON body of a request. JSON is judged by its text (RFC 8259), not by Content-Type: a client that
// forgot it means JSON as well.
import { ApiError } from '../../errors.ts'
import { jsonExpected, readBody } from '../http/body.ts'

/** What the JSON of a body says. A byte order mark is dropped; of members with the same name the last counts. */
export async function readJsonBody(request: Request, timeoutMs: number): Promise<unknown> {
  const bytes = await readBody(request, timeoutMs)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ApiError('invalid_json', jsonExpected(request))
  }
}
