// The published API description: valid for two readers, complete, true to the spec's tables, and in the form that
// generators share; each rule of form stands for one that broke. The generators themselves, and a third reader: bun run generators.
import { beforeAll, describe, expect, test } from 'bun:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Json } from '../../src/api/http/json_schema.ts'
import { describeTool } from '../../src/api/mcp/tool.ts'
import { tools } from '../../src/api/mcp/tools.ts'
import { errorCodes, errorStatus } from '../../src/errors.ts'
import { schemaName } from '../../src/model/event.ts'
import { eventTypes, schemaVersions } from '../../src/model/event_type.ts'
import { routes } from '../../src/operations/contract.ts'
import { absolute, type Document, operationsOf, withResponses } from '../support/http/document.ts'
import { useService } from '../support/http/service.ts'

const api = useService({ RATE_LIMIT_PER_MINUTE: '77' })
let text = ''
let published: Document
let document: Document
// Strict but for ["string", "null"], the 3.1 way to say nullable.
const ajv = addFormats(new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }))

beforeAll(async () => {
  const reply = await api.send('/openapi.json', { headers: {} })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json'])
  text = reply.text
  published = JSON.parse(text)
  document = withResponses(published)
  ajv.addVocabulary(['components', 'discriminator', 'x-ogen-name'])
  ajv.addSchema({ $id: 'document', components: { schemas: document.components.schemas } })
})

/** Every object inside, with the keys that lead there. */
function* objectsIn(value: unknown, place = ''): Generator<{ place: string; object: Json }> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) yield { place, object: value as Json }
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${place}/${key}`)
}

test('OpenAPI 3.1 and redocly find nothing to complain about', async () => {
  expect(await new Validator().validate(JSON.parse(text))).toEqual({ valid: true })
  const config = await createConfig({ extends: ['recommended'] })
  const redocly = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  expect(redocly.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
}, 30_000)

test('it names this service: its address, its limit, its codes; and itself in one plain sentence', async () => {
  expect([document.openapi, document.servers]).toEqual(['3.1.0', [{ url: api.base }]])
  expect(document.info.description).toMatch(/^[\w ,-]+\.$/)
  expect(text).toContain('q=77;')
  expect(document.components.schemas.ErrorCode?.enum).toEqual(errorCodes)
  const tags = new Set(routes.map(({ path }) => path.split('/')[1]))
  expect(document.tags.map(({ name }) => name)).toEqual([...tags, 'webhooks'] as string[])
})

// test/security/keys has the operations of the spec with their scopes.
test('it has every operation, each with its scope, parameters of its path and every status', () => {
  const operations = operationsOf(document)
  const described = operations.map(({ name, operation }) => [name, operation['x-scope']])
  const served = routes.map(({ method, path, scope }) => [`${method} ${path}`, scope])
  expect(described.toSorted()).toEqual(served.toSorted())
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(served.length)
  for (const { name, path, operation } of operations) {
    const route = routes.find(one => `${one.method} ${one.path}` === name)
    const inPath = operation.parameters.filter(one => one.in === 'path')
    expect(inPath.map(one => `{${one.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    const statuses = [route?.shape.status ?? 200, 400, 401, 403, 413, 429, 500, 503]
    for (const code of route?.errors ?? []) statuses.push(errorStatus[code])
    if (operation.requestBody) statuses.push(408, 415)
    const answers = Object.keys(operation.responses).map(Number)
    expect([name, answers.toSorted()]).toEqual([name, [...new Set(statuses)].toSorted()])
    expect(operation.security).toEqual([{ apiKey: [] }])
  }
})

test('every answer is a named shape in one media type, with an example that keeps it; errors are one shape', () => {
  for (const { name, operation } of operationsOf(document)) {
    const bodies = Object.entries({ ...operation.responses, body: operation.requestBody })
    for (const [part, described] of bodies) {
      if (!described) continue
      const { schema, example } = described.content['application/json']
      expect([name, part, Object.keys(described.content)]).toEqual([
        name,
        part,
        ['application/json'],
      ])
      expect(Object.keys(schema)).toEqual(['$ref'])
      if (Number(part) >= 400) expect(schema.$ref).toBe('#/components/schemas/Error')
      const keeps = ajv.compile(absolute(schema))
      expect([name, part, keeps(example), keeps.errors]).toEqual([name, part, true, null])
    }
    for (const { schema } of operation.parameters) ajv.compile(absolute(schema))
  }
})

