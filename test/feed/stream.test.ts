// The feed as a stream: the same events, live, resumable by Last-Event-ID.
import { expect, test } from 'bun:test'
import { useService, useUpLimit, useWorker } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
useWorker(api)
// The limit on open streams of one key.
const streamsMax = 100

type Message = { id: string; event: string | undefined; data: Record<string, unknown> }

function openStream(query = '', headers: Record<string, string> = {}, key = api.key) {
  const abort = new AbortController()
  const messages: Message[] = []
  let ended = false
  const response = fetch(`${api.base}/events${query}`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  })
  void response
    .then(async ({ status, body }) => {
      if (status !== 200) return
      let text = ''
      for await (const chunk of body ?? []) {
        text += new TextDecoder().decode(chunk)
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          const fields = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s, 2)))
          if (fields.data)
            messages.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) })
        }
      }
    })
    .catch(() => {})
    .finally(() => {
      ended = true
    })
  return { response, messages, close: () => abort.abort(), ended: () => ended }
}

const names = (messages: Message[]) =>
  messages.map(message => (message.data.data as { name: string }).name)

test('a stream sends what there is, then follows, and its messages equal the page’s events', async () => {
  await api.sql`insert into leads (name) values ('one'), ('two')`
  await until(async () => (await api.send('/events')).body.data.length === 2)
  const stream = openStream()
  expect((await stream.response).headers.get('content-type')).toBe('text/event-stream')
  expect((await stream.response).headers.get('cache-control')).toBe('no-store')
  expect((await stream.response).headers.get('x-feed-head')).toBe('2')
  await until(() => stream.messages.length === 2)
  await api.sql`insert into leads (name) values ('three')`
  await until(() => stream.messages.length === 3)
  expect(names(stream.messages)).toEqual(['one', 'two', 'three'])
  const { body } = await api.send('/events')
  expect(stream.messages.map(message => message.data)).toEqual(body.data)
  expect(stream.messages.map(message => Number(message.id))).toEqual(
    body.data.map((event: { cursor: number }) => event.cursor),
  )
  stream.close()
})

test('behind pages of erased events the stream goes on at once', async () => {
  const [before] = await api.sql`select head::float8 from feed_state`
  await api.sql`insert into leads (name) select 'erased' from generate_series(1, 2000)`
  await api.sql`insert into leads (name) values ('kept')`
  await until(async () => {
    const rows = await api.sql`select from feed_events where data ->> 'name' = 'kept'`
    return rows.length === 1
  })
  await api.sql`delete from events where data ->> 'name' = 'erased'`
  const stream = openStream(`?after=${before?.head}`)
  // Ten pages; a wait of a second for each was the defect.
  await until(() => stream.messages.length === 1, 5_000)
  expect(names(stream.messages)).toEqual(['kept'])
  stream.close()
  await api.sql`delete from events where data ->> 'name' = 'kept'`
})

test('Last-Event-ID resumes and goes before after; types are honoured', async () => {
  const stream = openStream('?after=0&types=lead.created', { 'last-event-id': '2' })
  await until(() => stream.messages.length > 0)
  expect(names(stream.messages)).toEqual(['three'])
  stream.close()
})

test.each([
  'text/event-stream, application/json;q=0.9',
  'text/event-stream, */*;q=0.9',
  'text/event-stream;q=0.5, application/json;q=0.1, */*',
  'text/event-stream, application/json;q=0, */*',
  'text/event-stream;q=0.5, application/*;q=0.1, */*',
])('liked better than JSON, it opens, and onmessage gets its messages: %s', async accept => {
  const stream = openStream('', { accept })
  await until(() => stream.messages.length === 3)
  expect(stream.messages.map(({ event }) => event)).toEqual([undefined, undefined, undefined])
  stream.close()
})

test('a stream answers errors before it starts, in the envelope', async () => {
  await api.sql`update feed set horizon = 2`
  const expired = await openStream('?after=1').response
  expect([expired.status, (await expired.json()).error.code]).toEqual([410, 'cursor_expired'])
  await api.sql`update feed set horizon = 0`
  for (const last of ['x', '99999999']) {
    const invalid = await openStream('?after=1', { 'last-event-id': last }).response
    expect([invalid.status, (await invalid.json()).error.code]).toEqual([400, 'invalid_cursor'])
  }
})

test.each([
  ['is revoked', 'revoked_at = now()'],
  ['loses the scope', "scopes = '{read:leads}'"],
])('a stream ends when its key %s', async (_what, change) => {
  const key = await api.makeKey('read:events', 'read:leads')
  const stream = openStream('', {}, key)
  await until(() => stream.messages.length === 3)
  await api.sql.unsafe(`update api_keys set ${change} where prefix = '${key.slice(0, 12)}'`)
  await until(() => stream.ended())
})

test('a key opens half of all streams, which leaves another its own; a refused or abandoned one gives its place back', async () => {
  const limited = await api.makeKey('read:events')
  await useUpLimit(api.sql, limited, 1_000_000)
  const refused = await Promise.all(
    Array.from({ length: streamsMax + 20 }, () => openStream('?after=3', {}, limited).response),
  )
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]))
  const other = await api.makeKey('read:events')
  const openAll = async (key?: string) => {
    const opened = Array.from({ length: streamsMax }, () => openStream('?after=3', {}, key))
    for (const { response } of opened) expect((await response).status).toBe(200)
    expect((await openStream('?after=3', {}, key).response).status).toBe(429)
    return opened
  }
  const open = [...(await openAll()), ...(await openAll(other))]
  for (const stream of open) stream.close()
  await until(async () => {
    const again = openStream('?after=3')
    const { status } = await again.response
    again.close()
    return status === 200
  })
}, 30_000)
