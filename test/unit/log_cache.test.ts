// Events in memory: what is found there, what has to be read, and what is dropped.
import { beforeEach, expect, test } from 'bun:test'
import { type LogCache, openLogCache } from '../../src/delivery/log_cache.ts'
import type { LogEvent } from '../../src/feed/log_event.ts'
import { eventId } from './subscription.ts'

let now = 0
let cache: LogCache

beforeEach(() => {
  now = 0
  cache = openLogCache(() => now)
})

const event = (cursor: number, type = 'a', length = 0): LogEvent => ({
  cursor,
  type,
  id: eventId(cursor),
  occurredMs: 0,
  body: ' '.repeat(length),
})
const types = (...wanted: string[]) => new Set(wanted)

/** Cursors from `after` on, and what ended the walk. */
function walk(after: number, ...wanted: string[]) {
  const cursors: number[] = []
  const set = types(...wanted)
  for (let at = after; ; ) {
    const found = cache.next(at, set)
    if (found === 'missing') return { cursors, missing: at }
    at = 'event' in found ? found.event.cursor : found.end
    if ('event' in found) cursors.push(at)
  }
}

test('events of the wanted types come in the order of cursors, across segments', () => {
  cache.add({ after: 10, to: 15, types: ['a', 'b'], events: [event(11), event(12, 'b')] })
  now = 200
  cache.add({ after: 15, to: 20, types: ['a', 'b'], events: [event(16, 'b'), event(20)] })
  expect(walk(10, 'a')).toEqual({ cursors: [11, 20], missing: 20 })
  expect(walk(10, 'b')).toEqual({ cursors: [12, 16], missing: 20 })
  expect(walk(11, 'a', 'b')).toEqual({ cursors: [12, 16, 20], missing: 20 })
})

test('where nothing of the types is in memory it says how far', () => {
  cache.add({ after: 10, to: 20, types: ['a'], events: [event(11), event(12), event(15)] })
  expect(cache.next(10, types('a'))).toMatchObject({ event: { cursor: 11 }, to: 20 })
  expect(cache.next(15, types('a'))).toEqual({ end: 20 })
})

test('what comes before or after, or is of another type, has to be read', () => {
  cache.add({ after: 10, to: 20, types: ['a'], events: [event(11)] })
  expect(cache.next(9, types('a'))).toBe('missing')
  expect(cache.next(20, types('a'))).toBe('missing')
  expect(cache.next(10, types('a', 'b'))).toBe('missing')
})

test('a gap between segments ends the walk before it', () => {
  cache.add({ after: 10, to: 15, types: ['a'], events: [event(11)] })
  now = 200
  cache.add({ after: 16, to: 20, types: ['a'], events: [event(17)] })
  expect(walk(10, 'a')).toEqual({ cursors: [11], missing: 15 })
})

test('small batches that follow each other become one segment, and none of their events is lost', () => {
  for (let cursor = 1; cursor <= 50; cursor += 1) {
    cache.add({ after: cursor - 1, to: cursor, types: ['a'], events: [event(cursor)] })
    now += 10
  }
  expect(walk(0, 'a').cursors).toEqual(Array.from({ length: 50 }, (_, place) => place + 1))
})

test('nothing stays for longer than a second', () => {
  cache.add({ after: 0, to: 1, types: ['a'], events: [event(1)] })
  now = 900
  cache.add({ after: 1, to: 2, types: ['a'], events: [event(2)] })
  expect(walk(0, 'a').cursors).toEqual([1, 2])
  now = 1_001
  expect(walk(0, 'a')).toEqual({ cursors: [], missing: 0 })
  expect(walk(1, 'a').cursors).toEqual([2])
  now = 1_901
  expect(walk(1, 'a').cursors).toEqual([])
})

test('no more than 64 MB stay, the newest; and what was added last stays, however large it is', () => {
  // In characters, of two bytes each.
  const large = 15 * 1_024 * 1_024
  for (const cursor of [1, 2, 3]) {
    now += 200
    cache.add({ after: cursor - 1, to: cursor, types: ['a'], events: [event(cursor, 'a', large)] })
  }
  expect(walk(0, 'a').cursors).toEqual([])
  expect(walk(1, 'a').cursors).toEqual([2, 3])
  now += 200
  cache.add({ after: 3, to: 4, types: ['a'], events: [event(4, 'a', 3 * large)] })
  expect(walk(3, 'a').cursors).toEqual([4])
  expect(walk(2, 'a').cursors).toEqual([])
})

test('cleared, it has nothing of before, and takes what comes next', () => {
  cache.add({ after: 0, to: 1, types: ['a'], events: [event(1)] })
  cache.clear()
  expect(walk(0, 'a').cursors).toEqual([])
  cache.add({ after: 1, to: 2, types: ['a'], events: [event(2)] })
  expect(walk(1, 'a').cursors).toEqual([2])
})

test('a batch without cursors changes nothing', () => {
  cache.add({ after: 5, to: 5, types: ['a'], events: [] })
  expect(cache.next(5, types('a'))).toBe('missing')
})
