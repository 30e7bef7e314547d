// Bodies of POST /hooks, good and odd: each with the contract's code, in its order, and never a 500.
import { beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Json } from '../../src/api/http/json_schema.ts'
import { startService } from '../../src/api/start.ts'
import {
  allowedTargets,
  postHook,
  subscribe,
  subscriptionBody,
} from '../support/delivery/subscribing.ts'
import { absolute, type Document } from '../support/http/document.ts'
import { onDeno, quietLog, useService } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'

const api = useService({ ...allowedTargets, HOOKS_MAX: '10000' })
const good = JSON.stringify(subscriptionBody())
const canary = 'geheim-4711'
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** A body with one member's JSON put in as it is. */
const having = (name: string, json: string) => `${good.slice(0, -1)},"${name}":${json}}`

let schema: Json
const ajv = addFormats(new Ajv2020({ allowUnionTypes: true }))

beforeAll(async () => {
  const document = (await api.send('/openapi.json')).body as Document
  ajv.addVocabulary(['components', 'discriminator'])
  ajv.addSchema({ $id: 'document', components: { schemas: document.components.schemas } })
  const body = document.paths['/hooks']?.post?.requestBody?.content['application/json']
  schema = absolute(body?.schema ?? {})
})

/** Whether the document says that this JSON may be sent. */
const isDocumented = (body: string) => ajv.validate(schema, JSON.parse(body)) as boolean

const bytes = (...values: number[]) => new Uint8Array(values)

