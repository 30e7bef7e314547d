// The schemas in the API description: strict JSON Schema 2020-12 throughout, with examples that keep them.
import { beforeAll, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Json } from '../../src/api/http/json_schema.ts'
import { absolute, type Document, operationsOf, withResponses } from '../support/http/document.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
let document: Document
let ajv: Ajv2020

beforeAll(async () => {
  document = withResponses((await api.send('/openapi.json')).body)
  // Strict but for ["string", "null"], the 3.1 way to say nullable.
  ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  addFormats(ajv)
  ajv.addVocabulary(['components', 'discriminator', 'x-ogen-name'])
  ajv.addSchema({ $id: 'document', components: { schemas: document.components.schemas } })
})

const compile = (schema: Json) => ajv.compile(absolute(schema))

const bodies = () =>
  operationsOf(document).flatMap(({ name, operation }) =>
    Object.entries({ ...operation.responses, body: operation.requestBody }).flatMap(
      ([part, described]) =>
        described ? [{ place: `${name} ${part}`, ...described.content['application/json'] }] : [],
    ),
  )

/** Every object inside the document, with the keys that lead there. */
function* objectsIn(value: unknown, place = ''): Generator<{ place: string; object: Json }> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) yield { place, object: value as Json }
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${place}/${key}`)
}

test('every schema of an answer compiles strictly', () => {
  expect(bodies().length).toBeGreaterThan(0)
  for (const { schema } of bodies()) compile(schema)
})

test('every schema of a parameter compiles strictly', () => {
  for (const { operation } of operationsOf(document))
    for (const { schema } of operation.parameters) compile(schema)
})

test('every documented example keeps its schema', () => {
  let examined = 0
  for (const { place, schema, example, examples } of bodies()) {
    const check = compile(schema)
    const values = Object.values(examples ?? {}).map(({ value }) => value)
    for (const value of example === undefined ? values : [...values, example]) {
      examined += 1
      if (!check(value)) throw new Error(`${place}: ${ajv.errorsText(check.errors)}`)
    }
  }
  expect(examined).toBeGreaterThan(bodies().length / 2)
})

test('a schema takes members that may be added, and refuses what breaks it', () => {
  const leads = bodies().find(({ place }) => place === 'GET /leads 200')
  const check = compile(leads?.schema ?? {})
  const example = leads?.example as { data: Json[] }
  expect(check(example)).toBe(true)
  expect(check({ ...example, extra: 1 })).toBe(true)
  expect(check({ ...example, data: [{ ...example.data[0], extra: 1 }] })).toBe(true)
  expect(check({ ...example, api_version: 'v2' })).toBe(false)
  expect(check({ ...example, data: [{ ...example.data[0], status: null }] })).toBe(false)
})

test('no idiom of OpenAPI 3.0 and no $id is left', () => {
  const found = [...objectsIn(document)].filter(
    ({ object }) => 'nullable' in object || '$id' in object || 'Kind' in object,
  )
  expect(found.map(({ place }) => place)).toEqual([])
})

test('null is allowed by type, and never next to an enumeration that forbids it', () => {
  for (const { place, object } of objectsIn(document)) {
    if (!Array.isArray(object.type) || !Array.isArray(object.enum)) continue
    expect({ place, hasNull: object.enum.includes(null) }).toEqual({ place, hasNull: true })
  }
})

test("the error codes are the spec's sixteen", () => {
  expect(document.components.schemas.ErrorCode?.enum).toEqual([
    'invalid_id',
    'invalid_request',
    'invalid_json',
    'missing_target_url',
    'invalid_event_types',
    'invalid_subscription',
    'invalid_cursor',
    'invalid_types',
    'unknown_event_type',
    'missing_token',
    'invalid_token',
    'missing_scope',
    'not_found',
    'cursor_expired',
    'rate_limited',
    'internal_error',
  ])
})

test("channels and signal statuses are the spec's", () => {
  const { Channel, Signal, SignalStatus } = document.components.schemas as Record<
    'Channel' | 'Signal' | 'SignalStatus',
    Json
  >
  expect(Channel.enum).toEqual(['chat', 'call'])
  expect(SignalStatus.enum).toEqual(['open', 'dismissed', 'done', 'resolved'])
  const [filter] =
    document.paths['/signals']?.get?.parameters.filter(({ name }) => name === 'status') ?? []
  const status = { $ref: '#/components/schemas/SignalStatus' }
  expect([filter?.schema, (Signal.properties as Json).status]).toEqual([status, status])
})

test('statuses the spec does not enumerate are left open', () => {
  const filters = ['/leads', '/appointments'].map(path =>
    document.paths[path]?.get?.parameters.find(({ name }) => name === 'status'),
  )
  for (const filter of filters) expect(Object.keys(filter?.schema ?? {})).not.toContain('enum')
})
