// A flood of streams leaves room for others.
import { expect, test } from 'bun:test'
import { useService } from '../support/http/service.ts'

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
    expect(taken.filter(({ status }) => status === 200)).toHaveLength(streamsMax / 2)
    const half = await Promise.all(Array.from({ length: streamsMax / 2 }, () => open(modest)))
    expect(new Set(half.map(({ status }) => status))).toEqual(new Set([200]))
  } finally {
    await Promise.all(readers.map(reader => reader?.cancel()))
  }
}, 30_000)
