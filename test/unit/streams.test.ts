// What wakes event streams, and that none keeps its place after its client left.
import { expect, test } from 'bun:test'
import { openStreams } from '../../src/api/rest/streams.ts'

const allowed = async () => true

test('a client that left before its stream was opened takes no place', async () => {
  const streams = openStreams()
  const left = new AbortController()
  left.abort()
  const request = new Request('http://localhost/', { signal: left.signal })
  for (let turn = 0; turn < 500; turn += 1) streams.open(request, 'CRM', allowed)
  const stream = streams.open(new Request('http://localhost/'), 'CRM', allowed)
  expect(await stream.isWanted()).toBe(true)
  streams.close()
  expect(await stream.isWanted()).toBe(false)
})

test('a stream looks by itself only while no notification comes', async () => {
  const streams = openStreams()
  const stream = streams.open(new Request('http://localhost/'), 'CRM', allowed)
  await stream.waitForEvents(60_000)
  streams.setDeaf(false)
  let isWoken = false
  const waiting = stream.waitForEvents(60_000).then(() => {
    isWoken = true
  })
  expect(isWoken).toBe(false)
  streams.wake()
  await waiting
  streams.close()
})
