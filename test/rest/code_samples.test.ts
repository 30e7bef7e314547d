// Every sample of the description is a request that the service takes as it is written.
import { beforeAll, describe, expect, test } from 'bun:test'
import { restRoutes } from '../../src/api/rest/routes.ts'
import { type Document, operationsOf } from '../support/http/document.ts'
import { useService } from '../support/http/service.ts'

type Sample = { lang: string; source: string }
type Answer = { data?: unknown; error?: { code: string; message: string } }

const api = useService()
let document: Document

beforeAll(async () => {
  document = (await api.send('/openapi.json')).body
})

function sampleOf(id: string, lang: string): string {
  const { operation } =
    operationsOf(document).find(one => one.operation.operationId === id) ?? expect.unreachable()
  const { 'x-codeSamples': samples } = operation as unknown as { 'x-codeSamples': Sample[] }
  return samples.find(one => one.lang === lang)?.source ?? 'none'
}

/** The rows of the samples are not there: that alone may be wrong with the request. */
function expectTaken({ data, error }: Answer) {
  if (error === undefined) return expect(data).toBeDefined()
  expect(error.code).toBe('not_found')
  expect(error.message).not.toContain('nothing at this path')
}

const inShell = async (source: string): Promise<Answer> => {
  const env = { ...process.env, BASE: api.base, KEY: api.key }
  const child = Bun.spawn(['bash', '-c', source], { env, stdout: 'pipe', stderr: 'ignore' })
  return await new Response(child.stdout).json()
}

const AsyncFunction = (async () => {}).constructor as new (
  ...source: string[]
) => (base: string, key: string) => Promise<Answer>

const inTypeScript = (source: string): Promise<Answer> =>
  new AsyncFunction('base', 'key', `${source}\nreturn { data, error }`)(api.base, api.key)

/** httpx is not part of Python: the standard library sends what it would. */
const inPython = async (source: string): Promise<Answer> => {
  const standIn = `import json, os, urllib.request, urllib.error
class httpx:
    def request(method, url, headers, json=None):
        data = None if json is None else encode(json).encode()
        sent = {**headers, **({} if data is None else {"Content-Type": "application/json"})}
        return Answer(urllib.request.Request(url, data, sent, method=method))
class Answer:
    def __init__(self, request): self.request = request
    def json(self):
        try: return json.load(urllib.request.urlopen(self.request))
        except urllib.error.HTTPError as error: return json.load(error)
encode = json.dumps
base, key = os.environ["BASE"], os.environ["KEY"]
`
  const program = `${standIn}${source.replace('import httpx', '')}\nprint(json.dumps(answer))`
  const env = { ...process.env, BASE: api.base, KEY: api.key }
  const child = Bun.spawn(['python3', '-c', program], { env, stdout: 'pipe', stderr: 'inherit' })
  return await new Response(child.stdout).json()
}

const operations = restRoutes.map(({ name }) => name)
const lacks = (program: string) => Bun.which(program) === null

describe('the sample is a request that the service takes:', () => {
  test.skipIf(lacks('bash') || lacks('curl')).each(operations)('%s with curl', async id => {
    expectTaken(await inShell(sampleOf(id, 'shell')))
  })

  test.each(operations)('%s in TypeScript', async id => {
    expectTaken(await inTypeScript(sampleOf(id, 'typescript')))
  })

  test.skipIf(lacks('python3')).each(operations)('%s in Python', async id => {
    expectTaken(await inPython(sampleOf(id, 'python')))
  })
})
