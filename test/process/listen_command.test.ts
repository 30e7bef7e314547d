// listen: a developer with a key and a receiver on plain http sees signed events at once.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import * as factory from '../support/database/factory.ts'
import { openTcpProxy } from '../support/database/tcp_proxy.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { missing, run, runtimes } from '../support/process/program.ts'
import { until } from '../support/until.ts'
import { type Heard, openHttpReceiver, openListen } from './listening.ts'

const api = useService()
useWorker(api)
let receiver: ReturnType<typeof openHttpReceiver>
beforeEach(() => {
  receiver = openHttpReceiver()
})
afterEach(() => {
  receiver.stop()
})

const options = (more: string[] = []) => [
  ...['--url', api.service.url, '--forward', receiver.url],
  ...(more.includes('--key') ? [] : ['--key', api.key]),
  ...more,
]

function expectSigned({ headers, body }: Heard, secret: string) {
  const timestamp = headers.get('x-service-timestamp') ?? ''
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  expect(headers.get('x-service-signature')).toBe(`v1=${digest}`)
  const verified = new Webhook(secret).verify(body, Object.fromEntries(headers))
  expect(verified).toEqual(JSON.parse(body))
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('traceparent')).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/)
}

// The binary is the sources on Bun.
describe.each(runtimes.filter(runtime => runtime !== 'Bun'))('on %s', runtime => {
  const skipped = missing(runtime)
  test.skipIf(skipped !== undefined)(
    `listen sends what happens from now on, signed, and says what came back${skipped ? ` (skipped: ${skipped})` : ''}`,
    async () => {
      await factory.lead(api.sql, { name: 'Früher' })
      await until(async () => (await api.send('/events?limit=1')).body.meta.count > 0)
      const listen = await openListen(runtime, options(['--types', 'lead.created,signal.opened']))
      await until(() => listen.output().includes('listening after cursor'), 30_000)
      await factory.appointment(api.sql, {})
      const lead = await factory.lead(api.sql, { name: 'Jörg Beispiel' })
      await until(() => receiver.heard.length > 0)
      receiver.answer.status = 500
      receiver.answer.text = 'out of order\n'
      await factory.signal(api.sql, {})
      await until(() => receiver.heard.length > 1 && listen.output().includes('out of order'))
      const [first, second] = receiver.heard as [Heard, Heard]
      expect(JSON.parse(first.body)).toMatchObject({
        event_type: 'lead.created',
        object_id: lead.id,
      })
      expect(JSON.parse(second.body).event_type).toBe('signal.opened')
      for (const heard of [first, second]) {
        expectSigned(heard, listen.secret())
        expect(heard.headers.has('webhook-test')).toBe(false)
        expect(JSON.parse(heard.body)).not.toHaveProperty('cursor')
      }
      expect(listen.output()).toMatch(/^lead\.created {2}cursor \d+ {2}204 in \d+ ms$/m)
      expect(listen.output()).toMatch(
        /^signal\.opened {2}cursor \d+ {2}500 in \d+ ms: out of order$/m,
      )
      expect(await listen.stop()).toBe(0)
    },
    120_000,
  )

  test.skipIf(skipped !== undefined)(
    'listen ends when it is told to after it has read much',
    async () => {
      await api.sql`insert into leads (name) select 'Lead ' || n from generate_series(1, 500) as n`
      const listen = await openListen(runtime, options(['--after', '0']))
      await until(() => receiver.heard.length >= 500, 30_000)
      expect(await Promise.race([listen.stop(), Bun.sleep(10_000)])).toBe(0)
    },
    60_000,
  )

  test.skipIf(skipped !== undefined)(
    'what is forwarded to this machine goes through no proxy',
    async () => {
      const proxy = { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' }
      for (const more of [{}, { NO_PROXY: 'x.example' }, { no_proxy: 'x.example' }]) {
        // No service answers at this address: it ends after the example.
        const args = ['listen', '--url', receiver.url, '--key', 'x', '--forward', receiver.url]
        const { out } = await run(runtime, [...args, '--sample', 'signal.opened'], {
          ...proxy,
          ...more,
        })
        expect(out).toMatch(/^signal\.opened {2}example {2}204 in /m)
      }
    },
    60_000,
  )
})

test('--after begins at a cursor, --sample sends a marked example first, and a broken stream is taken up where it was', async () => {
  const names = () =>
    receiver.heard
      .filter(({ headers }) => !headers.has('webhook-test'))
      .map(({ body }) => JSON.parse(body).data.name)
  const before = Number((await api.send('/events?limit=1')).headers.get('x-feed-head'))
  await factory.lead(api.sql, { name: 'eins' })
  const proxy = await openTcpProxy(api.service.url)
  const args = ['--url', `${new URL(proxy.url).origin}/api/v1/`, '--key', api.key]
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
  const more = ['--after', String(before), '--types', 'lead.created', '--sample', 'lead.created']
  const own = ['--forward', receiver.url, '--secret', secret]
  const listen = await openListen('the binary', [...args, ...own, ...more])
  await until(() => names().length === 1, 30_000)
  expect(receiver.heard[0]?.headers.get('webhook-test')).toBe('true')
  proxy.away()
  await factory.lead(api.sql, { name: 'zwei' })
  await until(() => listen.output().includes('Next try in'))
  await proxy.back()
  await until(() => names().length === 2, 30_000)
  expect(names()).toEqual(['eins', 'zwei'])
  for (const heard of receiver.heard) expectSigned(heard, secret)
  // It is known to who gave it.
  expect(listen.output()).not.toContain(secret)
  expect(await listen.stop()).toBe(0)
  proxy.close()
}, 60_000)

test('once the oldest events have expired --after 0 begins with what is left, and a lower cursor says so', async () => {
  await factory.lead(api.sql, { name: 'fort' })
  const gone = await until(async () => {
    const [row] = await api.sql`select cursor::text from feed_events where data ->> 'name' = 'fort'`
    return row?.cursor as string | undefined
  })
  await api.sql`update feed set horizon = ${gone}`
  try {
    await factory.lead(api.sql, { name: 'da' })
    const args = ['--types', 'lead.created', '--after']
    const listen = await openListen('the binary', [...options(), ...args, '0'])
    const heard = () => receiver.heard.map(({ body }) => JSON.parse(body).data.name)
    await until(() => heard().includes('da'), 30_000)
    expect(heard()).not.toContain('fort')
    expect(await listen.stop()).toBe(0)
    const { code, said } = await run('the binary', ['listen', ...options(), ...args, '1'], {})
    expect([code, said]).toEqual([2, expect.stringContaining('give 0 to start from the oldest')])
  } finally {
    await api.sql`update feed set horizon = 0`
  }
}, 60_000)

const mistakes: [string, string[], RegExp][] = [
  ['no address', ['--key', 'wda_x', '--forward', 'http://localhost:1/'], /^--url is missing\./],
  [
    'no key',
    ['--url', 'http://localhost:1', '--forward', 'http://localhost:1/'],
    /^--key is missing\./,
  ],
  ['a type there is not', ['--types', 'lead.deleted'], /^--types takes event types/],
  ['a cursor that is none', ['--after', '1e3'], /^--after takes the cursor of an event\./],
  ['a secret that is none', ['--secret', 'geheim'], /^--secret takes a signing secret/],
  [
    'an example there is not',
    ['--sample', 'lead.deleted'],
    /^--sample takes event types: lead\.created, /,
  ],
  ['an unknown key', ['--key', `wda_${'A'.repeat(49)}`], /^The API key is unknown/],
]

test.each(mistakes)('%s ends it at once, in one sentence', async (_what, more, sentence) => {
  const given = more.includes('--forward') ? more : options(more)
  const { code, said } = await run('the binary', ['listen', ...given], {})
  expect([code, said]).toEqual([2, expect.stringMatching(sentence)])
})
