// Each kind of error is answered with the headers that the description declares for it, and with no other of them.
import { beforeAll, expect, test } from 'bun:test'
import { event } from '../support/database/factory.ts'
import { whileLocked } from '../support/database/locks.ts'
import type { Document } from '../support/http/document.ts'
import { useUpLimit } from '../support/http/limit.ts'
import { rawRequest, sendRaw } from '../support/http/raw.ts'
import { bearer, onDeno, sendTo, useService } from '../support/http/service.ts'

const api = useService({ RATE_LIMIT_PER_MINUTE: '240', STATEMENT_TIMEOUT_MS: '1000' })
let document: Document

beforeAll(async () => {
  document = (await api.send('/openapi.json')).body
  await api.sql`update feed set head_floor = 3, horizon = 2`
  await event(api.sql, { cursor: 3, links: { lead_id: null, session_id: null }, data: {} })
})

type Answer = { status: number; headers: Headers }

const post = (body: string) => api.send('/hooks', { method: 'POST', body })

/** A body that is declared and does not come. */
async function sendSlowly(): Promise<Answer> {
  const headers = {
    Authorization: `Bearer ${api.key}`,
    'Content-Length': '10',
    Connection: 'close',
  }
  const { text } = await sendRaw(api.service.port, rawRequest('POST', '/api/v1/hooks', headers))
  const [line = '', ...rest] = text.split('\r\n\r\n')[0]?.split('\r\n') ?? []
  const pairs = rest.map(one => one.split(': ', 2) as [string, string])
  return { status: Number(line.split(' ')[1]), headers: new Headers(pairs) }
}

const withLocked = (ask: () => Promise<Answer>): Promise<Answer> =>
  whileLocked(api.url, 'leads', ask)

async function withoutTable(ask: () => Promise<Answer>): Promise<Answer> {
  await api.sql`alter table signals rename to signals_away`
  const answer = await ask()
  await api.sql`alter table signals_away rename to signals`
  return answer
}

const answers: Record<string, () => Promise<Answer>> = {
  BadRequest: () => api.send('/leads?limit=0'),
  BadId: () => api.send('/leads/17'),
  BadFeedRequest: () => api.send('/events?after=4711'),
  BadSubscription: () => post('{'),
  BadSampleType: () => api.send('/hooks/sample?type=lead.deleted'),
  Unauthorized: () => sendTo(api.base, '/leads'),
  Forbidden: async () => sendTo(api.base, '/leads', bearer(await api.makeKey('read:signals'))),
  NotFound: () => api.send('/leads/00000000-0000-4000-8000-000000000000'),
  BodyTooSlow: sendSlowly,
  CursorExpired: () => api.send('/events?after=1'),
  BodyTooLarge: () => post(`"${'a'.repeat(66_000)}"`),
  async RateLimited() {
    const key = await api.makeKey('read:leads')
    await useUpLimit(api.sql, key)
    return await sendTo(api.base, '/leads', bearer(key))
  },
  ServerError: () => withoutTable(() => api.send('/signals')),
  Busy: () => withLocked(() => api.send('/leads')),
}

const declaredBy = (name: string) => Object.keys(document.components.responses[name]?.headers ?? {})

test('every kind of error has its request', () => {
  expect(Object.keys(document.components.responses).toSorted()).toEqual(
    Object.keys(answers).toSorted(),
  )
})

test.skipIf(onDeno).each(Object.keys(answers))('%s', async name => {
  const known = new Set(Object.keys(answers).flatMap(declaredBy))
  expect(known.size).toBeGreaterThan(6)
  const { status, headers } = (await answers[name]?.()) ?? expect.unreachable()
  expect(status).toBeGreaterThanOrEqual(400)
  const sent = [...known].filter(header => headers.has(header))
  expect(sent.toSorted()).toEqual(declaredBy(name).toSorted())
})
