// Every parser of bytes from outside for a moment of chance; test/sql has identities and incomes.
// FUZZ_SEED repeats a course; a failure names the seed of its input.
import { expect, test } from 'bun:test'
import { hasOneHost } from '../../src/api/app.ts'
import { clientAddressReader, throttleGroup } from '../../src/api/http/client_address.ts'
import { requestIdOf } from '../../src/api/http/request_line.ts'
import { ownPage } from '../../src/dashboard/guard.ts'
import { isApiKey, makeApiKey } from '../../src/model/api_key.ts'
import { isForbidden } from '../../src/model/networks.ts'
import { literalAddress, readTargetUrl } from '../../src/model/target_url.ts'
import { routes } from '../../src/operations/contract.ts'
import { jsonValue, mutate, type Random, seeded } from '../support/fuzz/seeded.ts'
import { allowedTargets, onDeno, useService } from '../support/http/service.ts'

const first = Number(process.env.FUZZ_SEED ?? 1)
const api = useService({ ...allowedTargets, HOOKS_MAX: '10000' })
const list = (text: string) => text.split(/\s+/)

const requestWith = (name: string, value: string) => {
  const headers = new Headers()
  try {
    headers.set(name, value)
  } catch {
    // No server hands on such a value.
  }
  return new Request('http://test/', { headers })
}

const readClient = clientAddressReader(['10.0.0.0/8'])
const addresses = list('203.0.113.7 ::ffff:203.0.113.7 2001:db8:1:2::9 fe80::1%eth0 10.0.0.1')
const urls =
  list(`https://hooks.example.com/a/b?c=d#e https://user:word@hooks.example.com:8443/ https://127.0.0.1/
  https://[::ffff:10.0.0.1]/ https://0x7f.1/ https://xn--bcher-kva.example.com./`)
const headers =
  list(`api.example.com:443 [2001:db8::1]:3000 wda_session=abc;wda_language=de req-1.2_3
  00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 /dashboard/webhooks`)

/** What is changed at random, and what is broken of the promises of its parser. */
const targets: [name: string, inputs: string[], broken: (input: string) => string | false][] = [
  [
    'API key',
    [makeApiKey()],
    input => isApiKey(input) && !/^wda_[0-9A-Za-z]{49}$/.test(input) && 'no form',
  ],
  [
    'target URL',
    urls,
    input => {
      const read = readTargetUrl(input, [])
      if ('refused' in read) return read.refused.includes('\n') && 'a reason of two lines'
      const { protocol, username, password, hash, hostname } = new URL(read.url)
      const address = literalAddress(hostname)
      if (protocol !== 'https:' || username + password + hash !== '') return 'more than an address'
      if (address !== undefined && isForbidden(address, [])) return 'a forbidden address'
      const again = readTargetUrl(read.url, [])
      const isOwn = 'url' in again && again.url === read.url && read.url.length <= 2_048
      return !isOwn && 'the canonical form is another one'
    },
  ],
  [
    'X-Forwarded-For',
    addresses.map((one, at) => `${one}, ${addresses[(at + 1) % addresses.length]}`),
    input => {
      const group = throttleGroup(readClient('10.0.0.1', input))
      return !/^[\d.]+$|^[\da-f:]+::\/64$/.test(group) && `neither address nor /64: ${group}`
    },
  ],
  [
    'headers',
    headers,
    input => {
      const host = requestWith('host', input)
      if (hasOneHost(host) && /[\s<>,/@]/.test(host.headers.get('host') ?? '')) return 'two hosts'
      if (!/^[\w.-]{1,128}$/.test(requestIdOf(requestWith('x-request-id', input))))
        return 'no plain id'
      const { origin, pathname } = new URL(ownPage(input), 'http://own.invalid')
      const isOwn = origin === 'http://own.invalid' && /^\/dashboard(\/|$)/.test(pathname)
      return !isOwn && 'another page'
    },
  ],
]

test.each(targets)('no input breaks a promise of the parser: %s', (_, inputs, broken) => {
  for (let seed = first; seed < first + 500; seed += 1) {
    const random = seeded(seed)
    const input = mutate(random, random.of(inputs))
    expect([seed, input, broken(input)]).toEqual([seed, input, false])
  }
})

