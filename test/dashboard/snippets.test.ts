// What the page "Anbinden" offers works as it is pasted.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { makeSigningSecret } from '../../src/model/signing_secret.ts'
import { signedHeaders, signingKeys } from '../../src/sending/signature.ts'
import { dashboardSettings, mainOf, signIn } from '../support/browser/dashboard.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { allowedTargets } from '../support/delivery/subscribing.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService({ ...dashboardSettings, ...allowedTargets })
const dir = makeDataDir('snippets')
afterAll(() => removeDataDir(dir))
let snippets: string[] = []

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

beforeAll(async () => {
  const session = await signIn(api)
  const pages = await Promise.all(
    ['crm', 'claude', 'cursor', 'code'].map(target =>
      session.get(`/dashboard/connect?for=${target}`),
    ),
  )
  const text = pages.map(page => page.text).join('\n')
  snippets = [...text.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(match =>
    (match[1] ?? '').replace(/&(#?\w+);/g, (_, name) => entities[name] ?? '?'),
  )
})

const snippet = (part: string): string => snippets.find(one => one.includes(part)) ?? ''

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

const secret = makeSigningSecret()

function signed(body: string, by = secret) {
  const timestamp = Math.floor(Date.now() / 1_000)
  const keys = signingKeys(by)
  return signedHeaders({ eventId: 'e', body, timestamp, primary: keys, live: [keys] })
}

describe.each([
  { language: 'TypeScript', part: 'createServer(async', file: 'receiver.ts', program: 'bun' },
  { language: 'Python', part: 'HTTPServer((', file: 'receiver.py', program: 'python3' },
])('the receiver in $language', ({ part, file, program }) => {
  test.skipIf(Bun.which(program) === null)(
    'takes what is signed and refuses the rest',
    async () => {
      const path = join(dir, file)
      writeFileSync(path, snippet(part))
      const PORT = String(await freePort())
      const child = Bun.spawn([program, path], {
        env: {
          PATH: process.env.PATH ?? '',
          HOME: process.env.HOME ?? '',
          PORT,
          WDA_SIGNING_SECRET: secret,
        },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const post = async (body: string, headers: Record<string, string>) =>
        (await fetch(`http://127.0.0.1:${PORT}/`, { method: 'POST', body, headers })).status
      const body = JSON.stringify({
        id: 'e',
        event_type: 'lead.created',
        data: { name: 'Jörg 🦊' },
      })
      try {
        await until(() => post(body, {}), 10_000)
        expect(await post(body, {})).toBe(401)
        expect(await post(body, signed(body))).toBe(204)
        expect(await post(`${body} `, signed(body))).toBe(401)
        expect(await post(body, signed(body, makeSigningSecret()))).toBe(401)
      } finally {
        child.kill()
        await child.exited
      }
      expect(await new Response(child.stdout).text()).toBe('lead.created e\n')
    },
  )
})

describe.skipIf(Bun.which('curl') === null)('the commands', () => {
  const run = async (command: string) => {
    const text = command.replaceAll('WDA_API_KEY', api.key)
    const child = Bun.spawn(['sh', '-c', text], { stdio: ['ignore', 'pipe', 'ignore'] })
    return await new Response(child.stdout).text()
  }

  test('read leads and events', async () => {
    const answers = (await run(snippet('/leads?limit=5'))).split('}{').length
    expect(answers).toBe(2)
    expect(await run(snippet('/hooks/sample'))).toContain('"lead.created"')
  })

  test('subscribe, and the answer shows the secret', async () => {
    const target = 'https://192.0.2.7/crm'
    const command = snippet('crm.example.com').replace('https://crm.example.com/workspace', target)
    const { data } = JSON.parse(await run(command))
    expect(data).toMatchObject({ target_url: target, label: 'CRM', source: 'api' })
    expect(data.signing_secret).toStartWith('whsec_')
  })
})

test('agents are sent to the tool server of this service', () => {
  const { origin } = new URL(api.service.url)
  expect(snippet('claude mcp add --scope user')).toContain(` ${origin}/mcp `)
  const { mcpServers } = JSON.parse(snippet('mcpServers'))
  expect(mcpServers.workspace.url).toBe(`${origin}/mcp`)
})

test('where the command for an assistant is run is said before it', async () => {
  const session = await signIn(api)
  const { text } = await session.get('/dashboard/connect?for=claude')
  expect(mainOf(text)).toMatch(/Kommandozeile .*„PowerShell“.* „Terminal“\. .* Befehl unten /)
  const { text: cursor } = await session.get('/dashboard/connect?for=cursor')
  expect(mainOf(cursor)).toContain('.cursor/mcp.json im Ordner Ihres Projekts')
})

test('the key for assistants has the right that the example question needs', async () => {
  const session = await signIn(api)
  const { text } = await session.get('/dashboard/connect?for=claude')
  // A search for leads needs a name: no tool lists new ones to a key that may not read events.
  expect(mainOf(text)).toContain('„Welche Termine stehen in den nächsten Tagen an?“')
  const keys = await session.get(/"(\/dashboard\/keys\?preset=assistant)/.exec(text)?.[1] ?? '')
  expect(keys.text).toMatch(/value="read:appointments" checked/)
})
