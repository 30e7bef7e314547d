// The keys in memory: read at most every TTL, forgotten at every change, closed when in doubt.
import { afterEach, beforeEach, expect, jest, setSystemTime, spyOn, test } from 'bun:test'
import type { Database } from '../../src/db/database.ts'
import { keyDigest, makeApiKey } from '../../src/model/api_key.ts'
import { type ApiKey, allows, type KeyRing, openKeyRing } from '../../src/operations/key_ring.ts'

const ttlMs = 5_000
const key = makeApiKey()
const other = makeApiKey()

const rowOf = (text: string, expires_at: string | null = null) => ({
  id: `id of ${text.slice(0, 12)}`,
  digest: keyDigest(text),
  scopes: ['read:leads'],
  expires_at,
})

type Row = ReturnType<typeof rowOf>

/** A database that answers when the test says so, and notes what it was asked. */
function fakeDatabase() {
  const fake = {
    rows: [rowOf(key)] as Row[],
    failure: undefined as Error | undefined,
    /** While set, reads answer only when it resolves, with the rows of the moment they were asked. */
    held: undefined as Promise<void> | undefined,
    reads: 0,
    written: [] as unknown[],
    database: undefined as unknown as Database,
  }
  const read = async () => {
    fake.reads += 1
    const rows = fake.rows
    await fake.held
    if (fake.failure) throw fake.failure
    return rows
  }
  const rows = async (name: string, args: unknown) => {
    if (name === 'listLiveApiKeys') return await read()
    if (fake.failure) throw fake.failure
    fake.written.push([name, args])
    return []
  }
  fake.database = { rows } as unknown as Database
  return fake
}

let fake: ReturnType<typeof fakeDatabase>
let ring: KeyRing
let now = 0

beforeEach(() => {
  now = 100_000
  spyOn(performance, 'now').mockImplementation(() => now)
  setSystemTime(new Date('2026-03-01T09:00:00Z'))
  fake = fakeDatabase()
  ring = openKeyRing(fake.database, ttlMs)
})

afterEach(() => {
  jest.restoreAllMocks()
  setSystemTime()
})

const find = async (text: string): Promise<ApiKey | null> => ring.find(text)

test('a live key is found with its id and scopes; another one is not', async () => {
  const found = await find(key)
  expect(found?.id).toBe(rowOf(key).id)
  expect(found && allows(found, 'read:leads')).toBe(true)
  expect(found && allows(found, 'read:signals')).toBe(false)
  expect(await find(other)).toBeNull()
})

test('what cannot be a key costs no read', async () => {
  for (const text of ['', 'junk', `${key}x`, key.toLowerCase()]) {
    expect(await find(text)).toBeNull()
    expect(await ring.findFresh(text)).toBeNull()
  }
  expect(fake.reads).toBe(0)
})

test('the memory serves for the TTL and not a moment longer', async () => {
  await find(key)
  now += ttlMs - 1
  await expect(ring.find(key)).not.toBeInstanceOf(Promise)
  expect(fake.reads).toBe(1)
  now += 1
  fake.rows = []
  expect(await find(key)).toBeNull()
  expect(fake.reads).toBe(2)
})

test('the TTL counts from the start of the read', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  fake.held = promise
  const finding = find(key)
  now += ttlMs
  resolve()
  await finding
  await find(key)
  expect(fake.reads).toBe(2)
})

test('after forget a revoked key is refused at once', async () => {
  await find(key)
  fake.rows = []
  ring.forget()
  expect(await find(key)).toBeNull()
})

test('a change notified during a read is read anew by the next find', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  fake.held = promise
  const finding = find(key)
  fake.rows = []
  ring.forget()
  resolve()
  await finding
  expect(await find(key)).toBeNull()
  expect(fake.reads).toBe(2)
})

test('finds at the same time share one read', async () => {
  const found = await Promise.all(Array.from({ length: 50 }, () => find(key)))
  expect(found.every(one => one !== null)).toBe(true)
  expect(fake.reads).toBe(1)
})

test('findFresh reads although the memory is fresh, and sees a key made a moment ago', async () => {
  await find(key)
  fake.rows = [rowOf(key), rowOf(other)]
  expect(await find(other)).toBeNull()
  expect((await ring.findFresh(other))?.id).toBe(rowOf(other).id)
})

test('findFresh does not trust a read that began before it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  fake.held = promise
  const older = find(key)
  fake.rows = [rowOf(key), rowOf(other)]
  const finding = ring.findFresh(other)
  resolve()
  await older
  expect((await finding)?.id).toBe(rowOf(other).id)
})

test('a key expires at its moment, also in a fresh memory', async () => {
  fake.rows = [rowOf(key, '2026-03-01T09:00:01+00:00')]
  expect(await find(key)).not.toBeNull()
  setSystemTime(new Date('2026-03-01T09:00:01Z'))
  expect(await find(key)).toBeNull()
  expect(fake.reads).toBe(1)
})

test('without the database no key opens once the memory is old, and each again when it is back', async () => {
  await find(key)
  fake.failure = new Error('database away')
  expect(await find(key)).not.toBeNull()
  now += ttlMs
  await expect(find(key)).rejects.toThrow('database away')
  await expect(ring.findFresh(other)).rejects.toThrow('database away')
  await find(key).catch(() => {})
  fake.failure = undefined
  expect(await find(key)).not.toBeNull()
})

test('uses are written in one statement with the last moment of each key, and only once', async () => {
  fake.rows = [rowOf(key), rowOf(other)]
  await find(key)
  await find(other)
  setSystemTime(new Date('2026-03-01T09:00:30Z'))
  await find(key)
  await ring.recordUses()
  await ring.recordUses()
  expect(fake.written).toEqual([
    [
      'updateApiKeysLastUsed',
      {
        ids: [rowOf(key).id, rowOf(other).id],
        used_at: ['2026-03-01T09:00:30.000Z', '2026-03-01T09:00:00.000Z'],
      },
    ],
  ])
})

test('a refused key was not used', async () => {
  fake.rows = [rowOf(key, '2026-03-01T08:00:00Z')]
  await find(key)
  await find(other)
  await ring.recordUses()
  expect(fake.written).toEqual([])
})