const methods = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']
const others = [
  '/mcp',
  '/mcp',
  '/healthz',
  '/docs',
  '/dashboard',
  '/dashboard/sign-in',
  '/dashboard/keys',
]
const queries = [
  ...['', '?limit=50&offset=0&search=Anna', '?from=2026-03-01T09:00:00%2B01:00&status=scheduled'],
  ...['?after=0&types=lead.created,signal.opened&limit=200', '?type=lead.created', '?%ff'],
]
const call = { name: 'list_events', arguments: { types: ['lead.created'], limit: 5 } }
const bodies: [path: string, body: object][] = [
  [
    '/api/v1/hooks',
    { target_url: 'https://hooks.example.com/a', event_types: ['lead.created'], label: 'CRM' },
  ],
  ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }],
]
const headerNames = ['accept', 'content-type', 'x-request-id', 'traceparent', 'last-event-id']
const headerValues = ['application/json', 'text/event-stream;q=0.1', '*/*', '0', 'x', 'read:leads']
const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '').trim()

function pathOf(random: Random): string {
  if (random.below(6) === 0) return random.of(others)
  const id = random.below(3) === 0 ? mutate(random, crypto.randomUUID()) : crypto.randomUUID()
  return `/api/v1${random.of(routes).path}`
    .replace('{key}', encodeURIComponent(mutate(random, 'email:anna@example.org').toWellFormed()))
    .replace(/\{\w+\}/g, encodeURIComponent(id.toWellFormed()))
}

/** Something like a body that is taken: with another member, or with other bytes. */
function bodyOf(random: Random, body: object): string {
  if (random.below(3) === 0) return mutate(random, JSON.stringify(body))
  return JSON.stringify({ ...body, [random.of(Object.keys(body))]: jsonValue(random) })
}

/** A whole request from chance: every method, path, query, header and body there is, and what is nearly one. */
function fuzzedRequest(random: Random): [path: string, init: RequestInit] {
  const [post, body] = random.of(bodies)
  const isPost = random.below(2) === 0
  const method = isPost ? 'POST' : random.of(methods)
  const path = isPost ? post : pathOf(random) + random.of(queries)
  const token = !isPost && random.below(8) === 0 ? mutate(random, api.key) : api.key
  const headers: Record<string, string> = { authorization: `Bearer ${printable(token)}` }
  if (isPost) headers['content-type'] = 'application/json'
  for (let count = random.below(3); count > 0; count -= 1)
    headers[random.of(headerNames)] = printable(mutate(random, random.of(headerValues)))
  const hasBody = isPost || (!['GET', 'HEAD'].includes(method) && random.below(3) > 0)
  const isOther = !isPost && random.below(4) === 0
  const tried = isOther ? mutate(random, path).replace(/[\s#]/g, '') : path
  const sent = { method, headers, ...(hasBody && { body: Buffer.from(bodyOf(random, body)) }) }
  return [`/${tried.replace(/^\/+/, '')}`, { ...sent, redirect: 'manual' }]
}

/** What is wrong with an answer; undefined: nothing. */
async function faultOf(response: Response): Promise<string | undefined> {
  const { status, headers } = response
  if (status >= 500) return `status ${status}`
  if (headers.get('cache-control') !== 'no-store') return 'no no-store'
  if (!headers.has('x-request-id')) return 'no request id'
  const type = headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return undefined
  }
  const json = await response.text()
  if (!type.startsWith('application/json') || json === '') return undefined
  const { api_version, jsonrpc, openapi } = JSON.parse(json)
  return api_version === 'v1' || jsonrpc === '2.0' || openapi ? undefined : 'no envelope'
}

// What fetch refuses to send, and what Deno's server refuses before we see it, is no answer of ours.
test.skipIf(onDeno)(
  `no request gets a 500 or an answer without its headers (FUZZ_SEED=${first})`,
  async () => {
    for (let seed = first; seed < first + 800; seed += 1) {
      const [path, init] = fuzzedRequest(seeded(seed))
      const response = await fetch(api.service.url + path, {
        ...init,
        signal: AbortSignal.timeout(5_000),
      })
      expect([seed, path, await faultOf(response)]).toEqual([seed, path, undefined])
    }
  },
  60_000,
)
