// A worker thread that hangs, throws, ends or does not start is replaced, each time after a longer wait, and its
// state says so.
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { startService } from '../../src/api/start.ts'
import { startWorkerThread } from '../../src/runtime/worker_thread.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { useDatabase } from '../support/database/database.ts'
import { quietLog, sendTo } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { commandLine, missing, runtimes } from '../support/process/program.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const dirs: string[] = []
afterAll(() => {
  for (const dir of dirs) removeDataDir(dir)
})

const fixture = join(import.meta.dir, 'fixtures/worker_thread_process.ts')

for (const runtime of runtimes.filter(one => one !== 'the binary'))
  describe.skipIf(missing(runtime) !== undefined)(`on ${runtime} ${missing(runtime) ?? ''}`, () => {
    test('whatever becomes of it, another one works in its place', async () => {
      const dir = makeDataDir('worker')
      dirs.push(dir)
      const command = (await commandLine(runtime)).slice(0, -1)
      const child = Bun.spawn([...command, fixture, dir], { stdio: ['ignore', 'pipe', 'ignore'] })
      let said = ''
      const reading = (async () => {
        for await (const chunk of child.stdout) said += Buffer.from(chunk)
      })()
      await until(() => said.split('working').length - 1 === 4, 25_000)
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      await reading
      const lines = said.trim().split('\n')
      const waits = lines
        .flatMap(line => /working after (\d+)/.exec(line)?.slice(1) ?? [])
        .map(Number)
      // 40 ms, doubled with every loss in a row; the fourth start failed.
      expect(waits.slice(1).map((wait, at) => wait >= ([40, 80, 320][at] ?? 0) - 2)).toEqual([
        true,
        true,
        true,
      ])
      const changes = lines.map(line => line.replace(/ after \d+ ms$/, ''))
      expect(changes.filter(line => line !== 'restarting')).toEqual([
        'working',
        'silent',
        'lost: the worker thread fell silent',
        'working',
        'lost: this one throws',
        'working',
        'lost: the worker thread ended with code 3',
        'lost: this one does not start',
        'working',
        'stopped',
      ])
      expect(lines.filter(line => line === 'restarting').length).toBeGreaterThan(2)
    }, 30_000)
  })

test('one that does not end in time is cut off, and its stop fails', async () => {
  const thread = await startWorkerThread({
    config: testConfig(),
    url: '',
    onLost: () => {},
    file: new URL('./fixtures/stubborn_worker.ts', import.meta.url),
    times: { stopMs: 100 },
  })
  await expect(thread.stop()).rejects.toThrow('The worker was cut off')
})

test('/readyz says what keeps a process from being ready, and becomes ready again', async () => {
  let state: string | undefined = 'the worker is restarting'
  const notReadyReason = () => state
  const service = await startService(testConfig(), database.url, quietLog(), { notReadyReason })
  try {
    const { status, body } = await sendTo(service.url, '/readyz')
    expect([status, body.error]).toEqual([
      503,
      { code: 'internal_error', message: 'Not ready: the worker is restarting.' },
    ])
    expect((await sendTo(service.url, '/healthz')).status).toBe(200)
    state = undefined
    expect((await sendTo(service.url, '/readyz')).status).toBe(200)
  } finally {
    await service.stop()
  }
})
