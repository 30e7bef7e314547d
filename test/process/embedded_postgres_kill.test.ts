// The embedded PostgreSQL after kill -9, at every point that leaves something behind.

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../src/embedded/process.ts'
import { countRows, insertRow } from './fixtures/rows.ts'
import { killAndWait, makeScratch, removeScratches } from './fixtures/scratch.ts'

setDefaultTimeout(60_000)
afterEach(removeScratches)

test('after kill -9 of its process the next start has every committed row', async () => {
  const scratch = await makeScratch()
  const child = scratch.start()
  const url = await child.said('url')
  await insertRow(url)
  const orphan = await scratch.serverPid()
  await child.kill('SIGKILL')

  const { url: next, stop } = await scratch.startHere()
  expect(await countRows(next)).toBe(1)
  expect(await scratch.serverPid()).not.toBe(orphan)
  await stop()
})

test('after kill -9 of process and server the next start has every committed row', async () => {
  const scratch = await makeScratch()
  const child = scratch.start()
  await insertRow(await child.said('url'))
  await child.kill('SIGKILL')
  await killAndWait(await scratch.serverPid())

  const { url, stop } = await scratch.startHere()
  expect(await countRows(url)).toBe(1)
  await stop()
})

for (const reached of ['', 'PG_VERSION', 'global/pg_control']) {
  test(`after kill -9 while files are made (${reached || 'empty folder'}) the next start works`, async () => {
    const scratch = await makeScratch()
    const child = scratch.start()
    await until(async () => {
      const home = await scratch.home().catch(() => '')
      const half = (await readdir(home || scratch.dir)).find(name => name.startsWith('partial-'))
      return half !== undefined && (await stat(join(home, half, reached)).catch(() => 0)) !== 0
    }, 20_000)
    await child.kill('SIGKILL')
    expect(await readdir(await scratch.home())).not.toContain('cluster')

    const first = await scratch.startHere()
    await insertRow(first.url)
    await first.stop()
    const second = await scratch.startHere()
    expect(await countRows(second.url)).toBe(1)
    await second.stop()
    const names = await readdir(await scratch.home())
    expect(names.filter(name => name.startsWith('partial-'))).toEqual([])
  })
}

test('numbers in stale files that other processes have got meanwhile do not matter', async () => {
  const scratch = await makeScratch()
  const child = scratch.start()
  await insertRow(await child.said('url'))
  await child.kill('SIGKILL')
  await killAndWait(await scratch.serverPid())

  // PostgreSQL itself is only misled by a process of its own account.
  const home = await scratch.home()
  const { uid, gid } = await stat(join(home, 'cluster'))
  const other = Bun.spawn(['sleep', '600'], { uid, gid, cwd: '/' })
  try {
    const pidFile = join(home, 'cluster', 'postmaster.pid')
    const stale = await readFile(pidFile, 'utf8')
    await writeFile(pidFile, stale.replace(/^\d+/, `${other.pid}`))
    for (const folder of [scratch.dataDir, home]) {
      await rm(join(folder, 'lock'), { recursive: true })
      await mkdir(join(folder, 'lock'))
      await writeFile(join(folder, 'lock', `${other.pid}-1`), '')
    }
    const { url, stop } = await scratch.startHere()
    expect(await countRows(url)).toBe(1)
    await stop()
    expect([other.exitCode, other.signalCode]).toEqual([null, null])
  } finally {
    other.kill('SIGKILL')
    await other.exited
  }
})
