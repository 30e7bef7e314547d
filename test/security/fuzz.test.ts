// Every parser of bytes from outside for a moment of chance.
// FUZZ_SEED repeats a course; a failure names the seed of its input.
import { expect, test } from 'bun:test'
import { restRoutes } from '../../src/api/rest/routes.ts'
import { jsonValue, mutate, oddText, type Random, seeded } from '../support/fuzz/seeded.ts'
import { allowedTargets, onDeno, useService } from '../support/http/service.ts'
import { type FuzzTarget, targets } from './fuzz_targets.ts'

const first = Number(process.env.FUZZ_SEED ?? 1)
const api = useService({ ...allowedTargets, HOOKS_MAX: '10000' })

async function runTarget(target: FuzzTarget, inputs: number) {
  for (let seed = first; seed < first + inputs; seed += 1) {
    const random = seeded(seed)
    const input = target.input(random)
    try {
      await target.check(input, random)
    } catch (error) {
      const details = { target: target.name, seed, input, broken: (error as Error).message }
      throw new Error(JSON.stringify(details), { cause: error })
    }
  }
}

test.each(targets)(
  'no input breaks a promise of the parser: $name',
  async target => {
    await runTarget(target, 200)
  },
  60_000,
)

test('the check itself notices a broken promise, and says which input did it', async () => {
  const check = () => {
    throw new Error('never true')
  }
  await expect(runTarget({ name: 'broken', input: () => 'given', check }, 1)).rejects.toThrow(
    `{"target":"broken","seed":${first},"input":"given","broken":"never true"}`,
  )
})

// PostgreSQL stores neither NUL nor half a character: what reads bodies refuses both.
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()
const identities = ['email:anna@example.org', '+49 171 3920001', 'lead:', 'anna@example.org']
const sentences = [
  ...['Verdient 3.200 EUR netto im Monat.', 'income is 48,500 a year'],
  ...['Die Miete beträgt 900 EUR, das Gehalt 3.200 EUR.', 'Versicherungssumme 500.000 EUR'],
]

/** What PostgreSQL parses, and the rows of the inputs in $1 that break a promise. */
const statements: [name: string, input: (random: Random) => string, broken: string][] = [
  [
    'identities',
    random => (random.below(2) === 0 ? oddText(random) : mutate(random, random.of(identities))),
    `select given from jsonb_array_elements_text($1::text::jsonb) as given, kontakt_key(given) as key
    where key is not null and (kontakt_key(key) is distinct from key or key !~ '^(email|phone|lead):.')`,
  ],
  [
    'texts that may hold income',
    random =>
      JSON.stringify({
        notiz: mutate(random, random.of(sentences)),
        [random.of(['netto', 'einkommen', 'beitrag', 'x'])]: jsonValue(random),
      }).replaceAll(/\\u0000|\\ud[89a-f][\da-f]{2}/g, ''),
    `select given from jsonb_array_elements_text($1::text::jsonb) as given, redact_income(given::jsonb) as cleaned
    where redact_income(cleaned) is distinct from cleaned or jsonb_typeof(cleaned) <> 'object'`,
  ],
]

// Always the same course: an input takes long.
test.each(statements)(
  'no input breaks a promise of PostgreSQL: %s',
  async (_, input, broken) => {
    const inputs = Array.from({ length: 300 }, (_, index) => storable(input(seeded(1 + index))))
    expect([...(await api.sql.unsafe(broken, [JSON.stringify(inputs)]))]).toEqual([])
  },
  30_000,
)

const methods = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']
const others = ['/mcp', '/healthz', '/docs', '/dashboard', '/dashboard/sign-in', '/dashboard/keys']
const queries = ['', '?limit=5', '?search=Anna&status=new', '?after=0&types=lead.created', '?%ff']
const headerNames = ['accept', 'content-type', 'x-request-id', 'traceparent', 'last-event-id']
const headerValues = ['application/json', 'text/event-stream;q=0.1', '*/*', '0', 'x', 'read:leads']
const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '').trim()

function pathOf(random: Random): string {
  if (random.below(6) === 0) return random.of(others)
  const id = random.below(3) === 0 ? mutate(random, crypto.randomUUID()) : crypto.randomUUID()
  return `/api/v1${random.of(restRoutes).path}`
    .replace('{key}', encodeURIComponent(mutate(random, 'email:anna@example.org').toWellFormed()))
    .replace(/\{\w+\}/g, encodeURIComponent(id.toWellFormed()))
}

/** A whole request from chance: every method, path, query, header and body there is, and what is nearly one. */
function fuzzedRequest(random: Random): [path: string, init: RequestInit] {
  const method = random.of(methods)
  const path = pathOf(random) + random.of(queries)
  const token = random.below(8) === 0 ? mutate(random, api.key) : api.key
  const headers: Record<string, string> = { authorization: `Bearer ${printable(token)}` }
  for (let count = random.below(3); count > 0; count -= 1)
    headers[random.of(headerNames)] = printable(mutate(random, random.of(headerValues)))
  const hasBody = !['GET', 'HEAD'].includes(method) && random.below(3) > 0
  const body = random.below(2) === 0 ? JSON.stringify(jsonValue(random)) : mutate(random, '{"a":1}')
  const tried = random.below(4) === 0 ? mutate(random, path).replace(/[\s#]/g, '') : path
  const sent = {
    method,
    headers,
    redirect: 'manual' as const,
    ...(hasBody && { body: Buffer.from(body) }),
  }
  return [`/${tried.replace(/^\/+/, '')}`, sent]
}

/** What is wrong with an answer; undefined: nothing. */
async function faultOf(response: Response): Promise<string | undefined> {
  const { status, headers } = response
  if (status >= 500) return `status ${status}`
  if (headers.get('cache-control') !== 'no-store') return 'no no-store'
  if (!headers.has('x-request-id')) return 'no request id'
  const type = headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return undefined
  }
  const json = await response.text()
  if (!type.startsWith('application/json') || json === '') return undefined
  const { api_version, jsonrpc, openapi } = JSON.parse(json)
  return api_version === 'v1' || jsonrpc === '2.0' || openapi ? undefined : 'no envelope'
}

// What fetch refuses to send, and what Deno's server refuses before we see it, is no answer of ours.
test.skipIf(onDeno)(
  `no request gets a 500 or an answer without its headers (FUZZ_SEED=${first})`,
  async () => {
    for (let seed = first; seed < first + 400; seed += 1) {
      const [path, init] = fuzzedRequest(seeded(seed))
      const response = await fetch(api.service.url + path, {
        ...init,
        signal: AbortSignal.timeout(5_000),
      })
      expect([seed, path, await faultOf(response)]).toEqual([seed, path, undefined])
    }
  },
  60_000,
)
