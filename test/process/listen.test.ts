// listen: a developer with a key and a receiver on plain http sees signed events at once.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import * as factory from '../support/database/factory.ts'
import { openTcpProxy } from '../support/database/tcp_proxy.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { missing, type Runtime, run, spawn } from '../support/process/program.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(60_000)

const api = useService()
useWorker(api)

type Heard = { headers: Headers; body: string }
const heard: Heard[] = []
const answer = { status: 204, text: '' }
let receiver: Bun.Server<undefined>
let forward = ''

beforeEach(() => {
  heard.length = 0
  Object.assign(answer, { status: 204, text: '' })
  receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      heard.push({ headers: request.headers, body: await request.text() })
      return new Response(answer.text || null, { status: answer.status })
    },
  })
  forward = `http://127.0.0.1:${receiver.port}/hook`
})
afterEach(() => receiver.stop(true))

const options = (more: string[] = []) => {
  const usual = { '--url': api.service.url, '--key': api.key, '--forward': forward }
  const added = Object.entries(usual).filter(([name]) => !more.includes(name))
  return ['listen', ...added.flat(), ...more]
}

/** The command in a process of its own, which knows of no database. */
async function listen(runtime: Runtime, more: string[] = []) {
  const child = await spawn(runtime, options(more), {})
  let output = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true })
  }
  const reading = Promise.all([collect(child.stdout), collect(child.stderr)])
  return {
    output: () => output,
    async stop() {
      child.kill('SIGTERM')
      await reading
      return await child.exited
    },
  }
}

function expectSigned({ headers, body }: Heard, secret: string) {
  const timestamp = headers.get('x-service-timestamp') ?? ''
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  expect(headers.get('x-service-signature')).toBe(`v1=${digest}`)
  expect(new Webhook(secret).verify(body, Object.fromEntries(headers))).toEqual(JSON.parse(body))
  expect(JSON.parse(body)).not.toHaveProperty('cursor')
}

const nameOf = ({ body }: Heard) => JSON.parse(body).data.name
const runtimes = (['Deno', 'the binary'] as const).filter(one => missing(one) === undefined)

describe.each(runtimes)('on %s', runtime => {
  test('it sends what happens from now on, signed, prints what came back, and ends when asked', async () => {
    await factory.lead(api.sql, { name: 'Früher' })
    await until(async () => (await api.send('/events?limit=1')).body.meta.count > 0)
    const one = await listen(runtime, ['--types', 'lead.created,signal.opened'])
    await until(() => one.output().includes('listening after cursor'), 30_000)
    await factory.appointment(api.sql, {})
    const lead = await factory.lead(api.sql, { name: 'Jörg Beispiel' })
    await until(() => heard.length > 0)
    Object.assign(answer, { status: 500, text: 'out of order\n' })
    await factory.signal(api.sql, {})
    await until(() => one.output().includes('out of order'))
    const secret = /^signing secret {2}(whsec_\S+)$/m.exec(one.output())?.[1] ?? ''
    for (const each of heard) expectSigned(each, secret)
    expect(heard.map(({ body }) => JSON.parse(body).event_type)).toEqual([
      'lead.created',
      'signal.opened',
    ])
    expect(JSON.parse(heard[0]?.body ?? '').object_id).toBe(lead.id)
    expect(one.output()).toMatch(/^lead\.created {2}cursor \d+ {2}204 in \d+ ms$/m)
    expect(one.output()).toMatch(/^signal\.opened {2}cursor \d+ {2}500: out of order in \d+ ms$/m)
    await api.sql`insert into leads (name) select 'Lead ' || n from generate_series(1, 200) as n`
    await until(() => heard.length > 200, 30_000)
    expect(await one.stop()).toBe(0)
  })

  test('what is forwarded to this machine goes through no proxy', async () => {
    // No service answers at this address: it ends after the example.
    const more = ['--url', forward, '--sample', 'signal.opened']
    for (const NO_PROXY of ['', 'x.example']) {
      const env = { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1', NO_PROXY }
      expect((await run(runtime, options(more), env)).out).toMatch(
        /^signal\.opened {2}example {2}204/m,
      )
    }
  })
})

test('--after begins at a cursor, --sample sends a marked example first, and a broken stream is taken up where it was', async () => {
  const before = Number((await api.send('/events?limit=1')).headers.get('x-feed-head'))
  await factory.lead(api.sql, { name: 'eins' })
  const proxy = await openTcpProxy(api.service.url)
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
  const one = await listen('the binary', [
    ...['--url', `${new URL(proxy.url).origin}/api/v1/`, '--secret', secret],
    ...['--after', String(before), '--types', 'lead.created', '--sample', 'lead.created'],
  ])
  await until(() => heard.length === 2, 30_000)
  proxy.away()
  await factory.lead(api.sql, { name: 'zwei' })
  await until(() => one.output().includes('Next try in'))
  await proxy.back()
  await until(() => heard.length === 3, 30_000)
  expect(heard.map(({ headers }) => headers.get('webhook-test'))).toEqual(['true', null, null])
  expect(heard.slice(1).map(nameOf)).toEqual(['eins', 'zwei'])
  for (const { body } of heard) expect(JSON.parse(body).occurred_at).toMatch(/\.\d{6}Z$/)
  for (const each of heard) expectSigned(each, secret)
  expect(one.output()).not.toContain(secret)
  expect(await one.stop()).toBe(0)
  proxy.close()
})

test.each<[what: string, args: string[], sentence: RegExp]>([
  ['no address', ['--url', 'x'], /^--url takes an address, such as /],
  ['a type there is not', ['--types', 'lead.deleted'], /^--types takes event types/],
  ['a cursor that is none', ['--after', '1e3'], /^--after takes the cursor of an event\./],
  ['a cursor beyond the feed', ['--after', '999999999'], /^The cursor is beyond /],
  ['a secret that is none', ['--secret', 'geheim'], /^a signing secret is whsec_ and base64$/],
  ['an example there is not', ['--sample', 'x'], /^--sample takes event types: lead\.created, /],
  ['an unknown key', ['--key', `wda_${'A'.repeat(49)}`], /^The API key is unknown/],
])('%s ends it at once, in one sentence', async (_what, more, sentence) => {
  const { code, said } = await run('the binary', options(more), {})
  expect([code > 0, said]).toEqual([true, expect.stringMatching(sentence)])
})
