// What README and guides show, as it stands there: requests with curl, commands, quick starts, receivers.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commands } from '../../src/cli/commands.ts'
import { makeSigningSecret } from '../../src/model/signing_secret.ts'
import { signedHeaders, signingKeys } from '../../src/sending/signature.ts'
import { filesIn, pages, read, root } from '../repo/sources.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { allowedTargets, subscribe, useService, useWorker } from '../support/http/service.ts'
import { goEnvironment } from '../support/process/program.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(180_000)

const api = useService(allowedTargets)
useWorker(api)
const dir = makeDataDir('guides')
afterAll(() => removeDataDir(dir))
const rows = 450

beforeAll(async () => {
  mkdirSync(join(dir, '.data'))
  writeFileSync(join(dir, '.data/demo_key'), api.key)
  // As after the first month: the oldest event has expired.
  await api.sql`insert into signals (kind, title, score) values ('x', 'x', 1)`
  await until(() => isSequenced(api.sql), 20_000)
  await api.sql`update feed set horizon = (select head from feed_state)`
  await api.sql`insert into leads (name) select 'Lead ' || n from generate_series(1, ${rows}) as n`
  await until(() => isSequenced(api.sql), 20_000)
})

const has = (program: string) => program === 'bun' || Bun.which(program) !== null

async function outputOf(command: string[], env: Record<string, string>, stdin?: Blob) {
  const child = Bun.spawn(command, { cwd: dir, env, stdin: stdin ?? 'ignore', stderr: 'inherit' })
  return await new Response(child.stdout).text()
}

/** In front of the service: refuses the third request as the limit does, and lets the others through. */
function openLimited() {
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch({ url, headers }) {
      const { pathname, search } = new URL(url)
      // A service on Deno refuses a request that asks for another protocol.
      asked.push(`${pathname}${headers.get('upgrade') ?? ''}`)
      if (asked.length === 3)
        return Response.json(
          { api_version: 'v1', error: { code: 'rate_limited', message: 'Try again in 1 s.' } },
          { status: 429, headers: { 'retry-after': '1' } },
        )
      const reply = await api.send(pathname.replace('/api/v1', '') + search, {
        headers: { authorization: headers.get('authorization') ?? '' },
      })
      const feedHead = reply.headers.get('x-feed-head')
      const answered = feedHead === null ? {} : { 'x-feed-head': feedHead }
      return new Response(reply.text, { status: reply.status, headers: answered })
    },
  })
  return { asked, base: `http://127.0.0.1:${server.port}/api/v1`, stop: () => server.stop(true) }
}

// Java without the compiler that pays off after seconds.
const quick = ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']
const languages: [fence: string, file: string, run: string[]][] = [
  ['ts', 'main.ts', ['bun']],
  ['python', 'main.py', ['python3']],
  ['go', 'main.go', ['go', 'run']],
  ['java', 'Quickstart.java', quick],
]

test.each(languages.filter(([, , [program = '']]) => has(program)))(
  'the quick start in %s lists, pages, waits at the limit and follows the feed',
  async (fence, file, command) => {
    const guide = read('docs/guides/quick_starts.md')
    const [, text = ''] = new RegExp(`\`\`\`${fence}\\n([\\s\\S]*?)\`\`\``).exec(guide) ?? []
    const path = join(dir, fence, file)
    mkdirSync(dirname(path))
    writeFileSync(path, text)
    const limited = openLimited()
    const out = await outputOf([...command, path, limited.base, api.key], goEnvironment)
    expect(out.trim()).toBe(`${rows} leads, ${rows} events, go on after ${rows + 1}`)
    limited.stop()
    // Three pages of each, and the third request twice.
    expect(limited.asked).toEqual([
      ...Array(4).fill('/api/v1/leads'),
      ...Array(3).fill('/api/v1/events'),
    ])
  },
)

const examples = [{ path: 'README.md', text: read('README.md') }, ...filesIn('docs/guides', '.md')]
  .flatMap(({ path, text }) =>
    [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script = '']) => ({ path, script })),
  )
  .filter(({ script }) => /^curl /m.test(script))

// A stream goes on until the time is over; its status came before.
const curl = `curl() { command curl --silent --max-time 3 --output /dev/null --write-out '%{http_code}\\n' "$@"; }`

test.skipIf(!has('curl')).each(examples)(
  'every request of $path is answered',
  async ({ script }) => {
    const { url } = api.service
    const { body } = await subscribe(api)
    const command = `${curl}\n${script.replaceAll('http://127.0.0.1:3000', url)}`
    const given = { BASE: api.base, KEY: api.key, HOOK_ID: body.data.id, CURSOR: String(rows) }
    const out = await outputOf(['bash', '-c', command], { PATH: process.env.PATH ?? '', ...given })
    const statuses = out.trim().split('\n')
    expect(statuses).toHaveLength(script.match(/^curl /gm)?.length ?? 0)
    expect(statuses.filter(status => !['200', '201', '204'].includes(status))).toEqual([])
  },
)

