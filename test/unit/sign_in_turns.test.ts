// Who is next when many sign in at once.
import { expect, test } from 'bun:test'
import { openSignInTurns } from '../../src/dashboard/sign_in_turns.ts'
import { until } from '../support/until.ts'

/** Checks that end when the test says so, and the order in which they began. */
function openChecks() {
  const turns = openSignInTurns(60_000, () => 0)
  const begun: string[] = []
  const running: (() => void)[] = []
  const take = (client: string, name = client) =>
    turns.take(client, () => {
      begun.push(name)
      return new Promise<string>(resolve => {
        running.push(() => resolve(name))
      })
    })
  const endOne = async () => {
    await until(() => running.length > 0)
    running.shift()?.()
  }
  return { take, begun, endOne }
}

test('one check runs at a time, and of equals the newest is next', async () => {
  const { take, begun, endOne } = openChecks()
  const all = ['10.0.0.1', '10.1.0.1', '10.2.0.1'].map(client => take(client))
  await until(() => begun.length > 0)
  expect(begun).toEqual(['10.0.0.1'])
  for (const _ of all) await endOne()
  expect(await Promise.all(all)).toEqual(['10.0.0.1', '10.1.0.1', '10.2.0.1'])
  expect(begun).toEqual(['10.0.0.1', '10.2.0.1', '10.1.0.1'])
})

test('a client that is new goes before those that have tried', async () => {
  const { take, begun, endOne } = openChecks()
  const first = take('2001:db8:1:1::/64')
  const again = take('2001:db8:1:1::/64', 'again')
  const neighbour = take('2001:db8:1:2::/64', 'next to it')
  const fresh = take('198.51.100.7')
  for (let time = 0; time < 4; time += 1) await endOne()
  await Promise.all([first, again, neighbour, fresh])
  expect(begun.slice(1)).toEqual(['198.51.100.7', 'next to it', 'again'])
})

test('of too many those that tried most get no turn, and a check that fails lets the next one begin', async () => {
  const { take, begun, endOne } = openChecks()
  const running = take('10.0.0.1')
  const flood = Array.from({ length: 20 }, () => take('10.0.0.1', 'flood'))
  const fresh = take('198.51.100.7')
  const refused = await Promise.all(flood.slice(-4))
  expect(refused).toEqual(Array(4).fill(undefined))
  await endOne()
  await running
  await endOne()
  expect(begun[1]).toBe('198.51.100.7')
  expect(await fresh).toBe('198.51.100.7')

  const failing = openSignInTurns(60_000)
  const broken = failing.take('a', () => Promise.reject(new Error('no')))
  const next = failing.take('b', async () => 'checked')
  await expect(broken).rejects.toThrow('no')
  expect(await next).toBe('checked')
})

test('a wait ends without a turn when it has lasted too long, and its place goes to others', async () => {
  const turns = openSignInTurns(20)
  const held = Promise.withResolvers<string>()
  const running = turns.take('10.0.0.1', () => held.promise)
  let checked = false
  const waiting = turns.take('10.1.0.1', async () => {
    checked = true
  })
  expect(await waiting).toBeUndefined()
  held.resolve('checked')
  expect(await running).toBe('checked')
  expect(checked).toBe(false)
  expect(await turns.take('10.2.0.1', async () => 'next')).toBe('next')
})
