// How many deliveries may be under way: who gets places, and who loses them.
import { expect, test } from 'bun:test'
import { openPlaces, type Places } from '../../src/delivery/places.ts'
import type { Delivery, Ended } from '../../src/delivery/queue.ts'

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

const ended = (subscription_id: string, status: number | null): Ended => ({
  delivery: delivery(subscription_id),
  outcome: { outcome: 'failed' },
  startedAt: new Date(),
  reply: { status, errorClass: null, retryAfterMs: null, excerpt: null, durationMs: 1 },
})

const roomOf = (places: Places, id: string) => {
  const room = places.room()
  return room === null ? 0 : (room.rooms.get(id) ?? room.otherRoom)
}

/** Takes all there is room for; returns how many that were. */
function fill(places: Places, id: string): number {
  const room = Math.max(0, roomOf(places, id))
  for (let place = 0; place < room; place += 1) places.take(delivery(id))
  return room
}

test('a receiver starts with few places and gets more with every answer, up to 64', () => {
  const places = openPlaces()
  expect(fill(places, 'a')).toBe(8)
  expect(places.isFull()).toBe(true)
  for (let answer = 0; answer < 8; answer += 1) places.leave(ended('a', 404))
  expect(roomOf(places, 'a')).toBe(64)
})

test('silence costs half of its places, down to one', () => {
  const places = openPlaces()
  fill(places, 'a')
  for (let silence = 0; silence < 8; silence += 1) places.leave(ended('a', null))
  expect(roomOf(places, 'a')).toBe(1)
})

test('what was given back unsent says nothing about a receiver', () => {
  const places = openPlaces()
  fill(places, 'a')
  for (let turn = 0; turn < 8; turn += 1) places.leave({ ...ended('a', null), reply: null })
  expect(roomOf(places, 'a')).toBe(8)
})

test('a dozen receivers that never answer leave most places to others', () => {
  const places = openPlaces()
  for (let tarPit = 0; tarPit < 12; tarPit += 1) fill(places, `tar pit ${tarPit}`)
  expect(places.taken()).toBe(96)
  expect(roomOf(places, 'healthy')).toBe(8)
})

test('nobody gets more than half of what is free, and all is taken at 512', () => {
  const places = openPlaces()
  for (let hook = 0; places.room() !== null; hook += 1) {
    const free = 512 - places.taken()
    expect(fill(places, `hook ${hook}`)).toBeLessThanOrEqual(Math.max(1, free / 2))
  }
  expect(places.taken()).toBe(512)
})

test('large bodies take room as well', () => {
  const places = openPlaces()
  const large = delivery('a', 'x'.repeat(64 * 1_024 * 1_024))
  places.take(large)
  expect(places.room()).toBeNull()
  places.leave({ ...ended('a', 200), delivery: large })
  expect(places.room()).not.toBeNull()
})
