// What is read of a body: not more than the limit, not longer than a client may take.
import { expect, test } from 'bun:test'
import { bodyBytesMax, readBody } from '../../src/api/http/body.ts'

const url = 'http://test/'
const ask = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request(url, { method: 'POST', body, headers })

/** A body that gives these chunks, and then ends, breaks off or stays silent. */
const streamed = (chunks: Uint8Array[], end: 'ends' | 'breaks' | 'hangs' = 'ends') => {
  const left = [...chunks]
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = left.shift()
      if (chunk) return controller.enqueue(chunk)
      if (end === 'ends') return controller.close()
      if (end === 'breaks') return controller.error(new Error('connection reset'))
      return new Promise(() => {})
    },
  })
}

const kilobyte = () => new Uint8Array(1024).fill(7)
const refused = (status: number) => ({ code: 'invalid_request', status })

test('a body of exactly the limit is read whole, of a length told or not', async () => {
  const whole = new Uint8Array(bodyBytesMax).fill(7)
  expect(await readBody(ask(whole, { 'content-length': String(bodyBytesMax) }), 1_000)).toEqual(
    whole,
  )
  expect(await readBody(ask(streamed(Array.from({ length: 64 }, kilobyte))), 1_000)).toEqual(whole)
})

test('a byte more is refused with 413, and of a stream nothing more is asked for', async () => {
  const more = String(bodyBytesMax + 1)
  await expect(readBody(ask('x', { 'content-length': more }), 1_000)).rejects.toMatchObject(
    refused(413),
  )
  const endless = [...Array.from({ length: 64 }, kilobyte), new Uint8Array(1)]
  await expect(readBody(ask(streamed(endless, 'hangs')), 1_000)).rejects.toMatchObject(refused(413))
})

test('no body is an empty one', async () => {
  expect(await readBody(new Request(url, { method: 'POST' }), 1_000)).toHaveLength(0)
})

test('a body that does not come is 408, one that breaks off 400: neither is a fault of ours', async () => {
  const slow = readBody(ask(streamed([kilobyte()], 'hangs')), 10)
  await expect(slow).rejects.toMatchObject({
    ...refused(408),
    message: 'The body did not arrive within 0.01 s.',
  })
  const broken = readBody(ask(streamed([kilobyte()], 'breaks')), 1_000)
  await expect(broken).rejects.toMatchObject(refused(400))
})
