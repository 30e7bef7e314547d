// The `webhooks` of the API description: all 17 events, each with the payload and headers that are sent.
import { beforeAll, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Json } from '../../src/api/http/json_schema.ts'
import { schemaName } from '../../src/model/event.ts'
import { eventMeanings } from '../../src/model/event_meaning.ts'
import { type EventType, eventTypes, schemaVersions } from '../../src/model/event_type.ts'
import { absolute, type Document } from '../support/http/document.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
const ajv = addFormats(new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }))
let document: Document
let samples: Record<string, Json>

beforeAll(async () => {
  document = (await api.send('/openapi.json')).body
  ajv.addVocabulary(['components', 'discriminator', 'x-ogen-name'])
  ajv.addSchema({ $id: 'document', components: { schemas: document.components.schemas } })
  const { data } = (await api.send('/hooks/sample')).body
  samples = Object.fromEntries(data.map((event: Json) => [event.event_type, event]))
})

const bodyOf = (type: string) =>
  document.webhooks[type]?.post?.requestBody?.content['application/json'] as {
    schema: Json
    example: unknown
  }

test('there is one for each event type, in the order of the contract, sent without a key', () => {
  expect(Object.keys(document.webhooks)).toEqual(eventTypes)
  for (const webhook of Object.values(document.webhooks)) {
    expect(Object.keys(webhook)).toEqual(['post'])
    expect(webhook.post?.security).toEqual([])
  }
})

test('each says when it fires, under a tag of its own', () => {
  for (const type of eventTypes) {
    const { title, when } = eventMeanings[type]
    const post = document.webhooks[type]?.post as unknown as Json
    expect([post.summary, post.tags]).toEqual([title, ['webhooks']])
    // Readers show titles as they are.
    expect(title).not.toMatch(/[`*_[\]]/)
    expect(post.description).toStartWith(when)
  }
})

test('every header of a delivery is named, and the contract’s two have the form of the contract', () => {
  for (const { post } of Object.values(document.webhooks)) {
    const headers = post?.parameters as unknown as Json[]
    expect(headers.map(one => [one.name, one.in, one.required])).toEqual([
      ['X-Service-Signature', 'header', true],
      ['X-Service-Timestamp', 'header', true],
      ['webhook-id', 'header', true],
      ['webhook-timestamp', 'header', true],
      ['webhook-signature', 'header', true],
      ['traceparent', 'header', true],
    ])
    for (const { schema, example } of headers)
      expect(ajv.validate(schema as Json, example)).toBe(true)
    const [signature] = headers
    const isSignature = ajv.compile(signature?.schema as Json)
    expect(isSignature(`v1=${'ab'.repeat(32)}`)).toBe(true)
    expect([`v1=${'AB'.repeat(32)}`, 'ab'.repeat(32), 'v1='].some(text => isSignature(text))).toBe(
      false,
    )
  }
})

test('the answers are those of the delivery rules', () => {
  for (const { post } of Object.values(document.webhooks))
    expect(Object.keys(post?.responses ?? {}).toSorted()).toEqual(
      ['2XX', '3XX', '429', '4XX', '5XX'].toSorted(),
    )
})

for (const type of eventTypes)
  test(`${type} is described as it is sent`, () => {
    const name = schemaName(type as EventType)
    expect(bodyOf(type).schema).toEqual({ $ref: `#/components/schemas/${name}Event` })
    const isPayload = ajv.compile(absolute(bodyOf(type).schema))
    const sample = samples[type] as Json & { data: Json }
    expect([isPayload(sample), isPayload.errors]).toEqual([true, null])
    expect(bodyOf(type).example).toEqual(sample)
    expect(sample.schema_version).toBe(schemaVersions[type as EventType])
    const [first = ''] = Object.keys(sample.data)
    const { [first]: _gone, ...less } = sample.data
    const others = [
      { ...sample, event_type: type === 'lead.created' ? 'lead.archived' : 'lead.created' },
      { ...sample, schema_version: 2 },
      { ...sample, data: less },
    ]
    expect(others.map(other => isPayload(other))).toEqual(Array(3).fill(false))
    // What may be added within a version.
    const added = [
      { ...sample, cursor: 4711 },
      { ...sample, data: { ...sample.data, extra: 1 } },
    ]
    expect(added.map(other => isPayload(other))).toEqual([true, true])
    // Of all seventeen exactly one takes it.
    expect(ajv.validate(absolute({ $ref: '#/components/schemas/Event' }), sample)).toBe(true)
  })
