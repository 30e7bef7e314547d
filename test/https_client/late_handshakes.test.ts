// Unused connections are closed for handshakes that wait, and no longer than that helps.
import { expect, test } from 'bun:test'
import type { Connection } from '../../src/https_client/connection.ts'
import { watchHandshakes } from '../../src/https_client/late_handshakes.ts'
import { until } from '../support/until.ts'

const address = '192.0.2.1 443'
const connection = (openedAt: number) => ({ address, openedAt, idleSince: openedAt }) as Connection

/** A pool with so many unused connections and one that has been opening for 10 s. */
function openPool(count: number) {
  const now = performance.now()
  const unused = Array.from({ length: count }, (_, index) => connection(now + index))
  const opening = [connection(now - 10_000)]
  const pool = {
    opening: () => opening,
    idle: {
      connections: () => unused,
      close: (one: Connection) => void unused.splice(unused.indexOf(one), 1),
    },
  }
  return { unused, opening, handshakes: watchHandshakes([pool]) }
}

/** A handshake of 10 ms that ended long enough ago. */
async function endFast(handshakes: ReturnType<typeof watchHandshakes>) {
  handshakes.end(connection(performance.now() - 10))
  await Bun.sleep(550)
}

test('one is closed for each, and where no handshake follows, none any more', async () => {
  const { unused, opening, handshakes } = openPool(3)
  const [first] = unused
  await endFast(handshakes)
  handshakes.begin()
  await until(() => unused.length === 2)
  expect(unused).not.toContain(first as Connection)
  // Three more looks.
  await Bun.sleep(800)
  expect(unused).toHaveLength(2)
  opening.length = 0
})

test('what becomes unused is closed for those that are left, and for none once they are over', async () => {
  const { unused, opening, handshakes } = openPool(1)
  const [late] = opening as [Connection]
  opening.push(late, late)
  await endFast(handshakes)
  handshakes.begin()
  await until(() => unused.length === 0)
  expect(handshakes.takesUnused(address)).toBe(true)
  // Another address has one that waits.
  opening.splice(0, 3, { ...late, address: '192.0.2.2 443' })
  await Bun.sleep(600)
  expect(handshakes.takesUnused(address)).toBe(false)
  opening.length = 0
})

test('where a handshake follows, another one is closed for the next', async () => {
  const { unused, opening, handshakes } = openPool(3)
  await endFast(handshakes)
  handshakes.begin()
  await until(() => unused.length === 2)
  handshakes.end(connection(performance.now() - 10_000))
  await until(() => unused.length === 1)
  opening.length = 0
})

test('none is closed at an address where no handshake ever ended, nor while they end', async () => {
  const { unused, opening, handshakes } = openPool(3)
  handshakes.begin()
  await Bun.sleep(600)
  expect(unused).toHaveLength(3)
  // The next may take as long.
  handshakes.end(connection(performance.now() - 2_000))
  await Bun.sleep(600)
  expect(unused).toHaveLength(3)
  opening.length = 0
})

test('where each handshake takes long, it is late after twice that', async () => {
  const { unused, opening, handshakes } = openPool(3)
  handshakes.end(connection(performance.now() - 6_000))
  await Bun.sleep(550)
  handshakes.begin()
  await Bun.sleep(600)
  expect(unused).toHaveLength(3)
  opening.length = 0
})
