// The embedded PostgreSQL after kill -9, at every point that leaves something behind.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isTrueWithin } from '../../src/embedded/process.ts'
import { countKeptRows, insertKeptRow } from './fixtures/rows.ts'
import { killAndWait, makeScratch, removeScratches } from './fixtures/scratch.ts'

setDefaultTimeout(60_000)
afterAll(removeScratches)

/** One cluster, to which each test but that of the first start adds a row. */
let scratch: Awaited<ReturnType<typeof makeScratch>>
beforeAll(async () => {
  scratch = await makeScratch()
  await scratch.takeMadeCluster()
  const { url, stop } = await scratch.startHere()
  await insertKeptRow(url)
  await stop()
})

test('after kill -9 of its process the next start has every committed row', async () => {
  const child = scratch.start()
  await insertKeptRow(await child.said('url'))
  const orphan = await scratch.serverPid()
  await child.kill('SIGKILL')

  const { url: next, stop } = await scratch.startHere()
  expect(await countKeptRows(next)).toBe(2)
  expect(await scratch.serverPid()).not.toBe(orphan)
  await stop()
})

test('after kill -9 of process and server the next start has every committed row', async () => {
  const child = scratch.start()
  await insertKeptRow(await child.said('url'))
  await child.kill('SIGKILL')
  await killAndWait(await scratch.serverPid())

  const { url, stop } = await scratch.startHere()
  expect(await countKeptRows(url)).toBe(3)
  await stop()
})

test('after each kill -9 while files are made the next start begins anew, and the last one works', async () => {
  const empty = await makeScratch()
  for (const reached of ['', 'PG_VERSION', 'global/pg_control']) {
    const child = empty.start()
    const before = new Set(await readdir(await empty.home().catch(() => empty.dir)))
    await isTrueWithin(async () => {
      const home = await empty.home().catch(() => '')
      const half = (await readdir(home || empty.dir)).find(
        name => name.startsWith('partial-') && !before.has(name),
      )
      return half !== undefined && (await stat(join(home, half, reached)).catch(() => 0)) !== 0
    }, 20_000)
    await child.kill('SIGKILL')
    expect(await readdir(await empty.home())).not.toContain('cluster')
  }
  const first = await empty.startHere()
  await insertKeptRow(first.url)
  await first.stop()
  const second = await empty.startHere()
  expect(await countKeptRows(second.url)).toBe(1)
  await second.stop()
  const names = await readdir(await empty.home())
  expect(names.filter(name => name.startsWith('partial-'))).toEqual([])
})

test('numbers in stale files that other processes have got meanwhile do not matter', async () => {
  const child = scratch.start()
  await insertKeptRow(await child.said('url'))
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
    expect(await countKeptRows(url)).toBe(4)
    await stop()
    expect([other.exitCode, other.signalCode]).toEqual([null, null])
  } finally {
    other.kill('SIGKILL')
    await other.exited
  }
})
