// A flood of streams leaves room for others.
import { expect, test } from 'bun:test'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
const streamsMax = 200

test('one key that opens all streams leaves another key its own', async () => {
  // Held until the end: one that is collected as garbage is a stream that its client closed.
  const readers: (ReadableStreamDefaultReader | undefined)[] = []
  const open = async (key: string) => {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    const { status, body } = await fetch(`${api.base}/events`, { headers })
    const reader = body?.getReader()
    readers.push(reader)
    return { status, reader }
  }
  const openMany = async (key: string, count: number) => {
    const opened = await Promise.all(Array.from({ length: count }, () => open(key)))
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
    return opened.at(-1)?.reader
  }
  const [greedy, modest] = [await api.makeKey('read:events'), await api.makeKey('read:events')]
  const newest = await openMany(greedy, streamsMax)
  expect([(await open(greedy)).status, (await open(modest)).status]).toEqual([429, 200])
  // It is the newest of the other's that ended; all others go on.
  await until(async () => (await newest?.read())?.done)
  await openMany(modest, streamsMax / 2 - 1)
  expect((await open(modest)).status).toBe(429)
  await Promise.all(readers.map(reader => reader?.cancel()))
}, 30_000)
