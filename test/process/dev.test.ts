// bun dev: the service starts anew after a save, and its embedded PostgreSQL stays up.
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repo/sources.ts'
import { makeDataDir, removeDataDir, useMadeCluster } from '../support/database/data_dir.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const dir = makeDataDir('dev')
afterAll(() => removeDataDir(dir))
const [DATA_DIR, watched] = [join(dir, 'data'), join(dir, 'watched')]
const pidFile = join(DATA_DIR, 'postgres/cluster/postmaster.pid')
const serverPid = () => readFileSync(pidFile, 'utf8').split('\n')[0]

test('a save starts the service anew over the same PostgreSQL, and an end ends both', async () => {
  for (const made of [watched, DATA_DIR]) mkdirSync(made)
  useMadeCluster(DATA_DIR)
  const dev = Bun.spawn([process.execPath, join(root, 'scripts/dev.ts'), watched], {
    cwd: dir,
    env: { PATH: process.env.PATH ?? '', DATA_DIR, PORT: '0', DEMO_LEADS: '20' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  const gather = async (stream: ReadableStream<Uint8Array>) => {
    for await (const bytes of stream) out += new TextDecoder().decode(bytes)
  }
  for (const stream of [dev.stdout, dev.stderr]) void gather(stream)
  const ports = () => [...out.matchAll(/"event":"started".*?"port":(\d+)/g)].map(match => match[1])
  const lead = async (port: string | undefined) => {
    const key = readFileSync(join(DATA_DIR, 'demo_key'), 'utf8')
    const { body } = await sendTo(`http://127.0.0.1:${port}/api/v1`, '/leads?limit=1', bearer(key))
    return body.data[0].id
  }
  await until(() => ports().length === 1, 100_000)
  const [server, before] = [serverPid(), await lead(ports()[0])]
  expect(out).toContain("The dashboard's password is development-only.")
  writeFileSync(join(watched, 'saved.ts'), '// saved')
  await until(() => ports().length === 2, 60_000)
  expect([await lead(ports()[1]), serverPid()]).toEqual([before, server])
  dev.kill('SIGTERM')
  expect(await dev.exited).toBe(0)
  for (const file of [pidFile, join(DATA_DIR, 'database_url')]) expect(existsSync(file)).toBe(false)
}, 200_000)
