// Whole requests from chance: every method, path, query, header and body there is, and what is nearly one.

import { restRoutes } from '../../src/api/rest/routes.ts'
import { scopes } from '../../src/model/scope.ts'
import { jsonValue, mutate, type Random, seeded } from '../support/fuzz/seeded.ts'

const methods = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']
const others = ['/mcp', '/healthz', '/docs', '/dashboard', '/dashboard/sign-in', '/dashboard/keys']
const queries = ['', '?limit=5', '?search=Anna&status=new', '?after=0&types=lead.created', '?%ff']
const headerNames = ['accept', 'content-type', 'x-request-id', 'traceparent', 'last-event-id']
const headerValues = ['application/json', 'text/event-stream;q=0.1', '*/*', '0', 'x', scopes[0]]

const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '').trim()

export type FuzzedRequest = { path: string; init: RequestInit }

function pathOf(random: Random): string {
  if (random.below(6) === 0) return random.of(others)
  const { path } = random.of(restRoutes)
  const id = random.below(3) === 0 ? mutate(random, crypto.randomUUID()) : crypto.randomUUID()
  return `/api/v1${path}`
    .replace('{key}', encodeURIComponent(mutate(random, 'email:anna@example.org').toWellFormed()))
    .replace(/\{\w+\}/g, encodeURIComponent(id.toWellFormed()))
}

export function fuzzedRequest(seed: number, key: string): FuzzedRequest {
  const random = seeded(seed)
  const method = random.of(methods)
  const path = pathOf(random) + random.of(queries)
  const token = random.below(8) === 0 ? mutate(random, key) : key
  const headers: Record<string, string> = { authorization: `Bearer ${printable(token)}` }
  for (let count = random.below(3); count > 0; count -= 1)
    headers[random.of(headerNames)] = printable(mutate(random, random.of(headerValues)))
  const hasBody = !['GET', 'HEAD'].includes(method) && random.below(3) > 0
  const body = random.below(2) === 0 ? JSON.stringify(jsonValue(random)) : mutate(random, '{"a":1}')
  const tried = random.below(4) === 0 ? mutate(random, path).replace(/[\s#]/g, '') : path
  return {
    path: `/${tried.replace(/^\/+/, '')}`,
    init: { method, headers, redirect: 'manual', ...(hasBody && { body: Buffer.from(body) }) },
  }
}

/** What is wrong with an answer; undefined: nothing. */
export async function faultOf(response: Response, isHead: boolean): Promise<string | undefined> {
  const { status, headers } = response
  if (status >= 500) return `status ${status}`
  if (headers.get('cache-control') !== 'no-store') return 'no no-store'
  if (!headers.has('x-request-id')) return 'no request id'
  const type = headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return undefined
  }
  const text = await response.text()
  if (!type.startsWith('application/json') || isHead || text === '') return undefined
  const { api_version, jsonrpc, openapi } = JSON.parse(text)
  return api_version === 'v1' || jsonrpc === '2.0' || openapi ? undefined : 'no envelope'
}
