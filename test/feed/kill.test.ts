// Two workers, one of them killed with SIGKILL every 250 ms while sixteen writers write: the feed stays whole.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { connect } from '../../src/db/connect.ts'
import { feedReader, flawless, judgeRace, race } from '../support/feed/feed_reader.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()

const spawnWorker = () =>
  Bun.spawn(['bun', join(import.meta.dir, 'fixtures/worker_process.ts'), api.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })

test('sequencers killed every 250 ms lose and double nothing', async () => {
  const writers = connect({
    url: api.url,
    connectionsMax: 16,
    applicationName: 'race',
    statementTimeoutMs: 20_000,
  })
  const workers = [spawnWorker(), spawnWorker()]
  let kills = 0
  const killer = setInterval(() => {
    const victim = workers.shift()
    victim?.kill('SIGKILL')
    workers.push(spawnWorker())
    kills += 1
  }, 250)
  const reader = feedReader(api)
  try {
    const running = race(writers, { writers: 16, durationMs: 2_000, held: 0.02, rolledBack: 0.05 })
    let done = false
    const reading = (async () => {
      while (!done) if ((await reader.readPage()) === 0) await Bun.sleep(5)
    })()
    const committed = await running.finally(() => {
      done = true
      clearInterval(killer)
    })
    await reading
    await until(() => isSequenced(api.sql), 10_000)
    await reader.readAll()
    expect(kills).toBeGreaterThan(4)
    expect(judgeRace(committed, reader.seen)).toEqual(
      flawless([...committed.values()].flat().length),
    )
  } finally {
    clearInterval(killer)
    for (const worker of workers) worker.kill('SIGKILL')
    await Promise.all(workers.map(worker => worker.exited))
    await writers.end({ timeout: 1 })
  }
}, 60_000)
