// A flood of streams leaves room for others.
import { expect, test } from 'bun:test'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'
import { attacks } from './attacks.ts'

const attack = attacks('lockout', 1)
const api = useService()
const streamsMax = 200

test('one key that opens all streams leaves another key its own', async () => {
  // Held until the end: one that is collected as garbage is a stream that its client closed.
  const readers: (ReadableStreamDefaultReader | undefined)[] = []
  const open = async (key: string) => {
    const response = await fetch(`${api.base}/events`, {
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    })
    const reader = response.body?.getReader()
    readers.push(reader)
    return { status: response.status, reader }
  }
  const [greedy, modest] = [await api.makeKey('read:events'), await api.makeKey('read:events')]
  try {
    const taken = await Promise.all(Array.from({ length: streamsMax }, () => open(greedy)))
    expect(new Set(taken.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await open(greedy)).status).toBe(429)
    expect((await open(modest)).status).toBe(200)
    // It is the newest of the other's that ended; all others go on.
    const newest = taken.at(-1)?.reader
    await until(async () => (await newest?.read())?.done)
    const half = await Promise.all(Array.from({ length: streamsMax / 2 - 1 }, () => open(modest)))
    expect(new Set(half.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await open(modest)).status).toBe(429)
    attack.held()
  } finally {
    await Promise.all(readers.map(reader => reader?.cancel()))
  }
}, 30_000)
