// /docs shows the description with assets of our own: a browser that opens it asks no other host for anything.
import { expect, test } from 'bun:test'
import { useService } from '../support/service.ts'

const api = useService()

const get = (path: string) => fetch(api.service.url + path)
const textOf = async (path: string) => await (await get(path)).text()

const types = {
  '/docs': 'text/html; charset=utf-8',
  '/docs/start.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
}

test.each(Object.entries(types))('%s is served as %s, without a key', async (path, type) => {
  const response = await get(path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe(type)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect((await response.text()).length).toBeGreaterThan(50)
})

test('the policy lets nothing be loaded or asked from a foreign origin', async () => {
  for (const path of Object.keys(types)) {
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
  const references = [...(await textOf('/docs')).matchAll(/(?:src|href)="([^"]*)"/g)].map(
    match => match[1] ?? '',
  )
  expect(references).toEqual([
    '/docs/swagger-ui.css',
    'data:,',
    '/docs/swagger-ui.js',
    '/docs/start.js',
  ])
  for (const path of references.filter(one => one.startsWith('/')))
    expect((await get(path)).status).toBe(200)
})

test('the page runs no script of its own text, which the policy would refuse', async () => {
  const page = await textOf('/docs')
  expect(page).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|javascript:/i)
})

test('the page and its start name no address at all', async () => {
  for (const path of ['/docs', '/docs/start.js'])
    expect(await textOf(path)).not.toMatch(/https?:\/\/|["'(]\/\//)
})

test('the reader starts with our document and without the public validator', async () => {
  const start = await textOf('/docs/start.js')
  expect(start).toContain('url: "/api/v1/openapi.json"')
  expect(start).toContain('validatorUrl: null')
  expect(start).toContain('persistAuthorization: false')
})

test('the style sheet loads nothing: every url() holds its own data, and nothing is imported', async () => {
  const style = await textOf('/docs/swagger-ui.css')
  const loaded = [...style.matchAll(/url\(\s*["']?([^"')]{0,40})/g)].map(match => match[1] ?? '')
  expect(loaded.filter(one => !one.startsWith('data:'))).toEqual([])
  expect(style).not.toContain('@import')
})

// The bundle names many addresses: name spaces, links to standards in comments and messages, hosts of links
// in rendered Markdown. None is asked for by itself. What a script does ask for, it names where it fetches,
// opens, loads or configures an address; in such places the bundle names one host, the validator that
// start.js switches off. The policy above would stop even that.
test('the bundle asks no foreign host but the validator that is switched off', async () => {
  const bundle = await textOf('/docs/swagger-ui.js')
  const asking =
    /(?:fetch|importScripts|import|open|Worker|WebSocket|EventSource|sendBeacon|src|\w*Url|url)["']?\s*(?:\(|:|=)\s*["'`]((?:https?:|wss?:)?\/\/[^/"'`?]+)/g
  const hosts = new Set([...bundle.matchAll(asking)].map(match => match[1] ?? ''))
  expect([...hosts]).toEqual(['https://validator.swagger.io'])
})
