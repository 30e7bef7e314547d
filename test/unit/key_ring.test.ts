// The keys in memory: read at most every TTL, forgotten at every change, closed when in doubt.
import { afterEach, beforeEach, expect, jest, setSystemTime, spyOn, test } from 'bun:test'
import type { Database } from '../../src/db/database.ts'
import { keyDigest, makeApiKey } from '../../src/model/api_key.ts'
import { type ApiKey, allows, type KeyRing, openKeyRing } from '../../src/operations/key_ring.ts'

const ttlMs = 5_000
const key = makeApiKey()
const other = makeApiKey()

const rowOf = (text: string, expires_at: string | null = null) => ({
  ...{
    id: `id of ${text.slice(0, 12)}`,
    digest: keyDigest(text),
    scopes: ['read:leads'],
    expires_at,
  },
})

/** A database that answers when the test says so, and counts what it was asked. */
const fake = {
  rows: [] as ReturnType<typeof rowOf>[],
  failure: undefined as Error | undefined,
  /** While set, reads answer only when it resolves, with the rows of the moment they were asked. */
  held: undefined as Promise<void> | undefined,
  reads: 0,
}
const database = {
  async rows() {
    const { rows } = fake
    fake.reads += 1
    await fake.held
    if (fake.failure) throw fake.failure
    return rows
  },
} as unknown as Database

let ring: KeyRing
let now = 0

beforeEach(() => {
  now = 100_000
  spyOn(performance, 'now').mockImplementation(() => now)
  setSystemTime(new Date('2026-03-01T09:00:00Z'))
  Object.assign(fake, { rows: [rowOf(key)], failure: undefined, held: undefined, reads: 0 })
  ring = openKeyRing(database, ttlMs)
})
afterEach(() => {
  jest.restoreAllMocks()
  setSystemTime()
})

const find = async (text: string): Promise<ApiKey | null> => ring.find(text)

/** Lets no read end before what it returns is called. */
function holdReads(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  fake.held = promise
  return resolve
}

test('a live key is found with its scopes; another one is not; what cannot be a key costs no read', async () => {
  for (const text of ['', 'junk', `${key}x`, key.toLowerCase()])
    expect([await find(text), await ring.findFresh(text)]).toEqual([null, null])
  expect(fake.reads).toBe(0)
  const found = await find(key)
  expect(found?.id).toBe(rowOf(key).id)
  expect(found && [allows(found, 'read:leads'), allows(found, 'read:signals')]).toEqual([
    true,
    false,
  ])
  expect(await find(other)).toBeNull()
})

test('after forget a revoked key is refused at once, also where a read was under way', async () => {
  await find(key)
  fake.rows = []
  ring.forget()
  expect(await find(key)).toBeNull()
  fake.rows = [rowOf(key)]
  now += ttlMs
  const release = holdReads()
  const finding = find(key)
  fake.rows = []
  ring.forget()
  release()
  await finding
  expect(await find(key)).toBeNull()
})

test('a key expires at its moment, also in a fresh memory', async () => {
  fake.rows = [rowOf(key, '2026-03-01T09:00:01+00:00')]
  expect(await find(key)).not.toBeNull()
  setSystemTime(new Date('2026-03-01T09:00:01Z'))
  expect([await find(key), fake.reads]).toEqual([null, 1])
})

test('without the database no key opens once the memory is old, and each again when it is back', async () => {
  await find(key)
  fake.failure = new Error('database away')
  expect(await find(key)).not.toBeNull()
  now += ttlMs
  for (const text of [key, other]) {
    await expect(find(text)).rejects.toThrow('database away')
    await expect(ring.findFresh(text)).rejects.toThrow('database away')
  }
  fake.failure = undefined
  expect(await find(key)).not.toBeNull()
})