test('the shapes of the contract have their names', () => {
  const names = [
    ...['Lead', 'LeadAnalysis', 'KontaktSummary', 'Haushalt', 'Appointment', 'MeetingIntelligence'],
    ...[
      'ResultEntry',
      'Signal',
      'Event',
      'EventType',
      'HookSubscription',
      'HookCreated',
      'Channel',
    ],
    ...['ListMeta', 'Error', 'ErrorCode', 'LeadList', 'LeadEnvelope', 'EventPage', 'SignalStatus'],
    ...eventTypes.flatMap(type => [`${schemaName(type)}Event`, `${schemaName(type)}Payload`]),
  ]
  expect(Object.keys(published.components.schemas)).toEqual(expect.arrayContaining(names))
})

test.each<[string, (object: Json) => boolean]>([
  ['anyOf, which type arrays replace', object => Array.isArray(object.anyOf)],
  ['a default where null is allowed', one => 'default' in one && Array.isArray(one.type)],
  ['a text constant without its enumeration', one => typeof one.const === 'string' && !one.enum],
  ['unique items, of which Java makes a set of the wrong type', one => one.uniqueItems === true],
  ['a closed shape: members may be added', object => object.additionalProperties === false],
  ['an idiom of OpenAPI 3.0 or TypeBox', one => 'nullable' in one || '$id' in one],
  [
    'a cursor of 32 bits',
    one =>
      one.type === 'integer' && /cursor/i.test(String(one.description)) && one.format !== 'int64',
  ],
])('nowhere is %s', (_what, isWrong) => {
  const wrong = [...objectsIn(published)].filter(
    ({ place, object }) => !place.endsWith('/properties') && isWrong(object),
  )
  expect(wrong.map(({ place }) => place)).toEqual([])
})

test('no pattern, those of the tools among them, is one that Rust, RE2 or Python refuse', () => {
  const objects = [...objectsIn(published), ...objectsIn(tools.map(describeTool))]
  const patterns = objects.flatMap(({ object: { pattern } }) => (pattern ? [String(pattern)] : []))
  expect(patterns.length).toBeGreaterThan(5)
  // Unicode classes, look-around, back references, \u, \d and \w, which mean more in some than in others.
  expect(patterns.filter(one => /\\[pPuUdwsbkDWSB1-9]|\(\?/.test(one))).toEqual([])
})

describe('webhooks', () => {
  test('there is one for each event type; feed, sample and webhooks share its shape', async () => {
    expect(Object.keys(document.webhooks)).toEqual(eventTypes)
    const samples: Json[] = (await api.send('/hooks/sample')).body.data
    const { Event } = published.components.schemas as Record<'Event', Json>
    const refs = eventTypes.map(type => `#/components/schemas/${schemaName(type)}Event`)
    expect((Event.oneOf as Json[]).map(({ $ref }) => $ref)).toEqual(refs)
    expect(Object.values((Event.discriminator as { mapping: Json }).mapping)).toEqual(refs)
    for (const [index, type] of eventTypes.entries()) {
      const body = document.webhooks[type]?.post?.requestBody?.content['application/json']
      const sample = samples[index] as Json & { data: Json }
      const schema = { $ref: refs[index] }
      expect(body as unknown).toEqual({ schema, example: sample })
      expect([sample.event_type, sample.schema_version]).toEqual([type, schemaVersions[type]])
      const [first = ''] = Object.keys(sample.data)
      const { [first]: _gone, ...less } = sample.data
      const takes = ajv.compile(absolute(schema))
      const taken = [{}, { cursor: 4711 }, { data: { ...sample.data, extra: 1 } }]
      const refused = [{ event_type: 'none' }, { schema_version: 2 }, { data: less }]
      expect(taken.map(change => takes({ ...sample, ...change }))).toEqual([true, true, true])
      expect(refused.map(change => takes({ ...sample, ...change }))).toEqual([false, false, false])
      // Of all seventeen exactly one takes it.
      expect(ajv.validate(absolute({ $ref: '#/components/schemas/Event' }), sample)).toBe(true)
    }
  })

  test('each names the headers and answers of the delivery rules', () => {
    for (const { post } of Object.values(document.webhooks)) {
      const headers = post?.parameters as unknown as Json[]
      expect(headers.map(({ name }) => name)).toEqual([
        ...['X-Service-Signature', 'X-Service-Timestamp', 'webhook-id', 'webhook-timestamp'],
        ...['webhook-signature', 'traceparent', 'X-Service-Cursor'],
      ])
      for (const { schema, example } of headers)
        expect(ajv.validate(schema as Json, example)).toBe(true)
      expect(Object.keys(post?.responses ?? {})).toEqual(['429', '2XX', '3XX', '4XX', '5XX'])
      expect(post?.security).toEqual([])
    }
  })
})
