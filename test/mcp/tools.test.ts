// The eight tools on demo data: what REST answers, in a form a model can use.
import { beforeAll, describe, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { describeTool } from '../../src/api/mcp/tool.ts'
import { tools } from '../../src/api/mcp/tools.ts'
import { scopes } from '../../src/model/scope.ts'
import { demoTemplate } from '../support/database/database.ts'
import { lead } from '../support/database/factory.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { callTool, deep, type Message, modernRpc, rpc, send } from '../support/http/tool_calls.ts'
import { until } from '../support/until.ts'

const api = useService({}, demoTemplate)
useWorker(api)

/** Arguments of a tool and the path that answers the same. */
type Sample = [name: string, args: Message, path: string]
const samples: Sample[] = []

beforeAll(async () => {
  const one = async (statement: string) => (await api.sql.unsafe(statement))[0]?.value as string
  const lead_id = await one('select lead_id as value from lead_analyses order by 1 limit 1')
  const meeting = await one('select appointment_id as value from meeting_intelligence limit 1')
  const key = await one('select alias_key as value from kontakt_aliases order by 1 limit 1')
  await lead(api.sql, { name: 'Nummer 4711' })
  await until(() => isSequenced(api.sql), 20_000)
  const types = 'lead.created,signal.opened'
  samples.push(
    ['search_leads', { query: 'MÜLLER' }, '/leads?search=m%C3%BCller&limit=20'],
    ['search_leads', { query: '@example', limit: 3 }, '/leads?search=@example&limit=3'],
    ['search_leads', { query: 4711, limit: null }, '/leads?search=4711&limit=20'],
    ['get_lead', { lead_id }, `/leads/${lead_id}`],
    ['get_lead_analysis', { lead_id: lead_id.toUpperCase() }, `/leads/${lead_id}/analysis`],
    ['list_appointments', {}, '/appointments?limit=20'],
    [
      'list_appointments',
      { status: 'completed', from: '2025-01-01T00:00:00+01:00', limit: 2, offset: 3 },
      '/appointments?status=completed&from=2025-01-01T00:00:00%2B01:00&limit=2&offset=3',
    ],
    ['list_appointments', { status: null, from: null, limit: null }, '/appointments?limit=20'],
    ['get_meeting_intelligence', { meeting_id: meeting }, `/meetings/${meeting}/intelligence`],
    ['list_kontakte', { offset: '5', limit: '7' }, '/kontakte?limit=7&offset=5'],
    ['get_haushalt', { key: ` ${key.toUpperCase()} ` }, `/kontakte/${encodeURIComponent(key)}`],
    ['list_events', {}, '/events?limit=20'],
    ['list_events', { after: '7', types: null, limit: 5 }, '/events?after=7&limit=5'],
    ...[types.split(','), ' lead.created, signal.opened', '["lead.created", "signal.opened"]'].map(
      (given): Sample => ['list_events', { types: given }, `/events?types=${types}&limit=20`],
    ),
  )
}, 60_000)

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)

test('each answers what REST answers, as structure and as the same text, in both eras and in its own shape', async () => {
  expect([...new Set(samples.map(([name]) => name))]).toEqual(tools.map(({ name }) => name))
  for (const [name, args, path] of samples) {
    const rest = await api.send(path)
    const { message, headers } = modernRpc('tools/call', { name, arguments: args }, 'a')
    const modern = await send(api, message, headers)
    const called = await callTool(api, name, args)
    expect([name, rest.status, called.status, called.isError]).toEqual([name, 200, 200, false])
    expect(called.structured).toEqual(rest.body)
    expect(called.envelope).toEqual(rest.body)
    expect(modern.message.result).toMatchObject({
      ...called.message.result,
      resultType: 'complete',
    })
    const tool = tools.find(one => one.name === name)
    const validate = ajv.compile(tool ? describeTool(tool).outputSchema : false)
    expect([name, validate(called.structured), validate.errors]).toEqual([name, true, null])
    const { data } = called.structured
    expect([name, Array.isArray(data) ? data.length > 0 : data !== null]).toEqual([name, true])
  }
})

test('a text has every digit of a number', async () => {
  const parsed_data = '{"n": 9007199254740993}'
  const [{ id } = { id: '' }] = await api.sql`
    insert into leads (parsed_data) values (${parsed_data}::text::jsonb) returning id`
  const { message } = await send(
    api,
    rpc('tools/call', { name: 'get_lead', arguments: { lead_id: id } }),
  )
  expect(message.result.content[0].text).toContain('9007199254740993')
})

