// A target for each parser of bytes from outside: what it is given, and what it promises for any of it.

import { readJson } from '../../src/api/http/body.ts'
import { clientAddressReader, throttleGroup } from '../../src/api/http/client_address.ts'
import { hasOneHost } from '../../src/api/http/host.ts'
import { requestIdOf } from '../../src/api/http/request_line.ts'
import { exchange } from '../../src/api/mcp/answer_tools.ts'
import type { Offer } from '../../src/api/mcp/protocol.ts'
import { readInput, readQuery, splitUrl } from '../../src/api/rest/input.ts'
import { restRoutes } from '../../src/api/rest/routes.ts'
import { ownPage } from '../../src/dashboard/guard.ts'
import { ApiError } from '../../src/errors.ts'
import { isApiKey, makeApiKey } from '../../src/model/api_key.ts'
import { isEventType } from '../../src/model/event_type.ts'
import { isForbidden } from '../../src/model/networks.ts'
import { literalAddress, readTargetUrl } from '../../src/model/target_url.ts'
import { readHookBody } from '../../src/operations/hooks.ts'
import type { Random } from '../support/fuzz/seeded.ts'
import { jsonValue, mutate } from '../support/fuzz/seeded.ts'

export type FuzzTarget = {
  name: string
  /** Text to try; what it stands for is the target's own. */
  input(random: Random): string
  /** Throws where a promise is broken. */
  check(input: string, random: Random): void | Promise<void>
}

function promise(kept: boolean, what: string) {
  if (!kept) throw new Error(what)
}

/** What a parser comes to: a value, or the refusal that a client gets. */
function outcomeOf<Value>(parse: () => Value): Value | undefined {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    promise(error.status >= 400 && error.status < 500, `a refusal is a 4xx: ${error.status}`)
    promise(error.message.length < 1_000, 'a refusal repeats nothing')
    return undefined
  }
}

const headersOf = (name: string, value: string) => {
  const headers = new Headers()
  try {
    headers.set(name, value)
  } catch {
    // No server hands on such a value.
  }
  return new Request('http://test/', { headers })
}

const queries = [
  'limit=50&offset=0&search=Anna',
  'from=2026-03-01T09:00:00%2B01:00&status=scheduled',
  'after=12&types=lead.created,signal.opened&limit=200',
  'include_archived=true&status=new',
  'type=lead.created',
]

const query: FuzzTarget = {
  name: 'query',
  // A URL has no lone surrogates: what reads it from the wire has replaced them.
  input: random => mutate(random, random.of(queries)).toWellFormed(),
  check(input, random) {
    const route = random.of(restRoutes)
    const values = outcomeOf(() => readQuery(input, route.query))
    if (values !== undefined)
      promise(!JSON.stringify(values).includes('\\u0000'), 'no NUL reaches the database')
  },
}

const path: FuzzTarget = {
  name: 'path',
  input: random =>
    mutate(
      random,
      random.of(restRoutes).path.replace('{key}', 'email%3Aanna%40example.org'),
    ).toWellFormed(),
  check(input, random) {
    const url = `http://test/api/v1${input}`
    const { path, query } = splitUrl(url)
    promise(!path.includes('?') && typeof query === 'string', 'a path ends at the query')
    const values = outcomeOf(() => readInput(random.of(restRoutes), url))?.input
    for (const value of Object.values(values ?? {}))
      promise(!String(value).includes('\0'), 'no NUL reaches the database')
  },
}

const hookBody = JSON.stringify({
  target_url: 'https://hooks.example.com/a',
  event_types: ['lead.created', 'signal.opened'],
  label: 'CRM',
  source: 'api',
})

const body: FuzzTarget = {
  name: 'body of POST /hooks',
  input: random =>
    random.below(2) === 0 ? mutate(random, hookBody) : JSON.stringify(jsonValue(random)),
  async check(input) {
    const request = new Request('http://test/', { method: 'POST', body: Buffer.from(input) })
    const json = await readJson(request, 5_000).catch(error =>
      outcomeOf(() => {
        throw error
      }),
    )
    const hook = outcomeOf(() => readHookBody(json))
    if (hook) promise(hook.event_types.every(isEventType), 'only known types are subscribed')
  },
}

