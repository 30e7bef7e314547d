// Spec part 4, /events: cursors, limits, types and error codes over HTTP.
import { beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import type { EventType } from '../../src/model/event_type.ts'
import { readEvents } from '../../src/operations/events.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
useWorker(api)

beforeAll(async () => {
  await api.sql`insert into leads (name) select 'Lead ' || n from generate_series(1, 12) as n`
  await api.sql`insert into signals (kind, title, score) values ('k', 'selten', 1)`
  await api.sql`insert into leads (name) select 'Lead ' || n from generate_series(13, 20) as n`
  await until(async () => (await api.send('/events')).body.data.length === 21)
})

test('an event has exactly the members of the envelope and its cursor', async () => {
  const { body } = await api.send('/events?limit=1')
  expect(Object.keys(body.data[0])).toEqual([
    'id',
    'event_type',
    'schema_version',
    'occurred_at',
    'object_type',
    'object_id',
    'links',
    'data',
    'cursor',
  ])
  expect(body.meta).toEqual({ next_cursor: body.data[0].cursor, count: 1 })
})

test('types filters, and next_cursor moves past what was scanned', async () => {
  const { body } = await api.send('/events?types=signal.opened')
  expect(body.data.map((event: { cursor: number }) => event.cursor)).toEqual([13])
  expect(body.meta).toEqual({ next_cursor: 21, count: 1 })
  const none = await api.send('/events?types=kontakt.merged,lead.archived')
  expect(none.body.meta).toEqual({ next_cursor: 21, count: 0 })
  const some = await api.send(
    '/events?types=lead.created%2Csignal.opened,lead.created&after=11&limit=2',
  )
  expect(some.body.data.map((event: { cursor: number }) => event.cursor)).toEqual([12, 13])
  expect(some.body.meta.next_cursor).toBe(13)
})

test('every page has the head, an empty one and a refusal of its cursor too', async () => {
  for (const path of ['/events', '/events?limit=1', '/events?after=21', '/events?after=99']) {
    const { headers } = await api.send(path)
    expect([path, headers.get('x-feed-head')]).toEqual([path, '21'])
  }
})

test('JSON wins over the stream where both weigh the same', async () => {
  for (const accept of [
    'application/json, text/event-stream',
    'text/event-stream, application/json',
    'text/event-stream;q=0.5, application/json;q=0.5',
    'text/event-stream, */*',
    'text/event-stream, application/*',
    'text/event-stream;q=0.1, */*;q=0.9',
    'text/event-stream, application/*, */*;q=0.1',
    'text/event-stream;q=0, */*;q=0',
    '*/*',
  ]) {
    const headers = { authorization: `Bearer ${api.key}`, accept }
    const signal = AbortSignal.timeout(5_000)
    const { body, headers: answered } = await api.send('/events?limit=1', { headers, signal })
    expect([accept, answered.get('content-type')]).toEqual([
      accept,
      'application/json; charset=utf-8',
    ])
    expect(body.meta.count).toBe(1)
  }
})

test('the default limit is 100 and 200 the most', async () => {
  await api.sql`insert into leads (name) select 'More' from generate_series(1, 220)`
  await until(async () => (await api.send('/events?after=240')).body.data.length === 1)
  expect((await api.send('/events')).body.data.length).toBe(100)
  expect((await api.send('/events?limit=200')).body.data.length).toBe(200)
  expect((await api.send('/events?limit=201')).body.error.code).toBe('invalid_request')
})

test.each([1, 600, 2_000, 1_000_000])(
  'pages of %d bytes, one event at least, are all of the feed',
  async bytesMax => {
    const database = openDatabase(api.sql, queries)
    for (const types of [null, ['signal.opened', 'lead.created'] as EventType[]]) {
      const cursors: number[] = []
      for (let after = 0, head = 1; after < head; ) {
        const page = await readEvents(database, { after, types, limit: 200, bytesMax })
        expect(page.count === 1 || page.data.length <= bytesMax + 2 * page.count + 2).toBe(true)
        cursors.push(
          ...JSON.parse(page.data.toString()).map((event: { cursor: number }) => event.cursor),
        )
        after = page.next_cursor
        head = page.head
      }
      expect(cursors).toEqual(Array.from({ length: 241 }, (_, n) => n + 1))
    }
  },
)

test('a cursor below the horizon answers 410 cursor_expired, the horizon itself does not', async () => {
  const { sql } = api
  await sql`update feed set horizon = 5`
  const expired = await api.send('/events?after=4')
  expect([expired.status, expired.body.error.code]).toEqual([410, 'cursor_expired'])
  expect((await api.send('/events?after=5')).body.data[0].cursor).toBe(6)
  expect((await api.send('/events')).body.data[0].cursor).toBe(6)
  expect((await api.send('/events?types=lead.created')).body.data[0].cursor).toBe(6)
  await sql`update feed set horizon = 0`
})
