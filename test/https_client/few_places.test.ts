// A receiver that serves a bounded number of connections at once: unused ones of some subscriptions do not keep out others.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openSender } from '../../src/https_client/send.ts'
import { useReceiver } from '../support/receiver/receiver.ts'
import { type FewPlaces, openFewPlaces } from './few_places.ts'

const receiver = useReceiver()
const places = 4
let few: FewPlaces
beforeAll(async () => {
  few = await openFewPlaces(Number(new URL(receiver.url('/')).port), places)
})
afterAll(() => few.close())

test('three times as many subscriptions as it has places all get their deliveries, again and again', async () => {
  const sender = openSender({
    allowedNetworks: ['127.0.0.0/8'],
    ca: receiver.ca,
    timeouts: { idleMs: 60_000 },
  })
  const url = `https://127.0.0.1:${few.port}/ok/few`
  const groups = Array.from({ length: 3 * places }, (_, index) => `${index}`)
  for (let round = 0; round < 3; round += 1) {
    const replies = groups.map(group => sender.send({ url, group, headers: {}, body: '{}' }))
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual(groups.map(() => 200))
  }
  // Those that found no place at first waited, and all the others kept theirs.
  const used = new Set((await receiver.requests('/ok/few')).map(({ connection }) => connection))
  expect(used.size).toBeLessThan(3 * groups.length)
  sender.close()
}, 30_000)
