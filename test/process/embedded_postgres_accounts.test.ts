// Who runs the embedded PostgreSQL and where its files go: root, root in a closed directory, and
// ordinary users.

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readlink, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, runProgram } from '../../src/embedded/process.ts'
import { countKeptRows, insertKeptRow, query } from './fixtures/rows.ts'
import { makeScratch, removeScratches } from './fixtures/scratch.ts'

setDefaultTimeout(60_000)
afterEach(removeScratches)

const isRoot = process.getuid?.() === 0
const ordinary = isRoot ? await lookUp('nobody') : {}
const ordinaryCanRun = (await runProgram(process.execPath, ['--version'], { account: ordinary })).ok

async function lookUp(name: string): Promise<Account> {
  const [uid, gid] = await Promise.all([
    runProgram('id', ['-u', name]),
    runProgram('id', ['-g', name]),
  ])
  return { uid: Number(uid.output), gid: Number(gid.output) }
}

test.skipIf(!isRoot)(
  'as root below a closed directory the files live elsewhere (only root can start like this)',
  async () => {
    const scratch = await makeScratch(0o700)
    const app = await scratch.copyCheckout()
    const first = scratch.start({ app })
    await insertKeptRow(await first.said('url'))
    const home = await scratch.home()
    expect(await readlink(join(scratch.dataDir, 'postgres'))).toBe(home)
    expect(home.startsWith(scratch.dir)).toBe(false)
    expect((await stat(scratch.dir)).mode & 0o777).toBe(0o700)
    await first.kill('SIGKILL')

    const second = scratch.start({ app })
    expect(await countKeptRows(await second.said('url'))).toBe(1)
    expect(await scratch.home()).toBe(home)
    await second.kill('SIGTERM')

    await rm(home, { recursive: true })
    const third = scratch.start({ app })
    const url = await third.said('url')
    expect(await query(url, sql => sql`select to_regclass('kept') as kept`)).toMatchObject([
      { kept: null },
    ])
    await scratch.home()
  },
)

test.skipIf(!isRoot)(
  'as root in a directory of an ordinary user the server is that user (only root can change accounts)',
  async () => {
    const scratch = await makeScratch(0o700, ordinary)
    await runProgram('mkdir', [scratch.dataDir], { account: ordinary })
    const { stop } = await scratch.startHere()
    // PostgreSQL starts only as the owner of its cluster.
    expect((await stat(join(await scratch.home(), 'cluster'))).uid).toBe(ordinary.uid ?? -1)
    await stop()
  },
)

test.skipIf(!ordinaryCanRun)(
  'an ordinary user needs no right to write into the installed packages (skipped where nobody cannot run bun)',
  async () => {
    const scratch = await makeScratch()
    const app = await scratch.copyCheckout()
    const own = await makeScratch(0o700, ordinary)
    const child = own.start({ app, account: ordinary })
    await insertKeptRow(await child.said('url'))
    expect((await stat(await own.home())).uid).toBe(ordinary.uid ?? process.getuid?.() ?? -1)
    await child.kill('SIGTERM')
    const again = own.start({ app, account: ordinary })
    expect(await countKeptRows(await again.said('url'))).toBe(1)
    await again.kill('SIGTERM')
  },
)