const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_leads', arguments: { query: 'Anna', limit: 5 } },
}

const rpcInput = (random: Random) =>
  random.below(2) === 0
    ? mutate(random, JSON.stringify(call))
    : JSON.stringify({ ...call, [random.of(Object.keys(call))]: jsonValue(random) })

const offer: Offer = {
  listing: [],
  async call(name) {
    return name === 'search_leads' ? { content: [], structuredContent: { data: [] } } : undefined
  },
}

const message: FuzzTarget = {
  name: 'JSON-RPC',
  input: rpcInput,
  async check(input) {
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://test/mcp', { method: 'POST', headers, body: input })
    const { status, text } = await exchange(request, Buffer.from(input), offer)
    promise(status < 500, `an answer is no fault of ours: ${status}`)
    if (text !== '') promise(JSON.parse(text).jsonrpc === '2.0', 'an answer is JSON-RPC')
  },
}

const aKey = makeApiKey()

const key: FuzzTarget = {
  name: 'API key',
  input: random => mutate(random, aKey),
  check(input) {
    promise(!isApiKey(input) || /^wda_[0-9A-Za-z]{49}$/.test(input), 'a key has its form')
  },
}

const urls = [
  'https://hooks.example.com/a/b?c=d#e',
  'https://user:word@hooks.example.com:8443/',
  'https://127.0.0.1/',
  'https://[::ffff:10.0.0.1]/',
  'https://0x7f.1/',
  'https://xn--bcher-kva.example.com./',
]

const targetUrl: FuzzTarget = {
  name: 'target URL',
  input: random => mutate(random, random.of(urls)),
  check(input) {
    const read = readTargetUrl(input, [])
    if ('refused' in read) return promise(!read.refused.includes('\n'), 'a reason is a sentence')
    const url = new URL(read.url)
    promise(url.protocol === 'https:', 'https alone')
    promise(url.username + url.password === '' && url.hash === '', 'nothing but an address')
    promise(read.url.length <= 2_048, 'not longer than the table takes')
    const address = literalAddress(url.hostname)
    promise(address === undefined || !isForbidden(address, []), 'no forbidden address')
    const again = readTargetUrl(read.url, [])
    promise('url' in again && again.url === read.url, 'the canonical form is its own')
  },
}

const addresses = [
  '203.0.113.7',
  '::ffff:203.0.113.7',
  '2001:db8:1:2::9',
  'fe80::1%eth0',
  '10.0.0.1',
]
const readClient = clientAddressReader(['10.0.0.0/8'])

const clientAddress: FuzzTarget = {
  name: 'X-Forwarded-For',
  input: random => mutate(random, `${random.of(addresses)}, ${random.of(addresses)}`),
  check(input) {
    const group = throttleGroup(readClient('10.0.0.1', input))
    promise(/^[\d.]+$|^[\da-f:]+::\/64$/.test(group), `a group is an address or a /64: ${group}`)
  },
}

const headers: FuzzTarget = {
  name: 'headers',
  input: random =>
    mutate(
      random,
      random.of([
        'api.example.com:443',
        '[2001:db8::1]:3000',
        '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'wda_session=abc; wda_language=de',
        'req-1.2_3',
        '/dashboard/webhooks',
      ]),
    ),
  check(input) {
    const host = headersOf('host', input)
    promise(!hasOneHost(host) || !/[\s<>,/@]/.test(host.headers.get('host') ?? ''), 'one host')
    promise(/^[\w.-]{1,128}$/.test(requestIdOf(headersOf('x-request-id', input))), 'a plain id')
    const page = new URL(ownPage(input), 'http://own.invalid')
    promise(
      page.origin === 'http://own.invalid' && /^\/dashboard(\/|$)/.test(page.pathname),
      'no other address',
    )
  },
}

export const targets: FuzzTarget[] = [
  query,
  path,
  body,
  message,
  key,
  targetUrl,
  clientAddress,
  headers,
]
