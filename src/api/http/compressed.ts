// Answers that are the same for every client, compressed once and kept. What is made for one request is left as it is:
// compressing a page of 200 leads takes longer than making it (docs/decisions/clients.md), and a proxy may do it.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const compress = promisify(gzip)

/** Whether the client takes a coding, such as gzip; one that it refuses has the weight 0. */
export const acceptsCoding = (request: Request, coding: string): boolean =>
  (request.headers.get('accept-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .some(one => {
      const [name = '', weight = 'q=1'] = one.split(';').map(part => part.trim())
      return name === coding && Number(weight.slice(2)) > 0
    })

export type Encoded = { body: string | Uint8Array; headers: Record<string, string> }

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
