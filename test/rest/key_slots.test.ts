// A burst of one key leaves a connection to the others: each is answered while what the burst asks for takes its time.
import { expect, test } from 'bun:test'
import { countLockWaits, whileLocked } from '../support/database/locks.ts'
import { bearer, sendTo, useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService({ DATABASE_POOL_MAX: '2' })

const burst = 40

const readLeads = (key: string) => fetch(`${api.base}/leads?limit=1`, bearer(key))

const openStream = (key: string) =>
  fetch(`${api.base}/events`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
  })

const callTool = (key: string) =>
  fetch(new URL('/mcp', api.base), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_leads', arguments: { query: 'beispiel' } },
    }),
  })

/** Each way in, and the table it asks, which the test locks: a stream that ended may still read the feed once. */
const bursts = [
  ['REST', readLeads, 'leads'],
  ['streams', openStream, 'feed_state'],
  ['tools', callTool, 'leads'],
] as const

test.each(bursts)(
  'while a burst of one key waits, another key is answered: %s',
  async (_way, ask, table) => {
    const many = await api.makeKey('read:leads', 'read:events')
    const one = await api.makeKey('read:kontakte')
    const { asked } = await whileLocked(api.url, table, async () => {
      const asked = Array.from({ length: burst }, () => ask(many))
      await until(async () => (await countLockWaits(api.sql)) === 1)
      const other = await fetch(`${api.base}/kontakte?limit=1`, bearer(one))
      expect([other.status, await countLockWaits(api.sql)]).toEqual([200, 1])
      return { asked }
    })
    const answers = await Promise.all(asked)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await Promise.all(answers.map(({ body }) => body?.cancel()))
  },
)

test('while a burst of one key waits, none of several others is sent behind it', async () => {
  const many = await api.makeKey('read:leads')
  const others = await Promise.all(
    [1, 2, 3, 4].map(() => api.makeKey('read:kontakte', 'read:leads')),
  )
  // Each page is planned anew: both reads share a pool.
  const heavy = '/leads?status=new'
  const light = '/kontakte?limit=1'
  const readByOthers = (path: string) =>
    Promise.all(others.map(key => sendTo(api.base, path, bearer(key))))
  // Both connections are open and know both statements: one that is new to its connection is alone there anyway.
  for (const path of [heavy, light, heavy, light]) await readByOthers(path)
  let ended = 0
  const ask = async () => {
    await sendTo(api.base, heavy, bearer(many))
    ended += 1
  }
  const { asked } = await whileLocked(api.url, 'leads', async () => {
    const asked = Array.from({ length: burst }, ask)
    await until(async () => (await countLockWaits(api.sql)) === 1)
    const answers = await readByOthers(light)
    expect([ended, ...answers.map(({ status }) => status)]).toEqual([0, 200, 200, 200, 200])
    return { asked }
  })
  await Promise.all(asked)
})
