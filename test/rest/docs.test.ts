// /docs shows the description with assets of our own: a browser that opens it asks no other host for anything.
import { beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { read } from '../repo/sources.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
let page = ''
let assets: string[] = []

const get = (path: string, coding = 'identity') =>
  fetch(api.service.url + path, {
    headers: { 'accept-encoding': coding },
    redirect: 'manual',
    decompress: false,
  } as RequestInit)

beforeAll(async () => {
  page = await (await get('/docs')).text()
  assets = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(match => match[1] ?? '')
})

test('the page and its assets come by type without a key, compressed, and what never changes is kept', async () => {
  expect((await get('/')).headers.get('location')).toBe('/docs')
  const types = {
    css: 'text/css',
    js: 'text/javascript',
    docs: 'text/html',
    json: 'application/json',
  }
  let sum = 0
  expect(assets).toHaveLength(3)
  for (const path of ['/docs', '/api/v1/openapi.json', ...assets]) {
    const [plain, packed] = [await get(path), await get(path, 'gzip')]
    const type = types[path.split(/[./]/).at(-1) as keyof typeof types]
    expect([path, plain.status, plain.headers.get('content-type')?.split(';')[0]]).toEqual([
      path,
      200,
      type,
    ])
    expect([plain.headers.get('content-encoding'), packed.headers.get('content-encoding')]).toEqual(
      [null, 'gzip'],
    )
    const bytes = await packed.bytes()
    expect(gunzipSync(bytes).toString()).toBe(await plain.text())
    sum += bytes.length
    if (assets.includes(path))
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  }
  expect(sum).toBeLessThan(600_000)
})

test('the policy allows this origin and the page’s one script by its hash, nothing else', async () => {
  const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(match => match[1] ?? '')
  const hashes = scripts.map(
    text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
  const policy = (await get('/docs')).headers.get('content-security-policy') ?? ''
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ])
  expect(page).not.toMatch(/<style|\son\w+=|javascript:|https?:\/\//i)
})

test('the telemetry of swagger-ui-dist is an empty package', () => {
  expect(JSON.parse(read('node_modules/@scarf/scarf/package.json')).name).toBe('empty-npm-package')
})
