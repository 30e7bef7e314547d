// What HTTP asks of the tool server: methods, types, sizes, Origins, and no trace of OAuth.
import { beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { startService } from '../../src/api/start.ts'
import { readConfig } from '../../src/config/settings.ts'
import { lead } from '../support/database/factory.ts'
import { quietLog, useService } from '../support/http/service.ts'
import { post, rpc, send, toolUrl } from '../support/http/tool_calls.ts'

const api = useService()
let leadId = ''

beforeAll(async () => {
  leadId = (await lead(api.sql)).id
})

const parameters = () => ({ name: 'get_lead', arguments: { lead_id: leadId } })
const text = (message: unknown) => JSON.stringify(message)

describe('HTTP', () => {
  const raw = (init: RequestInit) => fetch(toolUrl(api), init)

  test.each(['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])(
    '%s is 405 with Allow: POST',
    async method => {
      const headers = { authorization: `Bearer ${api.key}`, accept: 'text/event-stream' }
      const response = await raw({ method, headers })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
      expect(response.headers.get('cache-control')).toBe('no-store')
    },
  )

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'Content-Type %p is 415',
    async type => {
      const reply = await send(api, rpc('ping'), { 'content-type': type })
      expect([reply.status, reply.message.error.code]).toEqual([415, 'invalid_request'])
    },
  )

  test('a body of 1 MB is 413, of a length told or not', async () => {
    const megabyte = text(rpc('tools/call', { name: 'x'.repeat(1_000_000) }))
    const chunks = new ReadableStream({
      start(controller) {
        for (let start = 0; start < megabyte.length; start += 10_000)
          controller.enqueue(new TextEncoder().encode(megabyte.slice(start, start + 10_000)))
        controller.close()
      },
    })
    for (const body of [megabyte, chunks]) {
      const reply = await post(api, body)
      expect([reply.status, reply.message.error.code]).toEqual([413, 'invalid_request'])
    }
  })

  test('a body in chunks below the limit is read', async () => {
    const message = new TextEncoder().encode(text(rpc('tools/call', parameters())))
    const chunks = new ReadableStream({
      start(controller) {
        for (const byte of message) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      },
    })
    const { status, message: answer } = await post(api, chunks)
    expect([status, answer.result.structuredContent.data.id]).toEqual([200, leadId])
  })

  test('the id of the request comes back', async () => {
    for (const message of [rpc('tools/call', parameters()), rpc('ping'), {}])
      expect(
        (await send(api, message, { 'x-request-id': 'mine' })).headers.get('x-request-id'),
      ).toBe('mine')
  })

  test.each([
    ['https://evil.example', 403],
    ['http://127.0.0.1.evil.example', 403],
    ['http://localhost.evil.example:3000', 403],
    ['null', 403],
    ['file://', 403],
    ['http://localhost:6274', 200],
    ['http://127.0.0.1:1', 200],
    ['http://[::1]:1', 200],
  ])('Origin %s: %d', async (origin, status) => {
    const reply = await send(api, rpc('tools/call', parameters()), { origin })
    expect(reply.status).toBe(status)
    if (status === 403)
      expect(reply.message).toMatchObject({ api_version: 'v1', error: { code: 'invalid_request' } })
  })

  test('a foreign Origin learns nothing of keys', async () => {
    const reply = await send(api, rpc('ping'), {
      origin: 'https://evil.example',
      authorization: '',
    })
    expect(reply.status).toBe(403)
    expect(reply.headers.has('www-authenticate')).toBe(false)
  })

  test.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration',
    '/mcp/.well-known/openid-configuration',
    '/register',
    '/mcp/',
    '/mcp/x',
  ])('%s is a plain 404: nothing here speaks OAuth', async path => {
    for (const method of ['GET', 'POST']) {
      const response = await fetch(api.service.url + path, { method })
      expect(response.status).toBe(404)
      expect(response.headers.has('www-authenticate')).toBe(false)
      expect(await response.json()).toMatchObject({ error: { code: 'not_found' } })
    }
  })

  test('401 names no authorization server', async () => {
    const reply = await send(api, rpc('ping'), { authorization: '' })
    expect(reply.status).toBe(401)
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="workspace-data-api"')
  })
})

test('the service’s own address is an Origin it takes', async () => {
  const config = readConfig({ PORT: '0', PUBLIC_URL: 'https://daten.example' })
  const own = await startService(config, api.url, quietLog())
  const at = { ...api, service: { ...own, url: `http://127.0.0.1:${own.port}` } }
  const statusOf = async (origin: string): Promise<number> =>
    (await send(at, rpc('ping'), { origin })).status
  try {
    expect(await statusOf('https://daten.example')).toBe(200)
    expect(await statusOf('https://andere.example')).toBe(403)
  } finally {
    await own.stop()
  }
})

/** One request as it stands, for what fetch does not send; resolves with the whole answer. */
function sendRaw(text: string): Promise<string> {
  const { port } = new URL(api.service.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

test.each(['[::', '[', 'x:99999', 'x:abc'])(
  'a Host that is no address does no harm: %s',
  async host => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const answer = await sendRaw(
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    expect(answer).not.toContain('internal_error')
    expect(answer).toMatch(/^HTTP\/1\.1 (200|400) /)
  },
)
