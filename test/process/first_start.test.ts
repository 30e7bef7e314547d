// First starts that do not come to serve, and a terminal that is closed: nothing is left behind, and the next start makes it good.
import { afterAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import { launch, run } from '../support/process/program.ts'
import { until } from '../support/until.ts'

const dir = makeDataDir('first_start')
afterAll(() => removeDataDir(dir))

const addressFile = (dataDir: string) => join(dataDir, 'database_url')
const isServing = (dataDir: string) => existsSync(join(dataDir, 'postgres/cluster/postmaster.pid'))

test('a first start that is stopped while it loads demo data ends well, and the next one begins anew', async () => {
  const DATA_DIR = join(dir, 'stopped')
  const first = await launch('Bun', { DATA_DIR })
  await until(() => first.output().includes('PostgreSQL is running'), 60_000)
  expect(await first.stop()).toBe(0)
  expect(first.output()).not.toMatch(/^\s+at |demo key/m)
  expect(isServing(DATA_DIR)).toBe(false)
  const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const failed = await run('Bun', ['serve'], { DATA_DIR, PORT: String(taken.port) })
  expect([failed.code, failed.said]).toEqual([1, expect.stringContaining('demo data')])
  await taken.stop(true)
  // What a start that failed would have made was said to the owner by no start.
  const second = await launch('Bun', { DATA_DIR })
  const base = `${await second.listens()}/api/v1`
  await until(() => /^ +password +\S+/m.test(second.output()))
  const key = readFileSync(join(DATA_DIR, 'demo_key'), 'utf8')
  expect((await sendTo(base, '/leads?limit=200', bearer(key))).body.data).toHaveLength(200)
  await until(async () => {
    const { data } = (await sendTo(base, '/events?limit=200', bearer(key))).body
    return data.length === 200
  })
  expect(await second.stop()).toBe(0)
}, 150_000)

test('a start whose server ends on the way does not wait for it, and says so', async () => {
  const DATA_DIR = join(dir, 'lost')
  const start = await launch('Bun', { DATA_DIR })
  await until(() => start.output().includes('PostgreSQL is running'), 60_000)
  const pidFile = readFileSync(join(DATA_DIR, 'postgres/cluster/postmaster.pid'), 'utf8')
  process.kill(Number.parseInt(pidFile, 10), 'SIGKILL')
  expect(await start.exited).toBe(1)
  expect(start.output()).toContain('The embedded PostgreSQL has ended: see ')
}, 60_000)

test('a start that is stopped twice while its server starts leaves no server behind', async () => {
  const DATA_DIR = join(dir, 'stopped')
  const start = await launch('Bun', { DATA_DIR })
  await until(() => isServing(DATA_DIR), 30_000)
  start.kill('SIGTERM')
  start.kill('SIGINT')
  await start.exited
  expect(isServing(DATA_DIR)).toBe(false)
}, 60_000)

// script, of util-linux, makes a terminal.
const script = Bun.which('script')

test.skipIf(script === null)(
  `a terminal that is closed takes the embedded server along${script === null ? ' (skipped: there is no script here)' : ''}`,
  async () => {
    // It has its demo data by now.
    const DATA_DIR = join(dir, 'stopped')
    const main = join(import.meta.dir, '../../src/main.ts')
    const terminal = Bun.spawn([script ?? '', '-qfc', `bun ${main}`, join(dir, 'typescript')], {
      env: { PATH: process.env.PATH ?? '', PORT: '0', DATA_DIR },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const serves = () => readFileSync(join(dir, 'typescript'), 'utf8').includes('"started"')
    await until(() => existsSync(join(dir, 'typescript')) && serves(), 60_000)
    expect(isServing(DATA_DIR)).toBe(true)
    terminal.kill('SIGKILL')
    await until(() => !isServing(DATA_DIR) && !existsSync(addressFile(DATA_DIR)), 20_000)
  },
  100_000,
)
