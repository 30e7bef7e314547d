// The last requests of each key: bounded by key and by age, counted by hour, whichever process wrote them.
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { gatherRequests } from '../../src/observability/gathered_requests.ts'
import type { RequestLine } from '../../src/observability/log.ts'
import {
  countKeyRequests,
  listKeyRequests,
  openKeyRequestRecorder,
  requestsShown,
} from '../../src/operations/key_requests.ts'
import { useDatabase } from '../support/database/database.ts'
import { quietLog } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)

/** A process: what it answers, and what writes it down. */
function startProcess() {
  const log = quietLog()
  const { takeRequests } = gatherRequests(log, requestsShown)
  const { record } = openKeyRequestRecorder(database(), takeRequests)
  let answered = 0
  const answer = (key_id: string, count: number, changes: Partial<RequestLine> = {}) => {
    for (let request = 0; request < count; request += 1) {
      answered += 1
      const request_id = `request-${answered}`
      const line = { request_id, method: 'GET', route: '/leads', status: 200, duration_ms: 0.2 }
      log.event('request', { ...line, key_id, ...changes })
    }
  }
  return { answer, record }
}

const newKey = () => crypto.randomUUID()
const rowsOf = async (key_id: string) => {
  const [row] = await test_.sql`select count(*) from key_requests where key_id = ${key_id}`
  return row?.count
}
const countOf = async (key_id: string) => (await countKeyRequests(database(), [key_id]))(key_id)

test('two processes write side by side; all are counted, the last 30 are listed', async () => {
  const [one, other] = [startProcess(), startProcess()]
  const key = newKey()
  for (let round = 0; round < 5; round += 1) {
    one.answer(key, 50)
    const now = Date.now()
    await until(() => Date.now() > now)
    other.answer(key, 7, { route: '/mcp', method: 'POST', tool: 'list_leads', status: 500 })
    await Promise.all([one.record(), other.record()])
  }
  expect(await countOf(key)).toBe(5 * 57)
  const listed = await listKeyRequests(database(), key)
  expect(listed).toHaveLength(30)
  expect(listed.find(({ tool }) => tool !== null)).toMatchObject({
    method: 'POST',
    route: '/mcp',
    status: 500,
    duration_ms: 1,
  })
  expect(listed.filter(({ tool }) => tool !== null)).toHaveLength(7)
  const times = listed.map(({ at }) => Date.parse(at))
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  // Two that write at once see nothing of each other; the next one takes away what is too much.
  expect(await rowsOf(key)).toBeLessThanOrEqual(60)
  one.answer(key, 1)
  await one.record()
  expect(await rowsOf(key)).toBe(30)
})

test('other keys keep theirs, and nothing is written when nothing was asked', async () => {
  const { answer, record } = startProcess()
  const [quiet, busy] = [newKey(), newKey()]
  answer(quiet, 3)
  await record()
  answer(busy, 500)
  await record()
  await record()
  expect([await rowsOf(quiet), await rowsOf(busy)]).toEqual([3, 30])
  expect([await countOf(quiet), await countOf(busy), await countOf(newKey())]).toEqual([3, 500, 0])
})

test('of more keys than it gathers for a process counts all, and lists those used last', async () => {
  const { answer, record } = startProcess()
  const keys = Array.from({ length: 250 }, newKey)
  for (const key of keys) answer(key, 2)
  await record()
  const counts = await countKeyRequests(database(), keys)
  expect(keys.map(counts).every(count => count === 2)).toBe(true)
  expect([await rowsOf(keys[0] ?? ''), await rowsOf(keys[249] ?? '')]).toEqual([0, 2])
})

test('a count ends with its day, and a request after 30 days', async () => {
  const key = newKey()
  await test_.sql`insert into key_request_counts (key_id, hour, requests)
    values (${key}, now() - interval '23 hours', 1), (${key}, now() - interval '24 hours', 10), (${key}, now() - interval '26 hours', 100)`
  await test_.sql`insert into key_requests (key_id, at, request_id, method, route, status, duration_ms)
    values (${key}, now() - interval '31 days', 'old', 'GET', '/leads', 200, 1),
      (${key}, now() - interval '29 days', 'fresh', 'GET', '/leads', 200, 1)`
  expect(await countOf(key)).toBe(1)
  await database().rows('pruneKeyRequestCounts', {})
  const left =
    await test_.sql`select requests from key_request_counts where key_id = ${key} order by requests`
  expect(left.map(({ requests }) => requests)).toEqual([1, 10])
  expect((await listKeyRequests(database(), key)).map(({ request_id }) => request_id)).toEqual([
    'fresh',
  ])
})

test('what cannot be written is not kept in memory', async () => {
  const { answer, record } = startProcess()
  const key = newKey()
  answer(key, 1, { method: null as unknown as string })
  await expect(record()).rejects.toThrow()
  answer(key, 2)
  await record()
  expect(await countOf(key)).toBe(2)
})
