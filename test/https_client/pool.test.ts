// Where connections lead, which servers they trust, how many there are, and that none is left open.
import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { rootCertificates } from 'node:tls'
import {
  openConnection,
  type Stage,
  tlsOptions,
  writeAtEndOfTurn,
} from '../../src/https_client/connection.ts'
import { openIdleLimits } from '../../src/https_client/idle.ts'
import type { Lookup } from '../../src/https_client/resolve.ts'
import {
  openSender,
  type Reply,
  type Sender,
  type SenderOptions,
} from '../../src/https_client/send.ts'
import { useReceiver } from '../support/receiver/receiver.ts'
import { until } from '../support/until.ts'

const receiver = useReceiver()
const loopback = ['127.0.0.0/8']

let senders: Sender[] = []
afterEach(() => {
  for (const sender of senders.splice(0)) sender.close()
})

const to =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))

/** Every name leads to this machine, unless `options` has another lookup. */
function open(options: Partial<SenderOptions> = {}): Sender {
  const sender = openSender({
    allowedNetworks: loopback,
    ca: receiver.ca,
    lookup: to('127.0.0.1'),
    ...options,
  })
  senders = [...senders, sender]
  return sender
}

const post = (sender: Sender, url: string) =>
  sender.send({ url, group: 'a', headers: {}, body: '{}' })
const shown = ({ status, errorClass }: Reply) => ({ status, errorClass })
const delivered = { status: 200, errorClass: null }

const openFiles = () => readdirSync('/proc/self/fd').length

