// The published API description: valid for four independent readers, complete, and true to the spec's tables.
import { beforeAll, describe, expect, test } from 'bun:test'
import { validate } from '@readme/openapi-parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { basePath, restRoutes } from '../../src/api/rest/routes.ts'
import { errorStatus } from '../../src/errors.ts'
import { type Document, operationsOf, withResponses } from '../support/http/document.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
let text = ''
let document: Document

beforeAll(async () => {
  text = (await api.send('/openapi.json')).text
  document = withResponses(JSON.parse(text))
})

// The readers change what they are given.
const copy = () => JSON.parse(text)

test('the document is served without a key, as JSON, under the base URL it names', async () => {
  const reply = await api.send('/openapi.json', { headers: {} })
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-type')).toBe('application/json')
  expect(document.openapi).toBe('3.1.0')
  expect(document.servers).toEqual([{ url: api.base }])
})

describe('no reader finds anything to complain about:', () => {
  test('redocly, recommended rules', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const found = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
    expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  })

  test('spectral, spectral:oas', async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset({ extends: [oas as RulesetDefinition] })
    const found = await linter.run(copy())
    expect(found.map(({ code, message, path }) => `${code}: ${message} ${path}`)).toEqual([])
  })

  test('readme', async () => {
    expect(await validate(copy())).toMatchObject({ valid: true, warnings: [] })
  })

  test('seriousme', async () => {
    expect(await new Validator().validate(copy())).toEqual({ valid: true })
  })
})

describe('the document is complete:', () => {
  const everyStatus = [400, 401, 403, 413, 429, 500, 503]

  test('every route of the registry is in it, and nothing else', () => {
    const registered = restRoutes.map(({ method, path }) => `${method} ${path}`)
    expect(operationsOf(document).map(({ name }) => name)).toEqual(registered)
    expect(registered.toSorted()).toEqual(Object.keys(specScopes).toSorted())
  })

  test.each(restRoutes)('$operationId has every status the route can answer with', route => {
    const found = operationsOf(document).find(
      ({ name }) => name === `${route.method} ${route.path}`,
    )
    const success = route.status ?? 200
    const statuses = [success, ...everyStatus, ...route.errors.map(code => errorStatus[code])]
    if (route.body) statuses.push(408)
    const documented = Object.keys(found?.operation.responses ?? {}).map(Number)
    expect(documented.toSorted()).toEqual([...new Set(statuses)].toSorted())
  })

  test('operation ids are unique, and every parameter of a path is described', () => {
    const operations = operationsOf(document)
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, operation } of operations)
      expect(
        operation.parameters.filter(one => one.in === 'path').map(({ name }) => `{${name}}`),
      ).toEqual(path.match(/\{\w+\}/g) ?? [])
  })

  test('every operation shows an example answer, and an example of its body', () => {
    for (const { name, operation } of operationsOf(document)) {
      const success = operation.responses['200'] ?? operation.responses['201']
      expect([name, Object.keys(success?.content ?? {})]).toEqual([name, ['application/json']])
      expect(success?.content['application/json']).toHaveProperty('example')
      if (operation.requestBody)
        expect(operation.requestBody.content['application/json']).toHaveProperty('example')
    }
  })

  test('what /events answers names the head where a header says so, a cursor beyond it too', async () => {
    const { responses = {} } = document.paths['/events']?.get ?? {}
    for (const [path, status] of [
      ['/events?limit=1', 200],
      ['/events?after=4711', 400],
    ] as const) {
      const answer = await api.send(path)
      expect([answer.status, answer.headers.has('x-feed-head')]).toEqual([status, true])
      expect(responses[status]?.headers).toHaveProperty('X-Feed-Head')
    }
  })

  test('POST /hooks alone has a body, and answers 201', () => {
    const withBody = operationsOf(document).filter(({ operation }) => operation.requestBody)
    expect(withBody.map(({ name }) => name)).toEqual(['POST /hooks'])
    expect(withBody[0]?.operation.responses).toHaveProperty('201')
  })
})

// Spec part 4 with part 5: what each operation needs.
const specScopes: Record<string, string> = {
  'GET /leads': 'read:leads',
  'GET /leads/{leadId}': 'read:leads',
  'GET /leads/{leadId}/analysis': 'read:analyses',
  'GET /kontakte': 'read:kontakte',
  'GET /kontakte/{key}': 'read:kontakte',
  'GET /kontakte/{key}/haushalt': 'read:kontakte',
  'GET /appointments': 'read:appointments',
  'GET /meetings/{meetingId}/intelligence': 'read:meetings',
  'GET /signals': 'read:signals',
  'GET /events': 'read:events',
  'GET /hooks': 'write:hooks',
  'POST /hooks': 'write:hooks',
  'DELETE /hooks/{hookId}': 'write:hooks',
  'GET /hooks/sample': 'write:hooks',
  'GET /schemas/analysis': 'read:analyses',
}

describe('the document is true to the spec:', () => {
  test('every operation needs the key, and the scope of spec part 5', () => {
    for (const { name, operation } of operationsOf(document)) {
      expect(operation.security).toEqual([{ apiKey: [] }])
      expect(operation['x-scope']).toBe(specScopes[name] ?? 'no such operation in the spec')
    }
    expect(document.components.securitySchemes.apiKey).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    })
  })

  test('limit is 1 to 200 with default 50 (the feed: 100), offset 0 or more with default 0, both bounded', () => {
    const named = (name: string) =>
      operationsOf(document).flatMap(({ operation }) =>
        operation.parameters.filter(one => one.name === name).map(({ schema }) => schema),
      )
    expect(named('limit').length).toBeGreaterThan(0)
    for (const schema of named('limit'))
      expect(schema).toEqual({
        type: 'integer',
        minimum: 1,
        maximum: 200,
        default: expect.any(Number),
      })
    const defaults = named('limit').map(schema => schema.default)
    expect(defaults.filter(value => value !== 50)).toEqual([100])
    for (const schema of named('offset'))
      expect(schema).toEqual({ type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 })
  })

  test('the base path ends in the version', () => {
    expect(basePath).toBe('/api/v1')
  })
})
