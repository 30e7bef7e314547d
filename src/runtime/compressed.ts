// gzip, for clients that take it. zstd takes as long for a page of leads, and makes it no smaller.
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'

/** Whether the client takes a coding, such as gzip; one that it refuses has the weight 0. */
export const acceptsCoding = (request: Request, coding: string): boolean =>
  (request.headers.get('accept-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .some(one => {
      const [name = '', weight = 'q=1'] = one.split(';').map(part => part.trim())
      return name === coding && Number(weight.slice(2)) > 0
    })

export const gzip = promisify<Uint8Array, Buffer<ArrayBuffer>>(zlib.gzip)

/** Compressed as it is read. */
export const gzipping = (chunks: Iterable<Uint8Array>) =>
  Readable.from(chunks).pipe(zlib.createGzip())
