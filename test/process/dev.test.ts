// bun dev: the service starts anew after a save, and its embedded PostgreSQL stays up.
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir, removeDataDir, useMadeCluster } from '../support/database/data_dir.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dir, '../..')
const dir = makeDataDir('dev')
const DATA_DIR = join(dir, 'data')
afterAll(() => removeDataDir(dir))

const watched = join(dir, 'watched')

const pidFile = join(DATA_DIR, 'postgres/cluster/postmaster.pid')
const serverPid = () => readFileSync(pidFile, 'utf8').split('\n')[0]
const key = () => readFileSync(join(DATA_DIR, 'demo_key'), 'utf8')

test('a save starts the service anew over the same PostgreSQL, and an end ends both', async () => {
  mkdirSync(watched)
  mkdirSync(DATA_DIR)
  useMadeCluster(DATA_DIR)
  const dev = Bun.spawn([process.execPath, join(root, 'scripts/dev.ts'), watched], {
    cwd: dir,
    env: { PATH: process.env.PATH ?? '', DATA_DIR, PORT: '0', DEMO_LEADS: '20' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let said = ''
  const gather = async (stream: ReadableStream<Uint8Array>, add: (text: string) => void) => {
    for await (const bytes of stream) add(new TextDecoder().decode(bytes))
  }
  void gather(dev.stdout, text => {
    out += text
  })
  void gather(dev.stderr, text => {
    said += text
  })
  const ports = () => [...out.matchAll(/"event":"started".*?"port":(\d+)/g)].map(match => match[1])
  const leads = async (port: string | undefined) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/leads?limit=1`, {
      headers: { authorization: `Bearer ${key()}` },
    })
    return ((await response.json()) as { data: { id: string }[] }).data
  }

  await until(() => ports().length === 1, 100_000)
  const server = serverPid()
  const before = await leads(ports()[0])
  expect(before).toHaveLength(1)
  expect(said).toContain("The dashboard's password is development-only.")

  writeFileSync(join(watched, 'saved.ts'), '// saved')
  await until(() => ports().length === 2, 60_000)
  expect(await leads(ports()[1])).toEqual(before)
  expect(serverPid()).toBe(server)

  dev.kill('SIGTERM')
  expect(await dev.exited).toBe(0)
  expect(existsSync(pidFile)).toBe(false)
  expect(existsSync(join(DATA_DIR, 'database_url'))).toBe(false)
}, 200_000)
