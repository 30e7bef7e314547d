// Answers that are the same for every client, compressed once and kept.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { acceptsCoding } from '../../lib/accepts_coding.ts'

const compress = promisify(gzip)

type Encoded = { body: string | Uint8Array; headers: Record<string, string> }

/** For one text, which never changes while the process lives. */
export function encoder(): (request: Request, text: string) => Promise<Encoded> {
  let made: Promise<Uint8Array> | undefined
  return async (request, text) => {
    const vary = { vary: 'accept-encoding' }
    if (!acceptsCoding(request, 'gzip')) return { body: text, headers: vary }
    made ??= compress(text, { level: 9 })
    return { body: await made, headers: { ...vary, 'content-encoding': 'gzip' } }
  }
}