const noJson: [what: string, body: BodyInit][] = [
  ['nothing', ''],
  ['spaces', '  \n'],
  ['half of it', good.slice(0, -1)],
  ['two of it', good + good],
  ['a form', 'target_url=https%3A%2F%2Fa.example&event_types=lead.created'],
  ['a comment', `/* */${good}`],
  ['single quotes', good.replaceAll('"', "'")],
  ['a comma too many', having('label', '"x",')],
  ['a control character in a text', having('label', '"\n"')],
  ['NaN', having('label', 'NaN')],
  ['undefined', 'undefined'],
  ['invalid UTF-8', bytes(0x22, 0xff, 0x22)],
  ['UTF-8 cut off', bytes(0x22, 0xc3, 0x22)],
  ['a surrogate in UTF-8', bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
  ['UTF-16', new Uint8Array(Buffer.from(`\ufeff${good}`, 'utf16le'))],
  ['a byte order mark alone', bytes(0xef, 0xbb, 0xbf)],
  ['NUL', bytes(0)],
  ['10,000 brackets that do not close', '['.repeat(10_000)],
]

test.each(noJson)('%s is no JSON: invalid_json', async (_what, body) => {
  const reply = await postHook(api, body)
  expect([reply.status, reply.body.error.code]).toEqual([400, 'invalid_json'])
})

test('a compressed body is no JSON, and the answer says why', async () => {
  for (const encoding of ['gzip', 'br']) {
    const { body } = await postHook(api, Bun.gzipSync(good), { 'content-encoding': encoding })
    expect(body.error).toEqual({
      code: 'invalid_json',
      message: 'The body must be JSON in UTF-8 as it is: Content-Encoding is not taken.',
    })
  }
  const { body } = await postHook(api, '{', { 'content-encoding': 'identity' })
  expect(body.error.message).toBe('The body must be JSON in UTF-8.')
})

// Where more than one thing is wrong, the first in the contract's order is told.
const wrong = {
  event_types: [{}, { event_types: [] }, { event_types: ['nope'] }],
  rest: [{}, { label: 1 }, { source: 'x' }],
}

const missing: [what: string, body: string][] = [
  ['null', 'null'],
  ['a number', '42'],
  ['true', 'true'],
  ['a text', JSON.stringify(good)],
  ['an array', `[${good}]`],
  ['an array of 10,000 arrays', nested(10_000)],
  ['an empty object', '{}'],
  ['target_url null', JSON.stringify(subscriptionBody({ target_url: null }))],
  ['target_url empty', JSON.stringify(subscriptionBody({ target_url: '' }))],
  ['target_url in another case', '{"Target_URL":"https://192.0.2.7/"}'],
  ['target_url in the prototype alone', `{"__proto__":${good},"constructor":${good}}`],
  ...wrong.event_types.flatMap(one =>
    wrong.rest.map((other): [string, string] => [
      `and ${Object.keys(one)} ${Object.keys(other)} bad`,
      JSON.stringify({ ...one, ...other }),
    ]),
  ),
]

test.each(missing)('%s: missing_target_url', async (_what, body) => {
  const reply = await postHook(api, body)
  expect([reply.status, reply.body.error.code]).toEqual([400, 'missing_target_url'])
  if (!body.startsWith('[[[')) expect(isDocumented(body)).toBe(false)
})

const badTypes = [
  ...['null', '[]', '{}', '"lead.created"', '17', 'true', '[null]', '[1]', '[["lead.created"]]'],
  ...[
    '["lead.deleted"]',
    '["lead.created","lead.deleted"]',
    '["LEAD.CREATED"]',
    '["lead.created "]',
  ],
  ...[
    '["*"]',
    '[""]',
    '["lead.created",null]',
    '["lead.created,signal.opened"]',
    '{"0":"lead.created","length":1}',
  ],
  ...[
    '["toString"]',
    '["__proto__"]',
    '["constructor"]',
    `[${nested(10_000)}]`,
    '["lead\\u0000created"]',
  ],
]

test.each(badTypes)('event_types %.40s: invalid_event_types', async json => {
  for (const members of [
    subscriptionBody(),
    { target_url: 5 },
    subscriptionBody({ label: 1, source: 1 }),
  ]) {
    const { event_types: _types, ...rest } = members as Json
    const body = `${JSON.stringify(rest).slice(0, -1)},"event_types":${json}}`
    const reply = await postHook(api, body)
    expect([reply.status, reply.body.error.code]).toEqual([400, 'invalid_event_types'])
    if (json.length < 1_000) expect(isDocumented(body)).toBe(false)
  }
})

test('without event_types: invalid_event_types', async () => {
  const reply = await postHook(api, '{"target_url":"https://192.0.2.7/"}')
  expect(reply.body.error.code).toBe('invalid_event_types')
})

const badRest: [name: string, json: string][] = [
  ...['5', 'true', '[]', '{}', '["x"]', nested(10_000)].map((json): [string, string] => [
    'label',
    json,
  ]),
  ['label', JSON.stringify('x'.repeat(201))],
  ['label', JSON.stringify('🦊'.repeat(201))],
  ['label', '"a\\u0000b"'],
  ['label', '"\\ud800"'],
  ['label', '"\\udc00x"'],
  ['label', `{"${canary}":1}`],
  ...[
    '""',
    '"API"',
    '"n8n"',
    '1',
    '[]',
    '["api"]',
    '{}',
    'true',
    '"api\\u0000"',
    `"${canary}"`,
  ].map((json): [string, string] => ['source', json]),
]

test.each(badRest)('%s %.40s: invalid_request', async (name, json) => {
  for (const target_url of ['https://192.0.2.7/', 'http://localhost', 5]) {
    const body = `${JSON.stringify(subscriptionBody({ target_url })).slice(0, -1)},"${name}":${json}}`
    const reply = await postHook(api, body)
    expect([reply.status, reply.body.error.code]).toEqual([400, 'invalid_request'])
    expect(reply.body.error.message).toStartWith(`${name} must be `)
    expect(reply.text).not.toContain(canary)
    if (json.length < 1_000 && !json.includes('\\ud')) expect(isDocumented(body)).toBe(false)
  }
})

const badTargets: unknown[] = [
  ...[5, 0, false, true, [], {}, ['https://192.0.2.7/'], { href: 'https://192.0.2.7/' }],
  ...['http://192.0.2.7/', 'ftp://192.0.2.7/', '192.0.2.7', '//192.0.2.7/', 'javascript:alert(1)'],
  ...[
    'https://',
    'https:192.0.2.7',
    'https:///a',
    'https://[',
    'https://a b/',
    ' https://192.0.2.7/',
  ],
  ...['https://user@192.0.2.7/', 'https://user:word@192.0.2.7/', 'https://192.0.2.7:0/'],
  ...[
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0/',
  ],
  ...['https://localhost/', 'https://LOCALHOST./', 'https://10.0.0.1/', 'https://192.168.1.1/'],
  ...['https://169.254.169.254/', 'https://metadata.google.internal/', 'https://100.64.0.1/'],
  ...[
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00::1]/',
  ],
  ...[
    'https://[2002:7f00:1::]/',
    'https://224.0.0.1/',
    'https://198.51.100.1/',
    'https://255.255.255.255/',
  ],
  ...[
    `https://192.0.2.7/${'a'.repeat(2_048)}`,
    'https://192.0.2.7/\0',
    'https://192.0.2.7/\n',
    'https://\ud800/',
  ],
  `https://192.0.2.7/${canary}\n`,
]

test.each(badTargets.map(target_url => ({ target_url })))(
  '%j: invalid_subscription',
  async ({ target_url }) => {
    const reply = await subscribe(api, { target_url })
    expect([reply.status, reply.body.error.code]).toEqual([400, 'invalid_subscription'])
    expect(reply.body.error.message).toStartWith('target_url must ')
    expect(reply.text).not.toContain(canary)
  },
)

