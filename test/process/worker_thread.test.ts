// A worker thread that hangs, throws, ends or does not start is replaced, each time after a longer wait, and its state says so.
import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../src/api/start.ts'
import { startWorkerThread } from '../../src/runtime/worker_thread.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { useDatabase } from '../support/database/database.ts'
import { quietLog, sendTo } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const DATA_DIR = makeDataDir('worker')
afterAll(() => removeDataDir(DATA_DIR))

test('whatever becomes of it, another one works in its place', async () => {
  const seen: string[] = []
  const lostAt: number[] = []
  const waits: number[] = []
  const thread = await startWorkerThread({
    config: testConfig({ DATA_DIR }),
    url: '',
    onLost(reason) {
      lostAt.push(performance.now())
      seen.push(reason)
    },
    file: new URL('./odd_worker.ts', import.meta.url),
    times: { heartbeatMs: 80, restartDelayMs: 40 },
  })
  let last = ''
  const watch = setInterval(() => {
    const state = thread.state()
    if (state === last) return
    last = state
    if (state !== 'restarting') seen.push(state)
    if (state === 'working') waits.push(performance.now() - (lostAt.at(-1) ?? Number.NaN))
  }, 2)
  await until(() => waits.length === 4, 25_000)
  clearInterval(watch)
  await thread.stop()
  // 40 ms, doubled with every loss in a row; the fourth start failed.
  for (const [at, least] of [40, 80, 320].entries())
    expect(waits[at + 1]).toBeGreaterThan(least - 3)
  expect(seen.filter((one, at) => one !== seen[at - 1])).toEqual([
    ...['working', 'silent', 'the worker thread fell silent'],
    ...['working', 'this one throws'],
    ...['working', 'the worker thread ended with code 3', 'this one does not start'],
    'working',
  ])
}, 30_000)

test('/readyz names what keeps a process from being ready, and becomes ready again', async () => {
  let state: string | undefined = 'the worker is restarting'
  const notReadyReason = () => state
  const service = await startService(testConfig(), database.url, quietLog(), { notReadyReason })
  const { status, body } = await sendTo(service.url, '/readyz')
  expect([status, body.error.message]).toEqual([503, 'Not ready: the worker is restarting.'])
  expect((await sendTo(service.url, '/healthz')).status).toBe(200)
  state = undefined
  expect((await sendTo(service.url, '/readyz')).status).toBe(200)
  await service.stop()
})
