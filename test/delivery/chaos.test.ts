// Everything that can go wrong goes wrong once, in the order that the seed gives. `bun run bench chaos` goes on for ten minutes.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { runChaos } from '../support/chaos/chaos.ts'

const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)
setDefaultTimeout(180_000)

test(`kills, restarts, cuts and a failover lose nothing (CHAOS_SEED=${seed})`, async () => {
  const { faults, events, recoveries } = await runChaos({ seed, seconds: 0 })
  expect(Object.entries(faults).filter(([, count]) => count !== 0)).toEqual([])
  expect(events).toBeGreaterThan(0)
  expect(recoveries).toHaveLength(5)
})
