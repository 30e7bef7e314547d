// A receiver that serves a limited number of connections at once: unused ones of some subscriptions do not keep others from it.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openSender, type Sender } from '../../src/https_client/send.ts'
import { useReceiver } from '../support/receiver/receiver.ts'
import { type LimitedReceiver, openLimitedReceiver } from './limited_receiver.ts'

const receiver = useReceiver()
const connectionsMax = 4
let limited: LimitedReceiver
let sender: Sender
const port = () => Number(new URL(receiver.url('/')).port)
beforeEach(async () => {
  limited = await openLimitedReceiver(port(), connectionsMax)
  sender = openSender({
    allowedNetworks: ['127.0.0.0/8'],
    ca: receiver.ca,
    timeouts: { idleMs: 60_000 },
  })
})
afterEach(() => {
  sender.close()
  limited.close()
})

const groups = Array.from({ length: 3 * connectionsMax }, (_, index) => `${index}`)
const allDelivered = groups.map(() => 200)

/** One request of each group at once; resolves with their statuses. */
const postAll = async (path: string, senders: readonly string[]) => {
  const url = `https://127.0.0.1:${limited.port}${path}`
  const replies = senders.map(group => sender.send({ url, group, headers: {}, body: '{}' }))
  return (await Promise.all(replies)).map(({ status }) => status)
}

test('three times as many subscriptions as it serves all get their deliveries, again and again', async () => {
  for (let round = 0; round < 3; round += 1)
    expect(await postAll('/ok/limited', groups)).toEqual(allDelivered)
  // The last connections of a round are used again in the next one.
  const used = new Set((await receiver.requests('/ok/limited')).map(one => one.connection))
  expect(used.size).toBeLessThanOrEqual(3 * groups.length - 2 * connectionsMax)
}, 30_000)

test('one subscription that has all of its connections gives as many of them back as others need', async () => {
  await receiver.hold('/ok/many')
  const one = Array.from({ length: connectionsMax }, () => 'one')
  const held = postAll('/ok/many', one)
  await receiver.waitFor(
    requests => requests.filter(({ path }) => path === '/ok/many').length === connectionsMax,
    15_000,
  )
  await receiver.release('/ok/many')
  expect(await held).toEqual(one.map(() => 200))
  expect(await postAll('/ok/others', groups)).toEqual(allDelivered)
}, 30_000)

test('a receiver whose handshakes are slow keeps every connection', async () => {
  limited.close()
  const many = Array.from({ length: 40 }, (_, index) => `${index}`)
  limited = await openLimitedReceiver(port(), many.length, 60)
  for (let round = 0; round < 2; round += 1)
    expect(await postAll('/ok/slow', many)).toEqual(many.map(() => 200))
  const used = new Set((await receiver.requests('/ok/slow')).map(one => one.connection))
  expect(used.size).toBe(many.length)
}, 30_000)
