// The receivers of docs/guides/receivers verify what is really sent, and nothing else.
import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSigningSecret } from '../../src/model/signing_secret.ts'
import { signedHeaders, signingKeys } from '../../src/sending/signature.ts'
import { read, root } from '../repo/sources.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { goEnvironment } from '../support/process/program.ts'

const dir = makeDataDir('receivers')
afterAll(() => removeDataDir(dir))

const folder = 'docs/guides/receivers'
const secret = makeSigningSecret()
const body = '{"id":"1","event_type":"lead.created","data":{"name":"Jörg 🦊","leer":" "}}'

type Sent = { secret: string; headers: Record<string, string>; body: string }

function sent(ageSeconds = 0, signed = secret, changed: Partial<Sent> = {}): Sent {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
  const keys = signingKeys(signed)
  const headers = signedHeaders({ eventId: 'x', body, timestamp, primary: keys, live: [keys] })
  return { secret, headers, body, ...changed }
}

const signature = sent().headers['X-Service-Signature'] ?? ''
const signedAs = (text: string) =>
  sent(0, secret, { headers: { ...sent().headers, 'X-Service-Signature': text } })

const cases: [Sent, genuine: boolean][] = [
  [sent(), true],
  [sent(280), true],
  [sent(-280), true],
  [sent(301), false],
  [sent(-400), false],
  [sent(0, secret, { body: body.replace('Jörg', 'Jorg') }), false],
  [sent(0, makeSigningSecret()), false],
  [sent(0, secret, { headers: {} }), false],
  [signedAs(signature.replace('v1=', 'v2=')), false],
  [signedAs(signature.slice(0, -1)), false],
  [signedAs(''), false],
]

/** Runs a program that reads all cases as JSON and prints which are genuine. */
async function ask(command: string[], text: string): Promise<boolean[]> {
  writeFileSync(join(dir, command.at(-1) ?? ''), text)
  const stdin = new Blob([JSON.stringify(cases.map(([one]) => one))])
  const child = Bun.spawn(command, { cwd: dir, env: goEnvironment, stdin, stderr: 'inherit' })
  return JSON.parse(await new Response(child.stdout).text())
}

/** serve.ts, which uses verify.ts: 204 for a genuine delivery. It has one secret. */
async function askServer(): Promise<boolean[]> {
  const child = Bun.spawn(['bun', join(root, folder, 'serve.ts'), secret, '0'])
  const { value = new Uint8Array() } = await child.stdout.getReader().read()
  const url = /http\S+/.exec(new TextDecoder().decode(value))?.[0] ?? ''
  const post = ({ headers, body }: Sent) => fetch(url, { method: 'POST', headers, body })
  const answers = await Promise.all(cases.map(([one]) => post(one)))
  child.kill()
  await child.exited
  return answers.map(({ status }) => status === 204)
}

const python = `${read(`${folder}/verify.py`)}
import json, sys
cases = json.load(sys.stdin)
print(json.dumps([is_genuine(one["secret"], one["headers"], one["body"].encode()) for one in cases]))`

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

test.each([
  ['TypeScript', 'bun', askServer],
  ['Python', 'python3', () => ask(['python3', 'verify.py'], python)],
  ['Go', 'go', () => ask(['go', 'run', 'verify.go'], go)],
] as const)(
  'the receiver in %s takes deliveries and refuses all else',
  async (_, program, verify) => {
    if (Bun.which(program) === null) return
    expect(await verify()).toEqual(cases.map(([, genuine]) => genuine))
  },
  120_000,
)
