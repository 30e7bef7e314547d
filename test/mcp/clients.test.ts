// The SDK's two generations as clients, and the protocol's conformance suite.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { tools } from '../../src/api/mcp/tools.ts'
import { demoTemplate } from '../support/database/database.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { type Message, toolUrl } from '../support/http/tool_calls.ts'
import { isNightly } from '../support/nightly.ts'
import { until } from '../support/until.ts'

const api = useService({}, demoTemplate)
useWorker(api)
let calls: [name: string, args: Message][] = []

beforeAll(async () => {
  await until(() => isSequenced(api.sql), 20_000)
  const [row] = await api.sql`
    select (select lead_id from lead_analyses limit 1) as lead_id,
           (select appointment_id from meeting_intelligence limit 1) as meeting_id,
           (select kontakt_key from haushalte limit 1) as key`
  const { lead_id, meeting_id, key } = row as Message
  calls = [
    ['search_leads', { query: 'schmidt' }],
    ['get_lead', { lead_id }],
    ['get_lead_analysis', { lead_id }],
    ['list_appointments', { status: 'completed', limit: 200 }],
    ['get_meeting_intelligence', { meeting_id }],
    ['list_kontakte', {}],
    ['get_haushalt', { key }],
    ['list_events', { limit: 200 }],
  ]
}, 60_000)

const identity = { name: 'test', version: '1' }
const sent = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } })

/** Connected, or as the test of a refusal wants it. */
async function useClient(mode: unknown, key: string, work: (client: Message) => Promise<void>) {
  const url = new URL(toolUrl(api))
  const client: Message =
    mode === 'older'
      ? new OlderClient(identity)
      : new Client(identity, { versionNegotiation: { mode } } as never)
  const Transport = mode === 'older' ? OlderTransport : StreamableHTTPClientTransport
  try {
    await client.connect(new Transport(url, sent(key)))
    await work(client)
  } finally {
    await client.close()
  }
}

const modes = ['older', 'legacy', 'auto', { pin: '2026-07-28' }]

/** Clients check structuredContent against outputSchema, once they have listed the tools. */
test.each(modes)('the SDK in its mode %p lists and calls every tool', async mode => {
  await useClient(mode, api.key, async client => {
    expect(client.getServerVersion()?.name).toBe('workspace-data-api')
    expect(client.getInstructions()).toContain('get_haushalt')
    const { tools: listed } = await client.listTools()
    expect(listed.map(({ name }: Message) => name)).toEqual(tools.map(({ name }) => name))
    for (const [name, args] of calls) {
      const result = await client.callTool({ name, arguments: args })
      expect([name, result.isError ?? false]).toEqual([name, false])
      expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
    }
    const refused = await client.callTool({ name: 'get_lead', arguments: { lead_id: 'x' } })
    expect(JSON.parse(refused.content[0].text).error.code).toBe('invalid_id')
  })
})

test.each(modes)('the SDK in its mode %p shows what is wrong with a key', async mode => {
  const connected = useClient(mode, 'wda_unknown', async () => {})
  await expect(connected).rejects.toThrow(/401|unknown, expired or revoked|Unauthorized/i)
})

// The suite sends no key.
let proxy: ReturnType<typeof Bun.serve> | undefined
const results = mkdtempSync(join(tmpdir(), 'wda_conformance_'))
beforeAll(() => {
  proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${api.key}`)
      headers.set('accept-encoding', 'identity')
      const body = request.body && (await request.arrayBuffer())
      return await fetch(toolUrl(api), { method: request.method, headers, body })
    },
  })
})
afterAll(async () => {
  await proxy?.stop(true)
  rmSync(results, { recursive: true })
})

const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'

/** The scenarios for a server that has tools alone, of them those of the night, and the checks that need a tool of the suite's own. */
test.each([
  ['2025-11-25', ['server-initialize'], ['ping', 'tools-list', 'dns-rebinding-protection'], []],
  [
    '2026-07-28',
    ['http-header-validation', 'server-stateless'],
    ['tools-list', 'dns-rebinding-protection'],
    [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
    ],
  ],
] as [string, string[], string[], string[]][])(
  'conformance to revision %s',
  async (revision, daily, nightly, expected) => {
    const run = async (scenario: string) => {
      const folder = join(results, revision, scenario)
      const url = `http://localhost:${proxy?.port}/mcp`
      const options = ['--url', url, '--spec-version', revision, '--scenario', scenario]
      const child = Bun.spawn(['bun', suite, 'server', ...options, '-o', folder], {
        stdio: ['ignore', 'ignore', 'ignore'],
      })
      await child.exited
      const [name = ''] = readdirSync(folder)
      const checks: Message[] = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'))
      expect([scenario, checks.length > 0]).toEqual([scenario, true])
      return checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id)
    }
    const scenarios = [...daily, ...(isNightly ? nightly : [])]
    const failed = (await Promise.all(scenarios.map(run))).flat()
    expect(failed).toEqual(expected)
  },
  60_000,
)
