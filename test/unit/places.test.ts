// How many deliveries may be under way: who gets places, and who loses them.
import { expect, test } from 'bun:test'
import type { Delivery } from '../../src/delivery/claimed.ts'
import { openPlaces, type Places } from '../../src/delivery/places.ts'
import type { Ended } from '../../src/delivery/queue.ts'

const delivery = (subscription_id: string, body = 'x'): Delivery => ({
  id: 1,
  claim: 'c',
  subscription_id,
  attempts: 0,
  target_url: 'https://hooks.example.com/',
  secret: 's',
  old_secret: null,
  old_secret_leads: false,
  event_id: 'e',
  body,
})

const ended = (
  subscription_id: string,
  status: number | null,
  durationMs = 1_000,
  one = delivery(subscription_id),
): Ended => ({
  delivery: one,
  outcome: { outcome: status === 200 ? 'delivered' : 'failed' },
  startedAt: new Date(),
  reply: {
    status,
    errorClass: status === 200 ? null : 'status',
    retryAfterMs: null,
    excerpt: null,
    durationMs,
  },
})

const roomOf = (places: Places, id: string) => {
  const room = places.room()
  return room === null ? 0 : (room.rooms.get(id) ?? room.otherRoom)
}

/** Takes so many, as a claim that was asked for all there is room for. Returns those that start. */
function take(places: Places, id: string, count: number): Delivery[] {
  const room = places.room()
  if (room === null) throw new Error('no room')
  return places.take(
    Array.from({ length: count }, () => delivery(id)),
    room,
  )
}

/** Takes all there is room for; returns how many that were. */
function fill(places: Places, id: string): number {
  const room = Math.max(0, roomOf(places, id))
  if (room > 0) take(places, id, room)
  return room
}

function leave(places: Places, result: Ended) {
  places.end(result)
  places.leave(result)
}

/** Answers at once so often that the receiver has all places a subscription can get. */
function makePrompt(places: Places, id: string) {
  for (let answer = 0; answer < 8; answer += 1) {
    take(places, id, 1)
    leave(places, ended(id, 200, 1))
  }
}

function promptReceiver(id = 'a'): Places {
  const places = openPlaces()
  makePrompt(places, id)
  return places
}

test('a receiver starts with few places and gets more with every answer, up to 64', () => {
  const places = openPlaces()
  expect(fill(places, 'a')).toBe(8)
  expect(places.wantsMore()).toBe(false)
  for (let answer = 0; answer < 8; answer += 1) leave(places, ended('a', 404))
  expect(roomOf(places, 'a')).toBe(64)
})

test('silence costs half of its places, down to one', () => {
  const places = openPlaces()
  fill(places, 'a')
  for (let silence = 0; silence < 8; silence += 1) leave(places, ended('a', null))
  expect(roomOf(places, 'a')).toBe(1)
})

test('what was given back unsent says nothing about a receiver', () => {
  const places = openPlaces()
  fill(places, 'a')
  for (let turn = 0; turn < 8; turn += 1) leave(places, { ...ended('a', null), reply: null })
  expect(roomOf(places, 'a')).toBe(8)
})

test('a dozen receivers that never answer leave most places to others', () => {
  const places = openPlaces()
  for (let tarPit = 0; tarPit < 12; tarPit += 1) fill(places, `tar pit ${tarPit}`)
  expect(places.taken()).toBe(96)
  expect(roomOf(places, 'healthy')).toBe(8)
})

test('nobody gets more than half of what is free, and all is taken at 2,048', () => {
  const places = openPlaces()
  for (let hook = 0; places.room() !== null; hook += 1) {
    const free = 2_048 - places.taken()
    expect(fill(places, `hook ${hook}`)).toBeLessThanOrEqual(Math.max(1, free / 2))
  }
  expect(places.taken()).toBe(2_048)
})