const accepted: [what: string, body: BodyInit][] = [
  ['a byte order mark before it', `\ufeff${good}`],
  ['white space around it', ` \r\n\t${good}\n`],
  ['unknown members', having('filter', `{"a":[1,null]}`)],
  ['10,000 arrays in an unknown member', having('filter', nested(10_000))],
  ['__proto__ as a member', having('__proto__', '{"label":5,"source":"x"}')],
  ['a member twice: the last counts', having('label', '5,"label":"last"')],
  ['a member twice: the last target counts', good.replace('{', '{"target_url":"http://a",')],
  ['escapes', good.replace('target_url', '\\u0074arget_url')],
  ['a label of 200 foxes', having('label', JSON.stringify('🦊'.repeat(200)))],
  ['an empty label', having('label', '""')],
  [
    'a path at its longest',
    good.replace('/hooks', `/${'a'.repeat(2_048 - 'https://192.0.2.7/'.length)}`),
  ],
  ['64 KiB', good + ' '.repeat(65_536 - good.length)],
]

test.each(accepted)('%s: 201', async (_what, body) => {
  expect((await postHook(api, body)).status).toBe(201)
  const text = String(body).trim()
  if (!text.includes('[[[')) expect(isDocumented(text)).toBe(true)
})

test.each([
  ...[
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'text/plain',
    'text/html',
  ],
  ...[
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/form-data',
  ],
  ...['application/vnd.api+json', 'nonsense', 'application/json; charset=iso-8859-1'],
])('Content-Type %s: JSON is judged by its text', async type => {
  expect((await postHook(api, good, { 'content-type': type })).status).toBe(201)
  expect((await postHook(api, '{', { 'content-type': type })).body.error.code).toBe('invalid_json')
})

describe('as it comes over the wire,', () => {
  /** Sends the pieces, one after the other, and resolves with all that came back once the end was closed. */
  function sendRaw(head: string, pieces: string[], port = api.service.port): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>()
    let received = ''
    const start = `POST /api/v1/hooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nConnection: close\r\n${head}\r\n\r\n`
    const socket = connect(port, '127.0.0.1', async () => {
      socket.write(start)
      for (const piece of pieces) {
        if (socket.destroyed) return
        await new Promise(done => socket.write(piece, done))
      }
    })
    socket.on('data', data => {
      received += data
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    return promise
  }

  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  const chunked = 'Transfer-Encoding: chunked'

  test('a body without a Content-Type is read', async () => {
    const reply = await sendRaw(`Content-Length: ${good.length}`, [good])
    expect(reply).toStartWith('HTTP/1.1 201')
  })

  test('a body in many chunks is read', async () => {
    const reply = await sendRaw(chunked, [...[...good].map(chunk), '0\r\n\r\n'])
    expect(reply).toStartWith('HTTP/1.1 201')
  })

  test('no body at all is no JSON', async () => {
    for (const head of ['X-Nothing: 1', 'Content-Length: 0'])
      expect(await sendRaw(head, [])).toContain('"code":"invalid_json"')
    expect(await sendRaw(chunked, ['0\r\n\r\n'])).toContain('"code":"invalid_json"')
  })

  test('one byte above 64 KiB answers 413, with a length and without', async () => {
    const body = good + ' '.repeat(65_537 - good.length)
    const known = await sendRaw(`Content-Length: ${body.length}`, [body])
    const unknown = await sendRaw(chunked, [chunk(body), '0\r\n\r\n'])
    for (const reply of [known, unknown]) {
      expect(reply).toStartWith('HTTP/1.1 413')
      expect(reply).toContain('"code":"invalid_request"')
    }
  })

  test.skipIf(onDeno)('chunks without an end answer 413 as soon as they are too much', async () => {
    const reply = await sendRaw(chunked, Array(80).fill(chunk('x'.repeat(1_000))))
    expect(reply).toStartWith('HTTP/1.1 413')
  })

  test('a body that stops in the middle answers 408 before the request is given up', async () => {
    const config = testConfig({ STATEMENT_TIMEOUT_MS: '1000', RATE_LIMIT_PER_MINUTE: '1000000' })
    const hasty = await startService(config, api.url, quietLog())
    const head = `Content-Length: ${good.length}`
    const reply = await sendRaw(head, [good.slice(0, 20)], hasty.port)
    expect(reply).toStartWith('HTTP/1.1 408')
    expect(reply).toContain('"code":"invalid_request"')
    await hasty.stop()
  })

  test('a client that goes away in the middle leaves nothing', async () => {
    const before = (await api.send('/hooks')).body.meta.count
    const socket = connect(api.service.port, '127.0.0.1')
    const head = `POST /api/v1/hooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Length: ${good.length}\r\n\r\n`
    await new Promise(done => socket.write(head + good.slice(0, 30), done))
    socket.destroy()
    expect((await subscribe(api)).status).toBe(201)
    expect((await api.send('/hooks')).body.meta.count).toBe(before + 1)
  })
})
