// What generators make of the description depends on its form: names for shapes, one media type, patterns that every
// engine takes. Each rule here stands for a generator that broke. The generators themselves: bun run generators.
import { beforeAll, expect, test } from 'bun:test'
import type { Json } from '../../src/api/http/json_schema.ts'
import { describeTool } from '../../src/api/mcp/tool.ts'
import { tools } from '../../src/api/mcp/tools.ts'
import { schemaName } from '../../src/model/event.ts'
import { eventTypes } from '../../src/model/event_type.ts'
import { type Document, operationsOf, withResponses } from '../support/http/document.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
let published: Document
let document: Document

beforeAll(async () => {
  published = (await api.send('/openapi.json')).body
  document = withResponses(published)
})

/** Every object inside, with the keys that lead there. */
function* objectsIn(value: unknown, place = ''): Generator<{ place: string; object: Json }> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) yield { place, object: value as Json }
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${place}/${key}`)
}

const schemaNames = [
  ...['Lead', 'LeadAnalysis', 'KontaktSummary', 'Haushalt', 'Appointment', 'MeetingIntelligence'],
  ...['ResultEntry', 'Signal', 'Event', 'EventType', 'HookSubscription', 'HookCreated'],
  ...['ListMeta', 'Error', 'ErrorCode', 'LeadList', 'LeadEnvelope', 'EventPage'],
  ...eventTypes.flatMap(type => [`${schemaName(type)}Event`, `${schemaName(type)}Payload`]),
]

test('every shape of the contract has its name', () => {
  const names = Object.keys(published.components.schemas)
  expect(schemaNames.filter(name => !names.includes(name))).toEqual([])
})

test('every answer is a named shape in one media type, of which its data is another', () => {
  for (const { name, operation } of operationsOf(document))
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const { schema } = content['application/json']
      expect([name, status, Object.keys(content), Object.keys(schema)]).toEqual([
        name,
        status,
        ['application/json'],
        ['$ref'],
      ])
    }
})

test('errors are one shape, and responses to them are shared', () => {
  for (const { operation } of operationsOf(published))
    for (const [status, response] of Object.entries(operation.responses))
      if (Number(status) >= 400) expect(Object.keys(response)).toEqual(['$ref'])
  for (const { content } of Object.values(published.components.responses))
    expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Error' })
})

test('the feed, the sample and the webhooks share the seventeen events, of which the type says which one it is', () => {
  const { Event, EventPage, EventList } = published.components.schemas as Record<
    'Event' | 'EventPage' | 'EventList',
    Json
  >
  const refs = eventTypes.map(type => `#/components/schemas/${schemaName(type)}Event`)
  expect((Event.oneOf as Json[]).map(({ $ref }) => $ref)).toEqual(refs)
  expect(Event.discriminator).toEqual({
    propertyName: 'event_type',
    mapping: Object.fromEntries(eventTypes.map((type, index) => [type, refs[index]])),
  })
  // Of its own it gives the choice the name EventType, which is a shape already.
  expect(Event['x-ogen-name']).toBe('AnyEvent')
  const items = { $ref: '#/components/schemas/Event' }
  for (const list of [EventPage, EventList])
    expect((list.properties as { data: Json }).data.items).toEqual(items)
})

test('null is an entry of type: no generator needs anyOf for it, and no default meets it', () => {
  for (const { place, object } of objectsIn(published)) {
    expect([place, 'anyOf' in object && Array.isArray(object.anyOf)]).toEqual([place, false])
    if ('default' in object) expect([place, Array.isArray(object.type)]).toEqual([place, false])
  }
})

test('no enumeration has unique items, which Java makes a set of the wrong type of', () => {
  for (const { place, object } of objectsIn(published))
    expect([place, 'uniqueItems' in object]).toEqual([place, false])
})

test('no shape is closed: members may be added', () => {
  for (const { place, object } of objectsIn(published))
    expect([place, object.additionalProperties === false]).toEqual([place, false])
})

test('operations of webhooks have a tag of their own, and every tag says what is below it', () => {
  const own = operationsOf(document).flatMap(({ operation }) => (operation as never as Json).tags)
  expect(own).not.toContain('webhooks')
  const names = published.tags.map(({ name }) => name)
  expect(names).toEqual([...new Set([...own, 'webhooks'])] as string[])
  for (const { name, description } of published.tags) expect(description).not.toBe(name)
})

const patternsOf = (value: unknown) =>
  [...objectsIn(value)].flatMap(({ object }) =>
    typeof object.pattern === 'string' ? [object.pattern] : [],
  )

const patterns = () => [
  ...new Set([...patternsOf(published), ...tools.flatMap(tool => patternsOf(describeTool(tool)))]),
]

test('no pattern holds a class that Rust, RE2 or Python does not know', () => {
  expect(patterns().length).toBeGreaterThan(5)
  for (const pattern of patterns()) {
    // Unicode classes, look-around, back references, \u, \d and \w, which mean more in some than in others.
    expect([pattern, /\\[pPuUdwsbkDWSB1-9]|\(\?/.test(pattern)]).toEqual([pattern, false])
    expect(new RegExp(pattern, 'u')).toBeInstanceOf(RegExp)
  }
})

async function feed(command: string[], input: string): Promise<string> {
  const child = Bun.spawn(command, { stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe' })
  const [out, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return (await child.exited) === 0 ? out.trim() : said
}

const python = `
import json, re, sys
for pattern in json.load(sys.stdin):
    re.compile(pattern)
    if "\\\\x00" in pattern:
        assert re.search(pattern, "Anna") and not re.search(pattern, "a\\0b"), pattern
print("all")
`
const withoutPython = Bun.which('python3') ? '' : ' (skipped: there is no python3 here)'
test.skipIf(withoutPython !== '')(`Python's re takes every pattern${withoutPython}`, async () => {
  expect(await feed(['python3', '-c', python], JSON.stringify(patterns()))).toBe('all')
})

test('every cursor is a number of 64 bits, which Java and Go would make 32', () => {
  const { FeedMeta, LeadCreatedEvent } = published.components.schemas as Record<
    'FeedMeta' | 'LeadCreatedEvent',
    { properties: Record<string, Json> }
  >
  const after = document.paths['/events']?.get?.parameters.find(({ name }) => name === 'after')
  const cursors = [
    after?.schema,
    FeedMeta.properties.next_cursor,
    LeadCreatedEvent.properties.cursor,
  ]
  expect(cursors.map(schema => schema?.format)).toEqual(['int64', 'int64', 'int64'])
})
