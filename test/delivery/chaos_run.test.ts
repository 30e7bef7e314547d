// Everything that can go wrong goes wrong once, while writers, a reader and receivers go on. CHAOS_SEED repeats a
// course; `bun run bench chaos` is the same for minutes.
import { expect, test } from 'bun:test'
import { mixed, runChaos } from '../support/chaos/chaos.ts'
import { disturbanceKinds } from '../support/chaos/disturbances.ts'
import { tell } from '../support/chaos/report.ts'

// First what takes longest to be made good: a killed process's claims have to lapse.
const [killed, ...others] = disturbanceKinds
const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)

test(`nothing is lost, and only a killed process doubles (CHAOS_SEED=${seed})`, async () => {
  const verdict = await runChaos({ seed, turns: [killed, ...mixed(others, 1, seed)] })
  process.stdout.write(`${tell(verdict)}\n`)
  expect(Object.entries(verdict.faults).filter(([, count]) => count !== 0)).toEqual([])
  expect(verdict.events).toBeGreaterThan(200)
}, 180_000)