test('the row that the README makes is an event', async () => {
  const [, statement = ''] = /^psql .* -c "(.+)"$/m.exec(read('README.md')) ?? []
  await api.sql.unsafe(statement)
  const events = await api.sql`select event_type from events where data ->> 'name' = 'Erika Muster'`
  expect(events.map(({ event_type }) => event_type)).toEqual(['lead.created'])
})

test('every command that a page shows is one of the program, with its options', () => {
  const shown = pages.flatMap(({ text }) =>
    [...text.matchAll(/bun src\/main\.ts ([a-z][^`#\n|]*)/g)].map(([, line = '']) => line.trim()),
  )
  const isKnown = (line: string) =>
    commands.some(command => {
      const [words = ''] = /^[a-z]+( [a-z]+)*/.exec(command.line) ?? []
      const options = line.match(/--[a-z-]+/g) ?? []
      return `${line} `.startsWith(`${words} `) && options.every(one => command.line.includes(one))
    })
  expect(shown.length).toBeGreaterThan(20)
  expect(shown.filter(line => !isKnown(line))).toEqual([])
})

const folder = 'docs/guides/receivers'
const secret = makeSigningSecret()
const text = '{"id":"1","event_type":"lead.created","data":{"name":"Jörg 🦊","leer":" "}}'

type Sent = { secret: string; headers: Record<string, string>; body: string }

function sent(ageSeconds = 0, signed = secret, changed: Partial<Sent> = {}): Sent {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
  const keys = signingKeys(signed)
  const headers = signedHeaders({
    eventId: 'x',
    body: text,
    timestamp,
    primary: keys,
    live: [keys],
  })
  return { secret, headers, body: text, ...changed }
}

const signature = sent().headers['X-Service-Signature'] ?? ''
const signedAs = (given: string) =>
  sent(0, secret, { headers: { ...sent().headers, 'X-Service-Signature': given } })

const deliveries: [Sent, genuine: boolean][] = [
  [sent(), true],
  [sent(200), true],
  [sent(-280), true],
  [sent(301), false],
  [sent(-400), false],
  [sent(0, secret, { body: text.replace('Jörg', 'Jorg') }), false],
  [sent(0, makeSigningSecret()), false],
  [sent(0, secret, { headers: {} }), false],
  [signedAs(signature.replace('v1=', 'v2=')), false],
  [signedAs(signature.slice(0, -1)), false],
  [signedAs(''), false],
]

/** Runs a program that reads all deliveries as JSON and prints which are genuine. */
async function ask(command: string[], program: string): Promise<boolean[]> {
  writeFileSync(join(dir, command.at(-1) ?? ''), program)
  const all = new Blob([JSON.stringify(deliveries.map(([one]) => one))])
  return JSON.parse(await outputOf(command, goEnvironment, all))
}

/** serve.ts, which uses verify.ts: 204 for a genuine delivery. It has one secret. */
async function askServer(): Promise<boolean[]> {
  const child = Bun.spawn(['bun', join(root, folder, 'serve.ts'), secret, '0'])
  const { value = new Uint8Array() } = await child.stdout.getReader().read()
  const url = /http\S+/.exec(new TextDecoder().decode(value))?.[0] ?? ''
  const post = ({ headers, body }: Sent) => fetch(url, { method: 'POST', headers, body })
  const answers = await Promise.all(deliveries.map(([one]) => post(one)))
  child.kill()
  await child.exited
  return answers.map(({ status }) => status === 204)
}

const python = `${read(`${folder}/verify.py`)}
import json, sys
deliveries = json.load(sys.stdin)
print(json.dumps([is_genuine(one["secret"], one["headers"], one["body"].encode()) for one in deliveries]))`

const go = `${read(`${folder}/verify.go`).replace('package webhooks', 'package main').replace('(', '("encoding/json"; "os";')}
func main() {
	var all []struct { Secret, Body string; Headers map[string]string }
	json.NewDecoder(os.Stdin).Decode(&all)
	answers := []bool{}
	for _, one := range all {
		timestamp, signature := one.Headers["X-Service-Timestamp"], one.Headers["X-Service-Signature"]
		answers = append(answers, IsGenuine(one.Secret, timestamp, signature, []byte(one.Body)))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}`

test.each(
  (
    [
      ['bun', askServer],
      ['python3', () => ask(['python3', 'verify.py'], python)],
      ['go', () => ask(['go', 'run', 'verify.go'], go)],
    ] as const
  ).filter(([program]) => has(program)),
)('the receiver for %s takes deliveries and refuses all else', async (_program, verify) => {
  expect(await verify()).toEqual(deliveries.map(([, genuine]) => genuine))
})
