// Floods of sign-ins and of streams leave room for others.
import { expect, test } from 'bun:test'
import { dashboardSettings, password, visitor } from '../support/browser/dashboard.ts'
import { attacks } from '../support/http/attacks.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const attack = attacks('lockout', 4)
const api = useService(dashboardSettings)
const networks = 100
const passesWithinMs = 2_000
// Of sign-ins that nothing delays, where one of them takes long by itself.
const passesWithin = 20

const signIn = (given: string, address: string) =>
  visitor(api).post('/dashboard/sign-in', { password: given }, { 'x-forwarded-for': address })

test('in a flood of wrong passwords from 100 networks the right one passes within 2 s', async () => {
  let over = false
  const seen = new Map<number, number>()
  const began = performance.now()
  await signIn(password, '192.0.2.7')
  const limitMs = Math.max(passesWithinMs, passesWithin * (performance.now() - began))
  const loops = Array.from({ length: networks }, async (_, network) => {
    for (let line = 0; !over; line += 1) {
      const address = `2001:db8:0:${network.toString(16)}::${(line % 0xffff).toString(16)}`
      const { status } = await signIn('falsch', address)
      seen.set(status, (seen.get(status) ?? 0) + 1)
    }
  })
  try {
    // The queue is full by then.
    await until(() => (seen.get(503) ?? 0) > 2 * networks, 20_000)
    for (let time = 0; time < 3; time += 1) {
      const startedAt = performance.now()
      const { status } = await signIn(password, `198.51.${time}.7`)
      expect(status).toBe(303)
      expect(performance.now() - startedAt).toBeLessThan(limitMs)
      attack.held()
    }
  } finally {
    over = true
    await Promise.all(loops)
  }
  // Nothing else was said, and no guess that was not looked at is called wrong.
  expect([...seen.keys()].toSorted()).toEqual([401, 503])
}, 60_000)

test('a sign-in without a turn says so, and when to come back', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, number) => signIn('falsch', `203.0.${number}.1`)),
  )
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers, text } of refused) {
    expect(headers.get('retry-after')).toBe('2')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).toContain('Ihr Passwort wurde nicht geprüft')
  }
}, 30_000)

const streamsMax = 200

test('one key that opens all streams leaves another key its own', async () => {
  // Held until the end: one that is collected as garbage is a stream that its client closed.
  const readers: (ReadableStreamDefaultReader | undefined)[] = []
  const open = async (key: string) => {
    const response = await fetch(`${api.base}/events`, {
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    })
    const reader = response.body?.getReader()
    readers.push(reader)
    return { status: response.status, reader }
  }
  const [greedy, modest] = [await api.makeKey('read:events'), await api.makeKey('read:events')]
  try {
    const taken = await Promise.all(Array.from({ length: streamsMax }, () => open(greedy)))
    expect(new Set(taken.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await open(greedy)).status).toBe(429)
    expect((await open(modest)).status).toBe(200)
    // It is the newest of the other's that ended; all others go on.
    const newest = taken.at(-1)?.reader
    await until(async () => (await newest?.read())?.done)
    const half = await Promise.all(Array.from({ length: streamsMax / 2 - 1 }, () => open(modest)))
    expect(new Set(half.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await open(modest)).status).toBe(429)
    attack.held()
  } finally {
    await Promise.all(readers.map(reader => reader?.cancel()))
  }
}, 30_000)
