// That no event stream keeps its place after its client left.
import { expect, test } from 'bun:test'
import { openStreams } from '../../src/api/rest/event_stream.ts'

test('a client that left before its stream was opened takes no place', async () => {
  const streams = openStreams()
  const request = (signal = new AbortController().signal) =>
    new Request('http://localhost/', { signal })
  const open = (signal?: AbortSignal) => streams.open(request(signal), 'CRM', async () => true)
  for (let turn = 0; turn < 500; turn += 1) open(AbortSignal.abort())
  const stream = open()
  expect(await stream.isWanted()).toBe(true)
  streams.close()
  expect(await stream.isWanted()).toBe(false)
})