test('what is free is shared out among those who wait for more and have room for it', () => {
  const places = openPlaces()
  const names = Array.from({ length: 20 }, (_, place) => `hook ${place}`)
  for (const name of names) makePrompt(places, name)
  expect(names.map(name => roomOf(places, name))).toEqual(names.map(() => 832))
  /** A claim that used up the total: everybody may have more. */
  const takeAll = (brought: Delivery[]) => {
    const room = places.room()
    if (room) places.take(brought, { ...room, total: brought.length })
  }
  // Who has nothing in hand is not counted, as if nothing were due for him.
  takeAll([])
  expect(names.map(name => roomOf(places, name))).toEqual(names.map(() => 832))
  takeAll(names.map(name => delivery(name)))
  expect(names.map(name => roomOf(places, name))).toEqual(names.map(() => Math.floor(2_028 / 20)))
  // Nor is who can take no more.
  takeAll(Array.from({ length: 831 }, () => delivery('hook 0')))
  expect(roomOf(places, 'hook 1')).toBe(Math.floor((2_028 - 831) / 19))
})

test('large bodies take room as well', () => {
  const places = openPlaces()
  const large = delivery('a', 'x'.repeat(64 * 1_024 * 1_024))
  const room = places.room()
  if (room) places.take([large], room)
  expect(places.room()).toBeNull()
  leave(places, ended('a', 200, 1, large))
  expect(places.room()).not.toBeNull()
})

test('whoever answers at once has twelve times as many claimed ahead, and no more than 64 under way', () => {
  const places = promptReceiver()
  expect(roomOf(places, 'a')).toBe(832)
  expect(take(places, 'a', 832)).toHaveLength(64)
  expect(roomOf(places, 'a')).toBe(0)
})

test('a success gives its place to the next at once, a failure when it is recorded', () => {
  const places = promptReceiver()
  take(places, 'a', 832)
  expect(places.end(ended('a', 200, 1))).toHaveLength(1)
  const failure = ended('a', 500, 1)
  expect(places.end(failure)).toHaveLength(0)
  expect(places.leave(failure)).toHaveLength(1)
})

test('whoever takes its time has nothing claimed ahead', () => {
  const places = promptReceiver()
  take(places, 'a', 1)
  leave(places, ended('a', 200, 51))
  expect(roomOf(places, 'a')).toBe(64)
})

test('more is wanted when half of what may wait is used up, and not when the last claim brought all', () => {
  const places = promptReceiver()
  take(places, 'a', 832)
  const answers = (count: number) => {
    for (let answer = 0; answer < count; answer += 1) leave(places, ended('a', 200, 1))
  }
  answers(383)
  expect(places.wantsMore(delivery('a'))).toBe(false)
  answers(1)
  expect(places.wantsMore(delivery('a'))).toBe(true)
  expect(places.wantsMore()).toBe(true)
  take(places, 'a', 383)
  answers(768)
  expect(places.wantsMore()).toBe(false)
})

test('what waits can be given up, and keeps its places until that is recorded', () => {
  const places = promptReceiver()
  take(places, 'a', 832)
  expect(places.giveUp(delivery('b'))).toHaveLength(0)
  const given = places.giveUp(delivery('a'))
  expect(given).toHaveLength(768)
  expect(places.taken()).toBe(832)
  for (const one of given) leave(places, { ...ended('a', null, 0, one), reply: null })
  expect(places.taken()).toBe(64)
  expect(places.giveUp('all')).toHaveLength(0)
})

test('new deliveries are claimed at once where nothing has been waiting', () => {
  const places = promptReceiver()
  expect(places.roomForNew().rooms.get('a')).toBe(832)
  // As many as there was room for: there may be more.
  take(places, 'a', 832)
  leave(places, ended('a', 200, 1))
  expect(places.roomForNew().rooms.get('a')).toBe(0)
  expect(places.roomForNew().otherRoom).toBe(8)
  for (let hook = 0; places.room() !== null; hook += 1) fill(places, `hook ${hook}`)
  expect(places.roomForNew().total).toBe(0)
})