/** Counts the connections that reach a port of this machine. */
async function countConnections() {
  let count = 0
  const listener = createServer(socket => {
    count += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => listener.once('listening', resolve))
  const { port } = listener.address() as { port: number }
  return {
    url: `https://hooks.example:${port}/`,
    count: () => count,
    close: () => listener.close(),
  }
}

describe('where a connection leads', () => {
  test.each([
    [['127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['::1']],
    [['0.0.0.0']],
  ])('a name with a forbidden address is never connected to: %j', async addresses => {
    const listener = await countConnections()
    const sender = open({ allowedNetworks: [], lookup: to(...addresses) })
    expect(shown(await post(sender, listener.url))).toEqual({ status: null, errorClass: 'blocked' })
    // The listener counts a connection that comes later, so it would have counted an earlier one.
    await post(open(), listener.url)
    await until(() => listener.count() === 1)
    listener.close()
  })

  test('a name is resolved once per connection, so it cannot lead elsewhere when connected to', async () => {
    const listener = await countConnections()
    let asked = 0
    const lookup: Lookup = async () => {
      asked += 1
      return [{ address: asked === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }]
    }
    const sender = open({ lookup })
    expect((await post(sender, listener.url)).errorClass).toBe('connect')
    expect(asked).toBe(1)
    expect(listener.count()).toBe(0)
    listener.close()
  })

  test('a name that turns to a forbidden address is blocked at the next connection', async () => {
    let address = '127.0.0.1'
    const sender = open({
      allowedNetworks: ['127.0.0.1'],
      lookup: async () => [{ address, family: 4 }],
      timeouts: { ageMaxMs: 0 },
    })
    const url = receiver.url('/ok', 'hooks.example')
    expect(shown(await post(sender, url))).toEqual(delivered)
    address = '127.0.0.2'
    expect(shown(await post(sender, url))).toEqual({ status: null, errorClass: 'blocked' })
  })

  test('a kept connection leads where it was checked to lead, until it is too old', async () => {
    let asked = 0
    const lookup: Lookup = async () => {
      asked += 1
      return [{ address: '127.0.0.1', family: 4 }]
    }
    const url = receiver.url('/ok', 'hooks.example')
    const sender = open({ lookup })
    for (let count = 0; count < 5; count += 1)
      expect(shown(await post(sender, url))).toEqual(delivered)
    expect(asked).toBe(1)
    const impatient = open({ lookup, timeouts: { ageMaxMs: 0 } })
    for (let count = 0; count < 5; count += 1)
      expect(shown(await post(impatient, url))).toEqual(delivered)
    expect(asked).toBe(6)
  })

  test('of several addresses one that answers is enough', async () => {
    const sender = open({ lookup: to('127.0.0.9', '127.0.0.1') })
    expect(shown(await post(sender, receiver.url('/ok', 'hooks.example')))).toEqual(delivered)
  })

  test('a resolver that never answers is a timeout, and its late answer opens nothing', async () => {
    let answerLate = (_addresses: { address: string; family: number }[]) => {}
    const lookup: Lookup = () =>
      new Promise(resolve => {
        answerLate = resolve
      })
    const listener = await countConnections()
    const reply = await post(open({ lookup, timeouts: { connectMs: 100 } }), listener.url)
    expect(shown(reply)).toEqual({ status: null, errorClass: 'timeout' })
    answerLate([{ address: '127.0.0.1', family: 4 }])
    await post(open(), listener.url)
    await until(() => listener.count() > 0)
    expect(listener.count()).toBe(1)
    listener.close()
  })
})

describe('which servers it trusts', () => {
  test('the certificate must be for the name in the URL, though the connection goes to an address', async () => {
    const names = ['hooks.example', 'a.hooks.example', 'localhost', '127.0.0.1']
    for (const name of names)
      expect(shown(await post(open(), receiver.url('/ok', name)))).toEqual(delivered)
    for (const name of ['other.example', 'a.b.hooks.example', 'hooks.example.org'])
      expect((await post(open(), receiver.url('/ok', name))).errorClass).toBe('tls')
  })

  test('the name stays the same under a trailing dot', async () => {
    expect(shown(await post(open(), receiver.url('/ok', 'hooks.example.')))).toEqual(delivered)
  })

  test('another name, an unknown authority, an expired certificate and no TLS at all are tls', async () => {
    const { otherNameOrigin, untrustedOrigin, expiredOrigin, plainOrigin } = receiver
    const before = await receiver.count()
    for (const origin of [otherNameOrigin, untrustedOrigin, expiredOrigin, plainOrigin]) {
      const url = `https://hooks.example:${new URL(origin).port}/ok`
      expect(shown(await post(open(), url))).toEqual({ status: null, errorClass: 'tls' })
    }
    expect(await receiver.count()).toBe(before)
  })

  test('a connection kept for one name serves no other name, and no other port', async () => {
    const sender = open()
    const otherPort = new URL(receiver.otherNameOrigin).port
    expect(shown(await post(sender, receiver.url('/ok', 'hooks.example')))).toEqual(delivered)
    for (const url of [
      receiver.url('/ok', 'other.example'),
      `https://hooks.example:${otherPort}/ok`,
    ])
      expect((await post(sender, url)).errorClass).toBe('tls')
  })

  test('the given authority is trusted in addition to the usual ones', () => {
    const { allowedNetworks, ca } = { allowedNetworks: loopback, ca: receiver.ca }
    const options = tlsOptions({ allowedNetworks, ca })
    expect(options.ca).toEqual([...rootCertificates, ca])
  })

  test('without the authority of the tests the receiver is not trusted', async () => {
    const sender = open({ ca: undefined })
    expect((await post(sender, receiver.url('/ok', 'hooks.example'))).errorClass).toBe('tls')
  })

  test.serial('the environment can neither switch verification off nor set a proxy', async () => {
    const program = `
      import { openSender } from './src/https_client/send.ts'
      const sender = openSender({ allowedNetworks: ['127.0.0.1'], ca: process.argv[2] || undefined })
      console.log((await sender.send({ url: process.argv[1], group: 'a', headers: {}, body: '{}' })).errorClass)
      sender.close()`
    const run = async (ca: string) => {
      const child = Bun.spawn(['bun', '-e', program, receiver.url('/ok', 'localhost'), ca], {
        env: {
          PATH: process.env.PATH,
          NODE_TLS_REJECT_UNAUTHORIZED: '0',
          HTTPS_PROXY: 'http://127.0.0.1:1',
          https_proxy: 'http://127.0.0.1:1',
        },
        stderr: 'ignore',
      })
      return (await new Response(child.stdout).text()).trim()
    }
    expect(await run('')).toBe('tls')
    expect(await run(receiver.ca)).toBe('null')
  })
})

describe('what is left open', () => {
  test('deliveries to one host share connections, each carrying one at a time', async () => {
    const sender = open()
    const url = receiver.url('/ok/shared')
    for (let round = 0; round < 20; round += 1)
      await Promise.all(Array.from({ length: 4 }, () => post(sender, url)))
    const requests = await receiver.requests('/ok/shared')
    expect(requests).toHaveLength(80)
    expect(new Set(requests.map(({ connection }) => connection)).size).toBe(2)
  })

  test('a request is not repeated when the server closes the connection: it may have read the POST', async () => {
    const sender = open()
    expect(shown(await post(sender, receiver.url('/last')))).toEqual(delivered)
    const reply = await post(sender, receiver.url('/ok/never'))
    expect(shown(reply)).toEqual({ status: null, errorClass: 'connect' })
    expect(await receiver.requests('/ok/never')).toHaveLength(1)
    expect(shown(await post(sender, receiver.url('/ok/never')))).toEqual(delivered)
  })

  test.each(['/double', '/unasked'])(
    'an unsolicited response answers no later delivery: %s',
    async path => {
      const before = (await receiver.connections()).open
      const sender = open({ timeouts: { idleMs: 10_000 } })
      expect(shown(await post(sender, receiver.url(path)))).toEqual(delivered)
      await until(async () => (await receiver.connections()).open <= before)
      expect((await post(sender, receiver.url('/status/503'))).status).toBe(503)
    },
  )

  test('bytes that come before the request was written answer nothing', async () => {
    const settings = tlsOptions({ allowedNetworks: loopback, ca: receiver.ca })
    const { hostname, port } = new URL(receiver.url('/ok'))
    const opened = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<Stage>()
    const received: Buffer[] = []
    const connection = openConnection(settings, { hostname, port }, 5_000, {
      onOpen: opened.resolve,
      onClose: closed.resolve,
    })
    await opened.promise
    connection.exchange = { onConnection() {}, onClose() {}, onData: bytes => received.push(bytes) }
    writeAtEndOfTurn(connection, 'POST /ok/unasked HTTP/1.1\r\nHost: a\r\n\r\n', () => {})
    connection.socket.emit('data', Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
    expect(await closed.promise).toBe('open')
    expect(received).toEqual([])
  })

  test('an idle connection is closed after a while', async () => {
    const before = (await receiver.connections()).open
    const sender = open({ timeouts: { idleMs: 50 } })
    await post(sender, receiver.url('/ok'))
    await until(async () => (await receiver.connections()).open <= before)
    expect(shown(await post(sender, receiver.url('/ok')))).toEqual(delivered)
  })

  test('once a host closed two unused connections after the same time, later ones are given up sooner', async () => {
    const before = (await receiver.connections()).open
    const isClosed = () => until(async () => (await receiver.connections()).open <= before)
    const sender = open({ timeouts: { idleMs: 60_000 } })
    await post(sender, receiver.url('/hasty'))
    await isClosed()
    await Bun.sleep(1_000)
    await post(sender, receiver.url('/hasty'))
    await isClosed()
    await post(sender, receiver.url('/hasty'))
    await isClosed()
  })

  test('a connection is not used after its time, also where the event loop was busy', async () => {
    const sender = open({ timeouts: { idleMs: 200 } })
    await post(sender, receiver.url('/ok/busy'))
    const busyUntil = performance.now() + 300
    while (performance.now() < busyUntil);
    await post(sender, receiver.url('/ok/busy'))
    const [first, second] = await receiver.requests('/ok/busy')
    expect(second?.connection).not.toBe(first?.connection)
  })

  test('once a host closed two connections as the next request came, later ones are given up sooner', async () => {
    const sender = open({ timeouts: { idleMs: 60_000 } })
    const results: (string | number | null)[] = []
    for (let count = 0; count < 6; count += 1) {
      const { status, errorClass } = await post(sender, receiver.url('/last'))
      results.push(errorClass ?? status)
      await Bun.sleep(600)
    }
    expect(results).toEqual([200, 'connect', 200, 'connect', 200, 200])
  })

  test('a host that closes connections of different ages at one moment restarts, and is no host that closes early', () => {
    const limits = openIdleLimits({ idleMs: 4_000 })
    for (const unusedMs of [1_600, 1_610, 3_000]) limits.noteClosed('hooks.example', unusedMs)
    expect(limits.keptMs('hooks.example', Number.POSITIVE_INFINITY)).toBe(4_000)
  })

  test.each([300, 1_000, 2_000])(
    'of a host that closes after %d ms a connection is kept for less, for an hour',
    limitMs => {
      let now = 0
      const limits = openIdleLimits({ idleMs: 4_000 }, () => now)
      const kept = () => limits.keptMs('hooks.example', Number.POSITIVE_INFINITY)
      for (const lateMs of [20, 0]) {
        expect(kept()).toBe(4_000)
        now += 5_000
        limits.noteClosed('hooks.example', limitMs + lateMs)
      }
      expect(kept()).toBe(limitMs * 0.75)
      now += 3_600_000
      expect(kept()).toBe(4_000)
    },
  )

  test.each([
    ['at once', [5, 5]],
    ['after different times', [400, 900]],
  ])('a host that closes connections %s has no limit', (_, unused) => {
    let now = 0
    const limits = openIdleLimits({ idleMs: 4_000 }, () => now)
    for (const unusedMs of unused) {
      now += 5_000
      limits.noteClosed('hooks.example', unusedMs)
    }
    expect(limits.keptMs('hooks.example', Number.POSITIVE_INFINITY)).toBe(4_000)
  })

  test('a connection that breaks while it answers says nothing about how long its host keeps unused ones', async () => {
    const sender = open({ timeouts: { idleMs: 60_000 } })
    await post(sender, receiver.url('/ok/breaks'))
    await Bun.sleep(150)
    expect(shown(await post(sender, receiver.url('/reset-body')))).toEqual(delivered)
    await post(sender, receiver.url('/ok/breaks'))
    await Bun.sleep(150)
    await post(sender, receiver.url('/ok/breaks'))
    const [, second, third] = await receiver.requests('/ok/breaks')
    expect(third?.connection).toBe(second?.connection)
  })

  test('a connection whose request takes longer than that is not idle', async () => {
    const sender = open({ timeouts: { idleMs: 50 } })
    await receiver.hold('/ok/held')
    const reply = post(sender, receiver.url('/ok/held'))
    await receiver.waitFor(requests => requests.some(({ path }) => path === '/ok/held'))
    await Bun.sleep(200)
    await receiver.release('/ok/held')
    expect(shown(await reply)).toEqual(delivered)
  })

  test.serial('3,000 deliveries leave no connection open', async () => {
    const before = openFiles()
    const sender = open({ timeouts: { idleMs: 100 } })
    const url = receiver.url('/ok/many')
    let left = 3_000
    const run = async () => {
      while (left > 0) {
        left -= 1
        const { status } = await post(sender, url)
        if (status !== 200) throw new Error(`${status}`)
      }
    }
    await Promise.all(Array.from({ length: 32 }, run))
    expect(openFiles()).toBeLessThanOrEqual(before + 40)
    await until(() => openFiles() <= before)
  })

  test.serial('300 deliveries that time out, and 300 cut short, leave none open', async () => {
    const before = openFiles()
    const all = (sender: Sender, path: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => post(sender, receiver.url(path))))
    const patient = open()
    for (let round = 0; round < 15; round += 1)
      for (const { status } of await all(patient, '/endless', 20)) expect(status).toBe(200)
    const impatient = open({ timeouts: { totalMs: 1_000 } })
    for (const { errorClass } of await all(impatient, '/tarpit', 300))
      expect(errorClass).toBe('timeout')
    await until(() => openFiles() <= before)
  })

  test('a closed sender leaves none open, and deliveries in flight fail', async () => {
    const sender = open({ timeouts: { idleMs: 60_000 } })
    // One of two kept connections is in use.
    await Promise.all([post(sender, receiver.url('/ok')), post(sender, receiver.url('/ok'))])
    const reply = post(sender, receiver.url('/tarpit/closed'))
    await receiver.waitFor(requests => requests.some(({ path }) => path === '/tarpit/closed'))
    await until(async () => (await receiver.connections()).open === 2)
    sender.close()
    expect(shown(await reply)).toEqual({ status: null, errorClass: 'connect' })
    await until(async () => (await receiver.connections()).open === 0)
  })
})

describe('how many connections there are', () => {
  test.each([
    ['is silent', () => `${receiver.silentOrigin}/x`],
    ['answers late', () => receiver.url('/closing')],
  ])('closing fails deliveries at once that wait for a receiver that %s', async (_, url) => {
    await receiver.hold('/closing')
    const sender = open()
    const posts = Array.from({ length: 20 }, () => post(sender, url()))
    const started = performance.now()
    sender.close()
    // The at most two that had a connection may have been sent.
    const classes = (await Promise.all(posts)).map(({ errorClass }) => errorClass)
    expect(classes.filter(one => one !== 'blocked').length).toBeLessThanOrEqual(2)
    expect((await post(sender, url())).errorClass).toBe('blocked')
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test('a fast receiver gets many deliveries over few connections', async () => {
    const before = (await receiver.connections()).accepted
    const sender = open()
    const posts = Array.from({ length: 500 }, () => post(sender, receiver.url('/ok/few')))
    for (const reply of await Promise.all(posts)) expect(shown(reply)).toEqual(delivered)
    expect((await receiver.connections()).accepted - before).toBeLessThan(40)
  })

  test('a hundred deliveries on each open connection earn one more', async () => {
    const before = (await receiver.connections()).accepted
    const sender = open()
    for (let burst = 0; burst < 30; burst += 1)
      await Promise.all(Array.from({ length: 100 }, () => post(sender, receiver.url('/ok/bursts'))))
    // Earned after 200, 500, 900, 1,400, 2,000 and 2,700; a busy machine opens some more for deliveries that waited.
    expect((await receiver.connections()).accepted - before).toBeLessThan(16)
  })

  test('a slow receiver gets as many connections as it keeps busy', async () => {
    await receiver.hold('/busy')
    const sender = open()
    const posts = Array.from({ length: 64 }, () => post(sender, receiver.url('/busy')))
    await until(async () => (await receiver.requests('/busy')).length === 64)
    await receiver.answer('/busy', 200)
    await receiver.release('/busy')
    for (const reply of await Promise.all(posts)) expect(shown(reply)).toEqual(delivered)
  })

  test('a fast receiver with many deliveries in flight gets few connections', async () => {
    const before = (await receiver.connections()).accepted
    const sender = open()
    const turns = Array.from({ length: 64 }, async () => {
      for (let turn = 0; turn < 3; turn += 1) await post(sender, receiver.url('/ok/many'))
    })
    await Promise.all(turns)
    expect((await receiver.connections()).accepted - before).toBeLessThan(10)
  })

  test('a delivery that comes while a connection fails waits for another one', async () => {
    const sender = open({ timeouts: { connectMs: 2_500, totalMs: 2_000 } })
    let hasFailed = false
    const failing = post(sender, `${receiver.silentOrigin}/x`).finally(() => {
      hasFailed = true
    })
    await new Promise(resolve => setTimeout(resolve, 1_500))
    expect(hasFailed).toBe(false)
    const { errorClass, durationMs } = await post(sender, `${receiver.silentOrigin}/x`)
    expect((await failing).errorClass).toBe('timeout')
    expect(errorClass).toBe('timeout')
    expect(durationMs).toBeGreaterThan(1_900)
  })

  test('deliveries that waited as long fail together when a connection times out', async () => {
    const sender = open({ timeouts: { connectMs: 300, totalMs: 10_000 } })
    const started = performance.now()
    const posts = Array.from({ length: 20 }, () => post(sender, `${receiver.silentOrigin}/x`))
    for (const reply of await Promise.all(posts))
      expect(shown(reply)).toEqual({ status: null, errorClass: 'timeout' })
    // One after the other, two at a time, it would be ten times as long.
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test('deliveries that wait are sent when others break', async () => {
    const sender = open()
    const broken = Array.from({ length: 20 }, () => post(sender, receiver.url('/reset/waiting')))
    const whole = Array.from({ length: 20 }, () => post(sender, receiver.url('/ok/waiting')))
    for (const reply of await Promise.all(broken))
      expect(shown(reply)).toEqual({ status: null, errorClass: 'connect' })
    for (const reply of await Promise.all(whole)) expect(shown(reply)).toEqual(delivered)
  })

  test('a connection is kept also when others to the same host broke while many waited', async () => {
    const sender = open()
    await Promise.all(Array.from({ length: 20 }, () => post(sender, receiver.url('/reset'))))
    await post(sender, receiver.url('/ok/after'))
    const before = (await receiver.connections()).accepted
    // Longer than the timer of deliveries that wait.
    await Bun.sleep(300)
    await post(sender, receiver.url('/ok/after'))
    expect((await receiver.connections()).accepted).toBe(before)
  })

  test('closing fails a delivery that waits', async () => {
    const sender = open()
    const waiting = post(sender, `${receiver.silentOrigin}/x`)
    sender.close()
    expect((await waiting).errorClass).not.toBeNull()
  })

  test('groups do not share connections: an unsolicited response harms no other group', async () => {
    const sender = open()
    const sendFor = (group: string, name: string) =>
      sender.send({ url: receiver.url(`/ok/${name}`), group, headers: {}, body: '{}' })
    for (let turn = 0; turn < 3; turn += 1) {
      await sendFor('a', 'owned-by-a')
      await sendFor('b', 'owned-by-b')
    }
    const used = async (name: string) =>
      new Set((await receiver.requests(`/ok/${name}`)).map(({ connection }) => connection))
    const [ofA, ofB] = [await used('owned-by-a'), await used('owned-by-b')]
    expect([ofA.size, ofB.size]).toEqual([1, 1])
    expect(ofA.isDisjointFrom(ofB)).toBe(true)
  })
})
