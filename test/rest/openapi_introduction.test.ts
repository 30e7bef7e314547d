// The introduction of the description: its receivers verify what is sent, and its words are those of the program.
import { afterAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSigningSecret } from '../../src/model/signing_secret.ts'
import { signedHeaders, signingKeys } from '../../src/sending/signature.ts'
import { filesIn, read } from '../repo/sources.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
const dir = makeDataDir('introduction')
afterAll(() => removeDataDir(dir))
const text = readFileSync(
  join(import.meta.dir, '../../src/api/rest/openapi_introduction.md'),
  'utf8',
)

const snippet = (language: string) =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? 'none'

const pages = () => [read('README.md'), ...filesIn('docs', '').map(page => page.text)]

test.each(['ts', 'go', 'php'])(
  'the receiver in %s is one of the documentation, where it is tested',
  language => {
    expect(pages().some(page => page.includes(snippet(language)))).toBe(true)
  },
)

test('the list of changes that send no event is introduced as such', () => {
  const [heading] = /.*(?=\n\n\{silentChanges\})/.exec(text) ?? []
  expect(heading).toEndWith('These changes send none:')
})

const runner = `
import json, sys
print(json.dumps([is_genuine(one["secret"], one["headers"], one["body"].encode()) for one in json.load(sys.stdin)]))
`

const without = Bun.which('python3') ? '' : ' (skipped: there is no python3 here)'
test.skipIf(without !== '')(
  `the receiver in Python takes headers of either case${without}`,
  async () => {
    const secret = makeSigningSecret()
    const body = '{"name":"Jörg"}'
    const keys = signingKeys(secret)
    const timestamp = Math.floor(Date.now() / 1_000)
    const headers = signedHeaders({ eventId: 'x', body, timestamp, primary: keys, live: [keys] })
    const lower = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const sent = [
      { secret, headers, body },
      { secret, headers: lower, body },
      { secret, headers: lower, body: body.replace('ö', 'o') },
      { secret: makeSigningSecret(), headers, body },
      { secret, headers: {}, body },
      { secret, headers: { ...headers, 'X-Service-Timestamp': '1' }, body },
    ]
    const file = join(dir, 'receiver.py')
    writeFileSync(file, snippet('python') + runner)
    const child = Bun.spawn(['python3', file], {
      stdin: new Blob([JSON.stringify(sent)]),
      stdout: 'pipe',
    })
    expect(await new Response(child.stdout).json()).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  },
)

test('every address it names is there', async () => {
  const { info } = (await api.send('/openapi.json')).body
  const own = api.service.url.replaceAll('.', '\\.')
  const named = [...info.description.matchAll(new RegExp(`\`(${own}/[^\`<]*)\``, 'g'))]
  const paths = named.map((match: RegExpExecArray) => match[1] ?? '')
  expect(paths.length).toBeGreaterThanOrEqual(4)
  for (const path of paths)
    expect([path, [200, 405].includes((await fetch(path)).status)]).toEqual([path, true])
})
