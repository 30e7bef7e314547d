// The README's receivers verify what is really sent, and nothing else.
import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signedHeaders, signingKeys } from '../../src/delivery/signature.ts'
import { makeSigningSecret } from '../../src/model/signing_secret.ts'
import { makeDataDir, removeDataDir } from '../support/data_dir.ts'
import { read } from './sources.ts'

const dir = makeDataDir('snippets')
afterAll(() => removeDataDir(dir))

const snippet = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(read('README.md'))?.[1] ?? ''

type Sent = { secret: string; headers: Record<string, string>; body: string }
type Verify = (sent: Sent) => Promise<boolean>

const secret = makeSigningSecret()
const body = '{"id":"1","data":{"name":"Jörg 🦊","leer":" "}}'

function sent(ageSeconds = 0): Sent {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
  const keys = signingKeys(secret)
  const signing = { eventId: 'x', body, timestamp, primary: keys, live: [keys] }
  return { secret, headers: signedHeaders(signing), body }
}

const verifyInTypeScript: Verify = async ({ secret, headers, body }) => {
  const file = join(dir, 'receiver.ts')
  writeFileSync(file, snippet('ts'))
  const { isGenuine } = await import(file)
  return isGenuine(secret, new Headers(headers), new TextEncoder().encode(body))
}

const runner = `
import json, sys
sent = json.load(sys.stdin)
print(is_genuine(sent["secret"], sent["headers"], sent["body"].encode()))
`

const verifyInPython: Verify = async one => {
  const file = join(dir, 'receiver.py')
  writeFileSync(file, snippet('python') + runner)
  const child = Bun.spawn(['python3', file], {
    stdin: new Blob([JSON.stringify(one)]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return (await new Response(child.stdout).text()).trim() === 'True'
}

const python = Bun.which('python3') !== null

describe.each([
  { language: 'TypeScript', verify: verifyInTypeScript, there: true },
  { language: 'Python', verify: verifyInPython, there: python },
])('the receiver in $language', ({ verify, there }) => {
  test.skipIf(!there)('takes a delivery as it is sent', async () => {
    expect(await verify(sent())).toBe(true)
  })

  test.skipIf(!there)('refuses all else', async () => {
    const { headers } = sent()
    const signature = headers['X-Service-Signature'] ?? ''
    const others: Sent[] = [
      { ...sent(), body: body.replace('Jörg', 'Jorg') },
      { ...sent(), secret: makeSigningSecret() },
      { ...sent(), secret: secret.slice('whsec_'.length) },
      {
        ...sent(),
        headers: { ...headers, 'X-Service-Signature': signature.replace('v1=', 'v2=') },
      },
      { ...sent(), headers: { ...headers, 'X-Service-Signature': signature.slice(0, -1) } },
      { ...sent(), headers: { ...headers, 'X-Service-Signature': 'v1=ü' } },
      { ...sent(), headers: { ...headers, 'X-Service-Timestamp': 'soon' } },
      { ...sent(), headers: {} },
      sent(301),
      sent(-400),
    ]
    for (const other of others) expect(await verify(other)).toBe(false)
  })
})
