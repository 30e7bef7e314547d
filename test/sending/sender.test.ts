// What goes out, where connections lead, which servers they trust, and how long they are kept.
import { afterEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createServer } from 'node:net'
import {
  openSender,
  type Reply,
  type Sender,
  type SenderOptions,
} from '../../src/sending/sender.ts'
import { version } from '../../src/version.ts'
import { useReceiver } from '../support/receiver/receiver.ts'
import { until } from '../support/until.ts'

const receiver = useReceiver()
const loopback = ['127.0.0.0/8']
const delivered = { status: 200, errorClass: null }
const failed = (errorClass: Reply['errorClass']) => ({ status: null, errorClass })

const senders: Sender[] = []
afterEach(() => {
  for (const sender of senders.splice(0)) sender.close()
})

const to =
  (...addresses: string[]) =>
  async () =>
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))

/** Every name leads to this machine, unless `options` has another lookup. */
function open(options: Partial<SenderOptions> = {}): Sender {
  const usual = { allowedNetworks: loopback, ca: receiver.ca, lookup: to('127.0.0.1') }
  const sender = openSender({ ...usual, ...options })
  senders.push(sender)
  return sender
}

const post = (sender: Sender, url: string, group = 'a', body = '{}') =>
  sender.send({ url, group, headers: { 'webhook-id': 'an-event' }, body })

