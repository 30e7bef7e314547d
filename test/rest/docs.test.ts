// /docs shows the description with assets of our own: a browser that opens it asks no other host for anything.
import { beforeAll, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { restRoutes } from '../../src/api/rest/routes.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
let page = ''
let references: string[] = []

beforeAll(async () => {
  page = await textOf('/docs')
  references = [...page.matchAll(/(?:src|href|spec-url)="([^"]*)"/g)].map(match => match[1] ?? '')
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(api.service.url + path, { headers, redirect: 'manual' })
const textOf = async (path: string) => await (await get(path)).text()
const assets = () => references.filter(path => path.startsWith('/docs/assets/'))

test('the page, its assets and the other forms are served by type, without a key', async () => {
  const types: Record<string, string> = {
    '/docs': 'text/html; charset=utf-8',
    '/docs/postman.json': 'application/json',
    '/llms.txt': 'text/plain; charset=utf-8',
    '/api/v1/openapi.yaml': 'application/yaml',
  }
  for (const path of assets())
    types[path] = `text/${path.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`
  expect(Object.keys(types)).toHaveLength(7)
  for (const [path, type] of Object.entries(types)) {
    const response = await get(path)
    expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, type])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await response.text()).length).toBeGreaterThan(50)
  }
})

test('the address alone leads to it', async () => {
  const { status, headers } = await get('/')
  expect([status, headers.get('location')]).toEqual([302, '/docs'])
})

test('all of it is under 500 kB on the wire, compressed, and what never changes is kept for ever', async () => {
  const wire = async (path: string) => {
    const response = await fetch(api.service.url + path, {
      headers: { 'accept-encoding': 'gzip' },
      decompress: false,
    } as RequestInit)
    expect([path, response.headers.get('content-encoding')]).toEqual([path, 'gzip'])
    expect(response.headers.get('vary')).toBe('accept-encoding')
    const bytes = await response.bytes()
    expect(gunzipSync(bytes).toString()).toBe(await textOf(path))
    return bytes.length
  }
  let sum = 0
  for (const path of ['/docs', ...assets(), '/api/v1/openapi.json']) sum += await wire(path)
  expect(sum).toBeGreaterThan(100_000)
  expect(sum).toBeLessThan(300_000)
  for (const path of assets())
    expect((await get(path)).headers.get('cache-control')).toBe(
      'public, max-age=31536000, immutable',
    )
  for (const refusal of ['identity', 'gzip;q=0', 'br'])
    expect(
      (await get('/docs', { 'accept-encoding': refusal })).headers.has('content-encoding'),
    ).toBe(false)
})

test('the policy lets nothing be loaded or asked from a foreign origin', async () => {
  for (const path of ['/docs', ...assets()]) {
    const policy = (await get(path)).headers.get('content-security-policy') ?? ''
    const directives = new Map(
      policy.split(';').map(part => {
        const [name = '', ...sources] = part.trim().split(' ')
        return [name, sources]
      }),
    )
    expect(directives.get('default-src')).toEqual(["'none'"])
    expect(directives.get('script-src')).toEqual(["'self'"])
    expect(directives.get('connect-src')).toEqual(["'self'"])
    const harmless = ["'none'", "'self'", "'unsafe-inline'", 'data:']
    expect([...directives.values()].flat().filter(one => !harmless.includes(one))).toEqual([])
  }
})

test('the page refers to its own assets and nothing else, and all of them are there', async () => {
  expect(assets()).toHaveLength(3)
  const own = references.filter(path => path.startsWith('/'))
  expect(references.filter(path => !own.includes(path))).toEqual(['data:,'])
  for (const path of own) expect([path, (await get(path)).status]).toEqual([path, 200])
})

test('the page runs no script of its own text, which the policy would refuse', () => {
  expect(page).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|javascript:/i)
})

test('the page and what starts it name no address, and the reader loads no fonts', async () => {
  const [style = '', start = ''] = assets()
  for (const text of [page, await textOf(style), await textOf(start)])
    expect(text).not.toMatch(/https?:\/\/|["'(]\/\//)
  expect(page).toContain('load-fonts="false"')
  expect(page).toContain('persist-auth="false"')
})

test('the reader is the one that was released, and asks no foreign host but for the fonts that are off', async () => {
  const script = await textOf(assets().find(path => path.includes('rapidoc')) ?? '')
  const digest = new Bun.CryptoHasher('sha256').update(script).digest('hex')
  expect(digest).toBe('affbd173a65e870e18f392cca963113bcdafb6e50e88cd2f6a834a65b22db94d')
  const asking =
    /(?:fetch|importScripts|import|open|Worker|WebSocket|EventSource|sendBeacon|src|\w*Url|url)["']?\s*(?:\(|:|=)\s*["'`]?((?:https?:|wss?:)?\/\/[^/"'`?)]+)/g
  const hosts = new Set([...script.matchAll(asking)].map(match => match[1] ?? ''))
  // localhost completes addresses without a host, and is not asked.
  expect([...hosts]).toEqual(['http://localhost', 'https://fonts.gstatic.com'])
})

test('YAML says what JSON says', async () => {
  const { body } = await api.send('/openapi.json')
  expect(Bun.YAML.parse(await textOf('/api/v1/openapi.yaml'))).toEqual(body)
})

test('the collection holds every operation, and llms.txt names them', async () => {
  const { item } = (await (await get('/docs/postman.json')).json()) as {
    item: { item: { request: { method: string; description: string; url: { raw: string } } }[] }[]
  }
  const requests = item.flatMap(folder => folder.item.map(({ request }) => request))
  const named = requests.map(({ method, url }) => `${method} ${url.raw}`)
  const expected = restRoutes.map(
    ({ method, path }) => `${method} {{base}}${path.replace(/\{(\w+)\}/g, ':$1')}`,
  )
  expect(named.toSorted()).toEqual(expected.toSorted())
  for (const { description } of requests) expect(description).toMatch(/\.\n\nScope: /)
  const text = await textOf('/llms.txt')
  for (const { method, path } of restRoutes) expect(text).toContain(`- ${method} /api/v1${path}: `)
})
