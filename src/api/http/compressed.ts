// Answers that are the same for every client, compressed once and kept. What is made for one request is left as it is:
// compressing a page of 200 leads takes longer than making it (docs/decisions/clients.md), and a proxy may do it.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const compress = promisify(gzip)
const accepts = (request: Request) =>
  /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))|,|$)/i.test(
    request.headers.get('accept-encoding') ?? '',
  )

export type Encoded = { body: string | Uint8Array; headers: Record<string, string> }

/** For one text, which never changes while the process lives. */
export function encoder(): (request: Request, text: string) => Promise<Encoded> {
  let made: Promise<Uint8Array> | undefined
  return async (request, text) => {
    const vary = { vary: 'accept-encoding' }
    if (!accepts(request)) return { body: text, headers: vary }
    made ??= compress(text, { level: 9 })
    return { body: await made, headers: { ...vary, 'content-encoding': 'gzip' } }
  }
}
