// The receivers of docs/guides/receivers verify what is really sent, and nothing else.
import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSigningSecret } from '../../src/model/signing_secret.ts'
import { signedHeaders, signingKeys } from '../../src/sending/signature.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { goEnvironment } from '../support/process/go.ts'
import { makeCertificates } from '../support/receiver/certificates.ts'
import { until } from '../support/until.ts'
import { filesIn, read, root } from './sources.ts'

const dir = makeDataDir('snippets')
afterAll(() => removeDataDir(dir))

const folder = 'docs/guides/receivers'
const receiver = (name: string): string => read(`${folder}/${name}`)

type Sent = { secret: string; headers: Record<string, string>; body: string }
/** What a receiver says of each. */
type Verify = (all: Sent[]) => boolean[] | Promise<boolean[]>
/** Makes the receiver of a language, which may take longer than a delivery is fresh. */
type Prepare = () => Promise<Verify>

const secret = makeSigningSecret()
const body = '{"id":"1","event_type":"lead.created","data":{"name":"Jörg 🦊","leer":" "}}'

function sent(ageSeconds = 0): Sent {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
  const keys = signingKeys(secret)
  const signing = { eventId: 'x', body, timestamp, primary: keys, live: [keys] }
  return { secret, headers: signedHeaders(signing), body }
}

const place = (name: string, text: string): string => {
  const file = join(dir, name)
  writeFileSync(file, text)
  return file
}

/** Runs a program that reads what was sent as JSON and prints what it says of it as JSON. */
async function ask(command: string[], all: Sent[]): Promise<boolean[]> {
  const child = Bun.spawn(command, {
    cwd: dir,
    stdin: new Blob([JSON.stringify(all)]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return JSON.parse(await new Response(child.stdout).text())
}

const inTypeScript: Prepare = async () => {
  const { isGenuine } = await import(join(root, folder, 'verify.ts'))
  return all =>
    all.map(({ secret, headers, body }) =>
      isGenuine(secret, new Headers(headers), new TextEncoder().encode(body)),
    )
}

const pythonRunner = `
import json, sys

def verify(one):
    spellings = [one["headers"], {name.lower(): value for name, value in one["headers"].items()}]
    answers = {is_genuine(one["secret"], headers, one["body"].encode()) for headers in spellings}
    return answers.pop() if len(answers) == 1 else None

print(json.dumps([verify(one) for one in json.load(sys.stdin)]))
`

const inPython: Prepare = async () => {
  const file = place('receiver.py', receiver('verify.py') + pythonRunner)
  return all => ask(['python3', file], all)
}

const goRunner = `package main

import (
	"encoding/json"
	"os"
)

func main() {
	var all []struct {
		Secret, Body string
		Headers      map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil {
		panic(err)
	}
	answers := []bool{}
	for _, one := range all {
		timestamp, signature := one.Headers["X-Service-Timestamp"], one.Headers["X-Service-Signature"]
		answers = append(answers, IsGenuine(one.Secret, timestamp, signature, []byte(one.Body)))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
`

const inGo: Prepare = async () => {
  place('receiver.go', receiver('verify.go').replace('package webhooks', 'package main'))
  place('runner.go', goRunner)
  const build = Bun.spawn(['go', 'build', '-o', 'receiver', 'receiver.go', 'runner.go'], {
    cwd: dir,
    env: goEnvironment,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  expect(await build.exited).toBe(0)
  return all => ask([join(dir, 'receiver')], all)
}

const phpRunner = `
$verify = fn (array $one) => is_genuine(
    $one['secret'], $one['headers']['X-Service-Timestamp'] ?? '', $one['headers']['X-Service-Signature'] ?? '', $one['body']);
echo json_encode(array_map($verify, json_decode(file_get_contents('php://stdin'), true)));
`

const inPhp: Prepare = async () => {
  const file = place('receiver.php', receiver('verify.php') + phpRunner)
  return all => ask(['php', file], all)
}

const languages: [string, program: string, Prepare][] = [
  ['TypeScript', 'bun', inTypeScript],
  ['Python', 'python3', inPython],
  ['Go', 'go', inGo],
  ['PHP', 'php', inPhp],
]

test('every receiver is in the list of its page', () => {
  const files = filesIn(folder, '').map(({ path }) => path.slice(folder.length + 1))
  expect(files).toHaveLength(languages.length + 2)
  const listed = files.filter(name => receiver('README.md').includes(`| [${name}](${name}) |`))
  expect(listed).toEqual(files.filter(name => name !== 'README.md' && name !== 'serve.ts'))
})

/** What a receiver must refuse, by what is wrong with it. */
function forged(): Record<string, Sent> {
  const { headers } = sent()
  const signature = headers['X-Service-Signature'] ?? ''
  const signedAs = (text: string): Sent => ({
    ...sent(),
    headers: { ...headers, 'X-Service-Signature': text },
  })
  return {
    'another body': { ...sent(), body: body.replace('Jörg', 'Jorg') },
    'another secret': { ...sent(), secret: makeSigningSecret() },
    'the secret without its prefix': { ...sent(), secret: secret.slice('whsec_'.length) },
    'another version': signedAs(signature.replace('v1=', 'v2=')),
    'no version': signedAs(signature.slice('v1='.length)),
    'a short signature': signedAs(signature.slice(0, -1)),
    'an empty signature': signedAs(''),
    'a signature beyond ASCII': signedAs('v1=ü'),
    'no moment': { ...sent(), headers: { ...headers, 'X-Service-Timestamp': 'soon' } },
    'no headers': { ...sent(), headers: {} },
    'too old': sent(301),
    'too far ahead': sent(-400),
  }
}

for (const [language, program, prepare] of languages) {
  const missing = Bun.which(program) === null ? ` (skipped: there is no ${program} here)` : ''
  describe.skipIf(missing !== '')(`the receiver in ${language}${missing}`, () => {
    // The first build of Go's standard library takes its time.
    test('takes a delivery as it is sent, and refuses all else', async () => {
      const verify = await prepare()
      const others = Object.entries(forged())
      const all = [sent(), sent(280), sent(-280), ...others.map(([, other]) => other)]
      const [now, late, early, ...answers] = await verify(all)
      expect([now, late, early]).toEqual([true, true, true])
      expect(answers).toHaveLength(others.length)
      expect(others.filter((_, index) => answers[index]).map(([wrong]) => wrong)).toEqual([])
    }, 120_000)
  })
}

test.each([
  ['http', []],
  ['https', ['cert.pem', 'key.pem']],
])(
  'over %s the receiver to begin with prints genuine deliveries and refuses others',
  async (_, files) => {
    const { ca, right } = await makeCertificates()
    place('cert.pem', right.cert)
    place('key.pem', right.key)
    const command = ['bun', join(root, folder, 'serve.ts'), secret, '0', ...files]
    const child = Bun.spawn(command, { cwd: dir, stdout: 'pipe' })
    try {
      let printed = ''
      const read = async () => {
        for await (const part of child.stdout) printed += new TextDecoder().decode(part)
      }
      void read()
      const url = await until(() => /http\S+/.exec(printed)?.[0])
      const post = async ({ headers, body }: Sent) =>
        (await fetch(url, { method: 'POST', headers, body, tls: { ca } })).status
      expect(await post({ ...sent(), body: '{}' })).toBe(401)
      expect(await post(sent())).toBe(204)
      await until(() => printed.includes('lead.created 1'))
      expect(printed).toContain('refused: signed with another secret, or older than five minutes\n')
    } finally {
      child.kill()
      await child.exited
    }
  },
)