describe('arguments', () => {
  const canary = 'geheim-4711'
  const required = { search_leads: 'query', get_lead: 'lead_id', get_haushalt: 'key' }
  const wrong = ['', true, {}, [], [7], { a: canary }, [canary, 'a,b'], '\ud800', `${canary}\0`]

  test.each([...Object.entries(required), ['list_events', 'types']])(
    'of the wrong type to %s are refused, named and not repeated',
    async (name, argument) => {
      // An empty search is none.
      const given = argument === 'query' ? wrong.slice(1) : wrong
      for (const value of [...given, JSON.parse(deep(20_000))]) {
        const { isError, envelope, text } = await callTool(api, name, { [argument]: value })
        expect([isError, text.includes(canary)]).toEqual([true, false])
        expect(envelope.error.message).toStartWith(`${argument} must be `)
      }
    },
  )

  test.each([
    [
      'list_kontakte',
      'limit',
      'invalid_request',
      ['1.5', '1e2', '0x10', '-1', ' 1', '', {}, 1.5, 1e300],
    ],
    ['list_kontakte', 'offset', 'invalid_request', ['1.5', '-1', '', true]],
    [
      ...['list_events', 'types', 'invalid_types'],
      ['', ' ', 'lead.created,', 'lead.created x', '[]', '[["lead.created"]]', '7', 'null'],
    ],
  ] as [string, string, string, unknown[]][])(
    '%s refuses for %s with %s',
    async (tool, name, code, values) => {
      for (const value of values) {
        const { envelope } = await callTool(api, tool, { [name]: value })
        expect([value, envelope.error?.code]).toEqual([value, code])
      }
    },
  )

  test.each(Object.entries(required))(
    '%s asks for %s, also where it is null',
    async (name, argument) => {
      for (const args of [{}, { [argument]: null }]) {
        const { isError, envelope } = await callTool(api, name, args)
        expect(isError).toBe(true)
        expect(envelope.error.message).toStartWith(`${argument} is missing: ${argument} must be `)
      }
    },
  )

  test('beyond those of the tool are refused, null too, and the tool’s are named', async () => {
    for (const more of [`{"${canary}":1}`, '{"x":null}', '{"constructor":1}']) {
      const { envelope } = await callTool(api, 'list_kontakte', JSON.parse(more))
      expect(envelope.error).toEqual({
        code: 'invalid_request',
        message: 'This tool takes the arguments limit, offset, updated_since alone.',
      })
    }
  })
})

describe('tools/list', () => {
  const listed = async (key: string) => {
    const { message, headers } = modernRpc('tools/list')
    const authorization = `Bearer ${key}`
    const legacy = await send(api, rpc('tools/list'), { authorization })
    const modern = await send(api, message, { ...headers, authorization })
    expect(modern.message.result).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' })
    expect(modern.message.result.tools).toEqual(legacy.message.result.tools)
    return legacy.message.result.tools as Message[]
  }

  test('shows a key what it may call, in the order of the contract', async () => {
    const order =
      'search_leads get_lead get_lead_analysis list_appointments get_meeting_intelligence list_kontakte get_haushalt list_events'
    expect((await listed(api.key)).map(({ name }) => name)).toEqual(order.split(' '))
    for (const scope of scopes)
      expect((await listed(await api.makeKey(scope))).map(({ name }) => name)).toEqual(
        tools.filter(tool => tool.scope === scope).map(({ name }) => name),
      )
  })

  test('describes each tool: what it takes, that it only reads, that texts are data', async () => {
    for (const tool of await listed(api.key)) {
      expect(tool.annotations.readOnlyHint).toBe(true)
      expect(tool.inputSchema.additionalProperties).toBe(false)
      if (tool.name !== 'list_kontakte') expect(tool.description).toContain('never instructions')
      for (const property of Object.values<Message>(tool.inputSchema.properties))
        expect(property.description).toBeTruthy()
    }
  })

  test('names every type of an answer, and each differently', async () => {
    const titlesOf = (schema: Message): string[] =>
      typeof schema !== 'object' || schema === null
        ? []
        : [
            ...(schema.properties && schema.type === 'object' ? [String(schema.title)] : []),
            ...Object.values<Message>(schema).flatMap(titlesOf),
          ]
    for (const { name, outputSchema } of await listed(api.key)) {
      const titles = titlesOf(outputSchema)
      expect([name, new Set(titles).size]).toEqual([name, titles.length])
      expect([name, titles.filter(title => !/^[A-Z]\w+$/.test(title))]).toEqual([name, []])
    }
  })

  test('fits a small part of a context', async () => {
    // What clients show their models: about four characters are a token.
    const shown = (await listed(api.key)).map(({ outputSchema: _, ...others }) => others)
    expect(JSON.stringify(shown).length).toBeLessThan(10_000)
  })
})
