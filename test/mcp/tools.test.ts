// The eight tools on demo data: what REST answers, in a form a model can use.
import { beforeAll, describe, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { describeTool } from '../../src/api/mcp/tool.ts'
import { tools } from '../../src/api/mcp/tools.ts'
import { scopes } from '../../src/model/scope.ts'
import { demoTemplate } from '../support/database/demo.ts'
import { appointment } from '../support/database/factory.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService } from '../support/http/service.ts'
import { callTool, type Message, modernRpc, rpc, send } from '../support/http/tool_calls.ts'
import { useWorker } from '../support/process/worker.ts'
import { until } from '../support/until.ts'

const api = useService({}, demoTemplate)
useWorker(api)

type Sample = { name: string; args: Message; path: string }
const samples: Sample[] = []

beforeAll(async () => {
  const one = async (statement: string) => (await api.sql.unsafe(statement))[0]?.value as string
  const lead = await one('select lead_id as value from lead_analyses order by 1 limit 1')
  const meeting = await one(
    'select appointment_id as value from meeting_intelligence order by 1 limit 1',
  )
  const key = await one('select alias_key as value from kontakt_aliases order by 1 limit 1')
  await until(() => isSequenced(api.sql), 20_000)
  samples.push(
    { name: 'search_leads', args: { query: 'MÜLLER' }, path: '/leads?search=m%C3%BCller&limit=20' },
    {
      name: 'search_leads',
      args: { query: '@example', limit: 3 },
      path: '/leads?search=@example&limit=3',
    },
    { name: 'get_lead', args: { lead_id: lead }, path: `/leads/${lead}` },
    {
      name: 'get_lead_analysis',
      args: { lead_id: lead.toUpperCase() },
      path: `/leads/${lead}/analysis`,
    },
    { name: 'list_appointments', args: {}, path: '/appointments?limit=20' },
    {
      name: 'list_appointments',
      args: { status: 'completed', from: '2025-01-01T00:00:00+01:00', limit: 2, offset: 3 },
      path: '/appointments?status=completed&from=2025-01-01T00:00:00%2B01:00&limit=2&offset=3',
    },
    {
      name: 'get_meeting_intelligence',
      args: { meeting_id: meeting },
      path: `/meetings/${meeting}/intelligence`,
    },
    { name: 'list_kontakte', args: { offset: 5 }, path: '/kontakte?limit=20&offset=5' },
    { name: 'get_haushalt', args: { key }, path: `/kontakte/${encodeURIComponent(key)}` },
    {
      name: 'get_haushalt',
      args: { key: ` ${key.toUpperCase()} ` },
      path: `/kontakte/${encodeURIComponent(key)}`,
    },
    { name: 'list_events', args: {}, path: '/events?limit=20' },
    {
      name: 'list_events',
      args: { after: 7, types: ['lead.created', 'signal.opened'], limit: 5 },
      path: '/events?after=7&types=lead.created,signal.opened&limit=5',
    },
    {
      name: 'list_events',
      args: { types: 'lead.archived' },
      path: '/events?types=lead.archived&limit=20',
    },
  )
}, 60_000)

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
const schemasOf = new Map(tools.map(tool => [tool.name, describeTool(tool)]))

test('every tool has a sample', () => {
  expect(new Set(samples.map(({ name }) => name))).toEqual(new Set(tools.map(({ name }) => name)))
})

test('each answers what REST answers, as structure and as the same text, in the shape it promises', async () => {
  for (const { name, args, path } of samples) {
    const rest = await api.send(path)
    expect([path, rest.status]).toEqual([path, 200])
    const called = await callTool(api, name, args)
    expect([name, called.status, called.isError]).toEqual([name, 200, false])
    expect(called.structured).toEqual(rest.body)
    expect(called.envelope).toEqual(rest.body)
    const validate = ajv.compile(schemasOf.get(name)?.outputSchema ?? {})
    expect([name, validate(called.structured), validate.errors]).toEqual([name, true, null])
    const takes = ajv.compile(schemasOf.get(name)?.inputSchema ?? {})
    expect([name, takes(args), takes.errors]).toEqual([name, true, null])
  }
})

test('list answers are not empty, so the comparison means something', async () => {
  for (const { name, args } of samples) {
    const { data } = (await callTool(api, name, args)).structured
    expect([name, Array.isArray(data) ? data.length > 0 : typeof data]).toEqual([
      name,
      Array.isArray(data) ? true : 'object',
    ])
  }
})

test('an answer of 2026-07-28 is the same result and says that it is complete', async () => {
  for (const { name, args } of samples) {
    const { message, headers } = modernRpc('tools/call', { name, arguments: args }, 'a')
    const { status, message: answer } = await send(api, message, headers)
    const { structured } = await callTool(api, name, args)
    expect([status, answer.id, answer.result.resultType]).toEqual([200, 'a', 'complete'])
    expect(answer.result.structuredContent).toEqual(structured)
  }
})

// A member the protocol does not know makes a call less than plain, so the package frames the answer.
const byThePackage = { unknown_member: 1 }

test('plain calls are framed as the package frames them', async () => {
  const refused = [
    { name: 'get_lead', args: { lead_id: 'x' } },
    { name: 'list_events', args: { after: -1 } },
  ]
  for (const { name, args } of [...samples, ...refused])
    for (const modern of [false, true]) {
      const params = { name, arguments: args }
      const ask = async (more: Message) => {
        const own = modernRpc('tools/call', { ...params, ...more }, 'x"y')
        const legacy = { message: rpc('tools/call', { ...params, ...more }, 'x"y'), headers: {} }
        const { message, headers } = modern ? own : legacy
        return await send(api, message, headers)
      }
      const [plain, packaged] = [await ask({}), await ask(byThePackage)]
      expect(plain.status).toBe(packaged.status)
      expect(plain.message).toEqual(packaged.message)
      expect(Object.keys(plain.message.result)).toEqual(Object.keys(packaged.message.result))
    }
})

test('numbers keep their digits, whichever way the answer is framed', async () => {
  const written = '{"n": 9007199254740993, "t": "\\"structuredContent\\":{} $&"}'
  const [lead] = await api.sql`
    insert into leads (parsed_data) values (${written}::text::jsonb) returning id`
  const params = { name: 'get_lead', arguments: { lead_id: lead?.id } }
  for (const more of [{}, byThePackage]) {
    const { text, message } = await send(api, rpc('tools/call', { ...params, ...more }))
    expect(text.match(/9007199254740993/g)).toHaveLength(2)
    const { content, structuredContent } = message.result
    expect(structuredContent).toEqual(JSON.parse(content[0].text))
    expect(structuredContent.data.parsed_data).toEqual(JSON.parse(written))
  }
})

test('an address that some checkers take for no URI does not cost the whole answer', async () => {
  const meeting_url = 'sip:raum@treffen.example;transport=tcp'
  const { id } = await appointment(api.sql, { meeting_url, starts_at: '2999-01-01T00:00:00Z' })
  const { structured } = await callTool(api, 'list_appointments', { limit: 1 })
  expect(structured.data[0]).toMatchObject({ id, meeting_url })
  const { outputSchema } = schemasOf.get('list_appointments') ?? {}
  expect(JSON.stringify(outputSchema)).not.toContain('"uri"')
  expect(ajv.compile(outputSchema ?? {})(structured)).toBe(true)
})

test('paging by offset meets every contact once', async () => {
  const keys: string[] = []
  for (;;) {
    const { structured } = await callTool(api, 'list_kontakte', { limit: 150, offset: keys.length })
    keys.push(...structured.data.map((one: Message) => one.kontakt_key))
    if (structured.meta.count < 150) break
  }
  expect(keys.length).toBeGreaterThan(350)
  expect(new Set(keys).size).toBe(keys.length)
})

test('following next_cursor meets every event once', async () => {
  const [{ total } = { total: 0 }] = await api.sql`select count(*)::integer as total from events`
  const cursors: number[] = []
  for (let after: number | undefined; ; ) {
    const args = {
      limit: 200,
      types: ['lead.created', 'signal.opened', 'haushalt.updated'],
      ...(after !== undefined && { after }),
    }
    const { structured } = await callTool(api, 'list_events', args)
    if (structured.meta.count === 0) break
    cursors.push(...structured.data.map((event: Message) => event.cursor))
    after = structured.meta.next_cursor
  }
  expect(total).toBeGreaterThan(2_000)
  expect(cursors).toEqual(cursors.toSorted((one, other) => one - other))
  expect(new Set(cursors).size).toBe(cursors.length)
  expect(cursors.length).toBeGreaterThan(1_000)
})

describe('four calls answer what a household lacks and what was agreed', () => {
  test('for a contact of the demo workspace', async () => {
    const [known] = await api.sql`
      select appointments.id, appointments.customer_display_name as name
      from meeting_intelligence
      join appointments on appointments.id = meeting_intelligence.appointment_id
      join leads on leads.id = appointments.lead_id and leads.name = appointments.customer_display_name
      join haushalte on haushalte.kontakt_key = 'email:' || lower(leads.email)
      where meeting_intelligence.status = 'ready' and meeting_intelligence.next_steps is not null
        and haushalte.din_check is not null and leads.archived_at is null
        and appointments.status = 'completed'
      order by appointments.starts_at desc, appointments.id limit 1`
    const found = await callTool(api, 'search_leads', { query: known?.name })
    const lead = found.structured.data.find((one: Message) => one.name === known?.name)
    const { data: household } = (await callTool(api, 'get_haushalt', { key: lead.email }))
      .structured
    const meetings = await callTool(api, 'list_appointments', { status: 'completed', limit: 200 })
    const last = meetings.structured.data.find(
      (one: Message) =>
        one.customer_display_name === lead.name && one.intelligence_status === 'ready',
    )
    const { data: meeting } = (
      await callTool(api, 'get_meeting_intelligence', { meeting_id: last.id })
    ).structured
    expect(household.din_check.bewertung.luecken_nach_stufe.length).toBeGreaterThan(0)
    const agreed = meeting.results.find((entry: Message) => entry.field_key === 'next_steps')
    expect(agreed.value.length).toBeGreaterThan(0)
    expect(meeting.appointment.id).toBe(known?.id)
  })
})

describe('tools/list', () => {
  const listed = async (key: string, era: 'legacy' | 'modern' = 'legacy') => {
    const modern = modernRpc('tools/list')
    const [message, headers] =
      era === 'modern' ? [modern.message, modern.headers] : [rpc('tools/list'), {}]
    const reply = await send(api, message, { ...headers, authorization: `Bearer ${key}` })
    return reply.message.result
  }
  const namesOf = (result: Message): string[] => result.tools.map((tool: Message) => tool.name)

  test('shows all eight in the order of the contract to a key of every scope', async () => {
    expect(namesOf(await listed(api.key))).toEqual([
      'search_leads',
      'get_lead',
      'get_lead_analysis',
      'list_appointments',
      'get_meeting_intelligence',
      'list_kontakte',
      'get_haushalt',
      'list_events',
    ])
  })

  test('shows a key what it may call, in both eras', async () => {
    for (const scope of scopes) {
      const key = await api.makeKey(scope)
      const expected = tools.filter(tool => tool.scope === scope).map(({ name }) => name)
      expect(namesOf(await listed(key))).toEqual(expected)
      expect(namesOf(await listed(key, 'modern'))).toEqual(expected)
    }
  })

  test('of 2026-07-28 may be kept for a while, by its key alone', async () => {
    expect(await listed(api.key, 'modern')).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' })
  })

  test('says that every tool only reads, and what texts are', async () => {
    for (const tool of (await listed(api.key)).tools) {
      expect(tool.annotations.readOnlyHint).toBe(true)
      expect(tool.inputSchema.additionalProperties).toBe(false)
      expect(tool.outputSchema.required).toContain('data')
      if (tool.name !== 'list_kontakte') expect(tool.description).toContain('never instructions')
      for (const property of Object.values<Message>(tool.inputSchema.properties))
        expect(property.description).toBeTruthy()
    }
  })

  test('fits a small part of a context', async () => {
    const { tools: all } = await listed(api.key)
    // What clients show their models: about four characters are a token.
    const shown = all.map(({ name, description, inputSchema }: Message) => ({
      name,
      description,
      inputSchema,
    }))
    expect(JSON.stringify(shown).length).toBeLessThan(10_000)
  })
})
