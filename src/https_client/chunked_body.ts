// Decodes a chunked body (RFC 9112, 7.1) as its bytes arrive.
import { isHeaderLine } from './response_head.ts'

const lineBytesMax = 256

/** `rest`: bytes that are not used yet. */
type Progress = { ended: boolean; rest: Buffer }

/** Gives the data to `take`. The result is undefined when the bytes are not chunked. */
export function openChunkedBody(take: (bytes: Buffer) => void) {
  let left = 0
  let state: 'size' | 'data' | 'data end' | 'trailer' = 'size'

  /** Takes one line, without its end; false when it may not stand here. */
  function takeLine(line: string): boolean {
    if (state === 'trailer') return isHeaderLine(line)
    if (state === 'data end') {
      state = 'size'
      return line === ''
    }
    const size = /^([\da-f]{1,8})[ \t]*(?:;.*)?$/i.exec(line)?.[1]
    if (size === undefined) return false
    left = Number.parseInt(size, 16)
    state = left === 0 ? 'trailer' : 'data'
    return true
  }

  return (received: Buffer): Progress | undefined => {
    let rest = received
    for (;;) {
      if (state === 'data') {
        const data = rest.subarray(0, left)
        take(data)
        rest = rest.subarray(data.length)
        left -= data.length
        if (left > 0) return { ended: false, rest }
        state = 'data end'
      }
      const end = rest.indexOf('\r\n')
      // The last byte may be the first of the line's end.
      if (end < 0) return rest.length - 1 > lineBytesMax ? undefined : { ended: false, rest }
      if (end > lineBytesMax) return undefined
      const line = rest.toString('latin1', 0, end)
      rest = rest.subarray(end + 2)
      if (state === 'trailer' && line === '') return { ended: true, rest }
      if (!takeLine(line)) return undefined
    }
  }
}