/** Counts the connections that reach a port of this machine. */
async function countConnections() {
  let count = 0
  const listener = createServer(socket => {
    count += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as { port: number }
  const url = `https://hooks.example:${port}/`
  return { url, count: () => count, close: () => listener.close() }
}

describe('the request', () => {
  test('is a POST with the exact bytes and our headers, as its preview shows it', async () => {
    const body = JSON.stringify({ name: 'Jürgen Groß 🙂', text: `${'ü'.repeat(1e6)}\\u0000` })
    const url = receiver.url('/ok/exact?a=b')
    expect(await post(open(), url, 'a', body)).toEqual({
      ...delivered,
      retryAfterMs: null,
      excerpt: 'ok',
      headers: null,
      durationMs: expect.any(Number),
    })
    const [request] = await receiver.requests('/ok/exact?a=b')
    expect(request?.body === body).toBe(true)
    expect(request?.headers).toEqual({
      host: new URL(receiver.origin).host,
      'user-agent': `workspace-data-api/${version}`,
      accept: '*/*',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'content-length': `${Buffer.byteLength(body)}`,
      connection: 'keep-alive',
      'webhook-id': 'an-event',
    })
  })

  test('with a header that HTTP does not allow is a fault of ours and never sent', async () => {
    const request = { url: receiver.url('/ok/header'), group: 'a', body: '' }
    for (const value of ['a\r\nX-B: b', '世'])
      await expect(open().send({ ...request, headers: { 'X-A': value } })).rejects.toThrow()
    expect(await receiver.requests('/ok/header')).toEqual([])
  })
})

describe('an address', () => {
  test('that no subscription may have is blocked, even if it was stored', async () => {
    const hosts = ['10.0.0.1', '[::1]', '[::ffff:10.0.0.1]', '[64:ff9b::a00:1]', '[2002:a00:1::]']
    const urls = [...hosts, 'a@127.0.0.1', 'metadata.google.internal'].map(
      host => `https://${host}/`,
    )
    for (const url of [...urls, 'http://127.0.0.1/', 'nonsense'])
      expect([url, (await post(open(), url)).errorClass]).toEqual([url, 'blocked'])
  })

  test('that is forbidden blocks the name which has it, and nothing is connected to', async () => {
    const listener = await countConnections()
    const lists = [
      ...['127.0.0.1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '::1', '0.0.0.0'],
      ...['8.8.8.8,127.0.0.1', '127.0.0.1,8.8.8.8'],
    ]
    for (const list of lists) {
      const sender = open({ allowedNetworks: [], lookup: to(...list.split(',')) })
      expect([list, (await post(sender, listener.url)).errorClass]).toEqual([list, 'blocked'])
    }
    // The listener counts a connection that comes later, so it would have counted an earlier one.
    await post(open(), listener.url)
    await until(() => listener.count() === 1)
    listener.close()
  })

  test('is looked up once per connection, and blocked where it has become a forbidden one', async () => {
    const answers = ['127.0.0.1', '10.0.0.1', '127.0.0.1']
    const lookup = async () => [{ address: answers.shift() ?? '', family: 4 }]
    const sender = open({ allowedNetworks: ['127.0.0.1'], lookup, timeouts: { idleMs: 1 } })
    const before = (await receiver.connections()).open
    const url = receiver.url('/ok', 'hooks.example')
    expect(await post(sender, url)).toMatchObject(delivered)
    await until(async () => (await receiver.connections()).open === before)
    expect(await post(sender, url)).toMatchObject(failed('blocked'))
    expect(answers).toEqual(['127.0.0.1'])
  })

  test('that nothing finds is dns; where nothing listens the next one counts, or it is connect', async () => {
    const failing = () => Promise.reject(new Error('SERVFAIL'))
    for (const lookup of [to(), failing])
      expect(await post(open({ lookup }), 'https://a.example/')).toMatchObject(failed('dns'))
    const system = openSender({ allowedNetworks: [] })
    expect(await post(system, 'https://nowhere.invalid/')).toMatchObject(failed('dns'))
    expect(await post(open(), 'https://127.0.0.1:1/')).toMatchObject(failed('connect'))
    const second = open({ lookup: to('127.0.0.9', '127.0.0.1') })
    expect(await post(second, receiver.url('/ok', 'hooks.example'))).toMatchObject(delivered)
  })

  test('that comes too late opens nothing, and a silent server gets the time to connect', async () => {
    const late = Promise.withResolvers<{ address: string; family: number }[]>()
    const listener = await countConnections()
    const timeouts = { connectMs: 100 }
    const sender = open({ lookup: () => late.promise, timeouts })
    expect(await post(sender, listener.url)).toMatchObject(failed('timeout'))
    late.resolve([{ address: '127.0.0.1', family: 4 }])
    await post(open(), listener.url)
    await until(() => listener.count() === 1)
    listener.close()
    const reply = await post(open({ timeouts }), `${receiver.silentOrigin}/`)
    expect(reply).toMatchObject(failed('timeout'))
    expect(reply.durationMs).toBeLessThan(5_000)
  })
})

describe('trust', () => {
  test('asks for a certificate of the name in the URL, by a known authority, in its time', async () => {
    for (const name of ['hooks.example', 'a.hooks.example', 'hooks.example.', '127.0.0.1'])
      expect(await post(open(), receiver.url('/ok', name))).toMatchObject(delivered)
    const { otherNameOrigin, untrustedOrigin, expiredOrigin, plainOrigin } = receiver
    const wrong = [otherNameOrigin, untrustedOrigin, expiredOrigin, plainOrigin]
    const urls = [
      ...['other.example', 'a.b.hooks.example'].map(name => receiver.url('/ok/tls', name)),
      ...wrong.map(origin => `https://hooks.example:${new URL(origin).port}/ok/tls`),
    ]
    for (const url of urls)
      expect([url, (await post(open(), url)).errorClass]).toEqual([url, 'tls'])
    const [, usual] = [await receiver.requests('/ok/tls'), open({ ca: undefined })]
    expect((await post(usual, receiver.url('/ok/tls'))).errorClass).toBe('tls')
    expect(await receiver.requests('/ok/tls')).toEqual([])
  })

  test.serial('is not changed by the environment, and no proxy of it is used', async () => {
    const program = `
      import { openSender } from './src/sending/sender.ts'
      const sender = openSender({ allowedNetworks: ['127.0.0.1'], ca: process.argv[2] || undefined })
      console.log((await sender.send({ url: process.argv[1], group: 'a', headers: {}, body: '{}' })).errorClass)
      sender.close()`
    const proxy = 'http://127.0.0.1:1'
    const env = {
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      HTTPS_PROXY: proxy,
      https_proxy: proxy,
      ALL_PROXY: proxy,
    }
    const run = async (ca: string) => {
      const child = Bun.spawn(['bun', '-e', program, receiver.url('/ok', 'localhost'), ca], {
        env: { PATH: process.env.PATH, ...env },
        stderr: 'ignore',
      })
      return (await new Response(child.stdout).text()).trim()
    }
    expect([await run(''), await run(receiver.ca)]).toEqual(['tls', 'null'])
  })
})

describe('connections', () => {
  const usedBy = async (path: string) =>
    new Set((await receiver.requests(path)).map(({ connection }) => connection))

  test('are kept for the requests of one group, of which no other is harmed', async () => {
    const sender = open()
    for (const group of ['a', 'b', 'a', 'b'])
      await post(sender, receiver.url(`/ok/of-${group}`), group)
    const [ofA, ofB] = [await usedBy('/ok/of-a'), await usedBy('/ok/of-b')]
    expect([ofA.size, ofB.size]).toEqual([1, 1])
    expect(ofA.isDisjointFrom(ofB)).toBe(true)
  })

  test('are so many at most for a group', async () => {
    const sender = open({ connectionsMax: 3 })
    const posts = Array.from({ length: 40 }, () => post(sender, receiver.url('/ok/few')))
    for (const reply of await Promise.all(posts)) expect(reply).toMatchObject(delivered)
    expect((await usedBy('/ok/few')).size).toBe(3)
  })

  test('are opened anew after their time', async () => {
    const sender = open({ timeouts: { ageMaxMs: 1 } })
    for (const _ of [1, 2]) {
      await post(sender, receiver.url('/ok/aged'))
      await Bun.sleep(5)
    }
    expect((await usedBy('/ok/aged')).size).toBe(2)
  })

  test('that break do not have their request repeated: it may have been read', async () => {
    const sender = open({ connectionsMax: 1 })
    expect(await post(sender, receiver.url('/last'))).toMatchObject(delivered)
    expect(await post(sender, receiver.url('/ok/never'))).toMatchObject(failed('connect'))
    expect(await receiver.requests('/ok/never')).toHaveLength(1)
    expect(await post(sender, receiver.url('/ok/never'))).toMatchObject(delivered)
  })

  test('end with the sender: requests in flight and later ones fail', async () => {
    const before = (await receiver.connections()).open
    const sender = open({ connectionsMax: 1 })
    const replies = [1, 2].map(() => post(sender, receiver.url('/tarpit/closed')))
    await until(async () => (await receiver.requests('/tarpit/closed')).length > 0)
    sender.close()
    replies.push(post(sender, receiver.url('/tarpit/closed')))
    for (const reply of await Promise.all(replies)) expect(reply).toMatchObject(failed('connect'))
    await until(async () => (await receiver.connections()).open <= before)
    expect(await receiver.requests('/tarpit/closed')).toHaveLength(1)
  })
})
