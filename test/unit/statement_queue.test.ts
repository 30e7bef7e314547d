// What postgres.js holds its connections and statements in, as patched here (patches/): 3.4.9 keeps a place for every
// statement since its pool was last busy as a whole, and looks through all of them at every statement.
import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
// @ts-expect-error: a part of the package, without types
import Queue from '../../node_modules/postgres/src/queue.js'

test('a queue that never runs empty keeps no place for what has left it', () => {
  const queue = Queue(['first'])
  Bun.gc(true)
  const before = heapStats().heapSize
  for (let turn = 0; turn < 1_000_000; turn += 1) {
    queue.push(turn)
    queue.shift()
  }
  Bun.gc(true)
  // 8 MB unpatched.
  expect(heapStats().heapSize - before).toBeLessThan(1_000_000)
  expect(queue.length).toBe(1)
  expect(queue.shift()).toBe(999_999)
})
