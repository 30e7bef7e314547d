// Clients that people use: the SDK's two generations, and the Inspector's command line.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { tools } from '../../src/api/mcp/tools.ts'
import { demoTemplate } from '../support/database/demo.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService } from '../support/http/service.ts'
import { type Message, toolUrl } from '../support/http/tool_calls.ts'
import { useWorker } from '../support/process/worker.ts'
import { until } from '../support/until.ts'

const api = useService({}, demoTemplate)
useWorker(api)
const calls: [name: string, args: Message][] = []

beforeAll(async () => {
  await until(() => isSequenced(api.sql), 20_000)
  const one = async (statement: string) => (await api.sql.unsafe(statement))[0]?.value as string
  const lead_id = await one('select lead_id as value from lead_analyses order by 1 limit 1')
  calls.push(
    ['search_leads', { query: 'schmidt' }],
    ['get_lead', { lead_id }],
    ['get_lead_analysis', { lead_id }],
    ['list_appointments', { status: 'completed', limit: 200 }],
    [
      'get_meeting_intelligence',
      {
        meeting_id: await one(
          'select appointment_id as value from meeting_intelligence order by 1 limit 1',
        ),
      },
    ],
    ['list_kontakte', {}],
    [
      'get_haushalt',
      { key: await one('select kontakt_key as value from haushalte order by 1 limit 1') },
    ],
    ['list_events', { limit: 200 }],
  )
}, 60_000)

const identity = { name: 'test', version: '1' }
const withKey = () => ({ requestInit: { headers: { authorization: `Bearer ${api.key}` } } })

type AnyClient = { listTools(): Promise<Message>; callTool(call: Message): Promise<Message> }

/** Clients check structuredContent against outputSchema, once they have listed the tools. */
async function expectWorks(client: AnyClient) {
  const { tools: listed } = await client.listTools()
  expect(listed.map((tool: Message) => tool.name)).toEqual(tools.map(({ name }) => name))
  for (const [name, args] of calls) {
    const result = await client.callTool({ name, arguments: args })
    expect([name, result.isError ?? false]).toEqual([name, false])
    expect(result.structuredContent.api_version).toBe('v1')
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
  }
  const refused = await client.callTool({ name: 'get_lead', arguments: { lead_id: 'x' } })
  expect(refused.isError).toBe(true)
  expect(JSON.parse(refused.content[0].text).error.code).toBe('invalid_id')
}

test('the SDK of revision 2025-11-25 and before connects, lists and calls every tool', async () => {
  const client = new OlderClient(identity)
  await client.connect(new OlderTransport(new URL(toolUrl(api)), withKey()) as never)
  try {
    expect(client.getServerVersion()?.name).toBe('workspace-data-api')
    expect(client.getInstructions()).toContain('get_haushalt')
    await expectWorks(client as never)
  } finally {
    await client.close()
  }
})

test.each(['legacy', 'auto', { pin: '2026-07-28' }] as const)(
  'the SDK of revision 2026-07-28 does too, in its mode %p',
  async mode => {
    const client = new Client(identity, { versionNegotiation: { mode } } as never)
    await client.connect(new StreamableHTTPClientTransport(new URL(toolUrl(api)), withKey()))
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe(
        mode === 'legacy' ? '2025-11-25' : '2026-07-28',
      )
      await expectWorks(client as never)
    } finally {
      await client.close()
    }
  },
)

test.each([
  ['the older', OlderClient, OlderTransport],
  ['the newer', Client, StreamableHTTPClientTransport],
] as const)(
  '%s SDK without a key learns that it needs one',
  async (_which, AnyOfBoth, Transport) => {
    const client = new AnyOfBoth(identity)
    const connected = client.connect(new Transport(new URL(toolUrl(api))) as never)
    await expect(connected).rejects.toThrow(/401|missing_token|Unauthorized/i)
    await client.close()
  },
)

// No dependency: it brings a browser build with it, one part of which has a licence we do not take (MPL-2.0).
const inspector = process.env.MCP_INSPECTOR ?? ''
const isThere = existsSync(inspector)
if (!isThere)
  // biome-ignore lint/suspicious/noConsole: a test that is left out says so
  console.warn(
    'Skipped: the MCP Inspector. To run it: npm i @modelcontextprotocol/inspector@2.12.0 somewhere, and MCP_INSPECTOR=…/clients/launcher/build/index.js',
  )

let home = ''
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'wda_inspector_'))
})
afterAll(() => {
  rmSync(home, { recursive: true })
})

async function inspect(...options: string[]): Promise<Message> {
  const child = Bun.spawn(
    ['bun', inspector, '--cli', toolUrl(api), '--transport', 'http', ...options],
    { env: { PATH: process.env.PATH, HOME: home }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const text = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return JSON.parse(text)
}

test.skipIf(!isThere)(
  'the Inspector lists the tools and calls them',
  async () => {
    const header = ['--header', `Authorization: Bearer ${api.key}`]
    const { tools: listed } = await inspect(...header, '--method', 'tools/list')
    expect(listed.map((tool: Message) => tool.name)).toEqual(tools.map(({ name }) => name))
    for (const [name, args] of calls) {
      const pairs = Object.entries(args).map(([argument, value]) => `${argument}=${value}`)
      const named = pairs.length > 0 ? ['--tool-arg', ...pairs] : []
      const result = await inspect(
        ...header,
        '--method',
        'tools/call',
        '--tool-name',
        name,
        ...named,
      )
      expect([name, result.structuredContent.api_version]).toEqual([name, 'v1'])
    }
  },
  60_000,
)
