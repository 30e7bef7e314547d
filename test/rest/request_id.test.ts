// X-Request-Id: on every response, the client's own when it is a plain word of at most 128 characters.
import { expect, test } from 'bun:test'
import { useService } from '../support/http/service.ts'

const api = useService()
const places = ['/api/v1/leads', '/healthz', '/docs', '/nothing', '/api/v1/openapi.json']

async function idOf(path: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(api.service.url + path, init)
  return response.headers.get('x-request-id') ?? ''
}

const given = (id: string): RequestInit => ({ headers: { 'x-request-id': id } })

test.each(['a', 'A.b-c_9', '0'.repeat(128), crypto.randomUUID()])('%s is echoed', async id => {
  for (const path of places) expect(await idOf(path, given(id))).toBe(id)
})

test.each(['0'.repeat(129), 'two words', 'a;b', '"a"', '<b>', 'ü', 'a,b', '{}'])(
  '%s is no plain word and is replaced',
  async id => {
    for (const path of places) expect(await idOf(path, given(id))).toMatch(/^[0-9a-f-]{36}$/)
  },
)

test('without one, every response has a new one', async () => {
  const ids = await Promise.all([...places, ...places].map(path => idOf(path)))
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
})

test('a refused method and a refused key are answered with it too', async () => {
  expect(await idOf('/api/v1/leads', { ...given('post'), method: 'POST' })).toBe('post')
  const headers = { 'x-request-id': 'junk', authorization: 'Bearer junk' }
  expect(await idOf('/api/v1/leads', { headers })).toBe('junk')
})
