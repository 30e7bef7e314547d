// The embedded PostgreSQL's ordinary life: first start, later starts, settings, and rivals for one
// directory.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { chooseAccount } from '../../src/embedded/account.ts'
import { findBinaries } from '../../src/embedded/binaries.ts'
import { openHome } from '../../src/embedded/home.ts'
import { initCluster } from '../../src/embedded/init.ts'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { countKeptRows, insertKeptRow, query } from './fixtures/rows.ts'
import { makeScratch, removeScratches } from './fixtures/scratch.ts'

setDefaultTimeout(60_000)
afterAll(removeScratches)

/** Of the tests that need a cluster, but not its first start. */
let scratch: Awaited<ReturnType<typeof makeScratch>>
beforeAll(async () => {
  scratch = await makeScratch()
  await scratch.takeMadeCluster()
})

test('a second start finds the rows of the first, with a path too long for a socket', async () => {
  const { dataDir: parent } = await makeScratch()
  const dataDir = join(parent, 'x'.repeat(120))
  const sentences: string[] = []
  const start = () => startEmbeddedPostgres({ dataDir, onProgress: line => sentences.push(line) })

  const first = await start()
  await insertKeptRow(first.url)
  await Promise.all([first.stop(), first.stop()])
  const second = await start()
  expect(await countKeptRows(second.url)).toBe(1)
  await second.stop()

  expect(sentences.filter(line => line.startsWith('Creating'))).toHaveLength(1)
  expect(new URL(second.url)).toMatchObject({ hostname: '127.0.0.1', pathname: '/workspace' })
})

test('the server is durable, local, protected by the password and apart from the terminal', async () => {
  const { url, stop } = await scratch.startHere()
  const [row] = await query(
    url,
    sql => sql`
      select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        current_setting('listen_addresses') as listen, current_setting('server_encoding') as encoding,
        pg_size_bytes(current_setting('shared_buffers'))::float8 as buffers, lower('Ä') as lower`,
  )
  const quarter = (process.constrainedMemory() || totalmem()) / 4
  expect({ ...row }).toEqual({
    buffers: Math.floor(Math.min(512, Math.max(128, quarter / 2 ** 20))) * 2 ** 20,
    fsync: 'on',
    commit: 'on',
    listen: '127.0.0.1',
    encoding: 'UTF8',
    lower: 'ä',
  })
  // A name with an umlaut is one word, so that the index of the search has all of it.
  const [{ shown } = {}] = await query(url, async sql => {
    await sql`create extension if not exists pg_trgm`
    return await sql`select cardinality(show_trgm('mü')) as shown`
  })
  expect(shown).toBe(3)
  const wrong = new URL(url)
  wrong.password = 'wrong'
  await expect(query(wrong.href, sql => sql`select 1`)).rejects.toThrow(
    'password authentication failed',
  )
  expect((await stat(join(await scratch.home(), 'password'))).mode & 0o777).toBe(0o600)

  const pid = await scratch.serverPid()
  // Signal 0 to a process group: it exists only when the server leads its own.
  expect(process.kill(-pid, 0)).toBe(true)
  await stop()
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

test('the log names the fault of a statement, and nothing that the statement held', async () => {
  const { url, stop } = await scratch.startHere()
  const failing = query(url, async sql => {
    await sql`create table people (name text check (length(name) < 5))`
    return await sql.unsafe("insert into people values ('Erika Muster')")
  })
  await expect(failing).rejects.toThrow('violates check constraint')
  await stop()
  const log = await readFile(join(await scratch.home(), 'log'), 'utf8')
  expect(log).toContain('violates check constraint "people_name_check"')
  expect(log).not.toContain('Erika Muster')
})

test('where the system has no C.UTF-8 the files are made without it', async () => {
  const { dir, dataDir } = await makeScratch()
  await mkdir(dataDir)
  const home = await openHome(dataDir, await chooseAccount(dataDir))
  const binaries = await findBinaries(home)
  const initdb = join(dir, 'initdb')
  const script = `#!/bin/sh
case "$*" in *--lc-ctype=*) echo 'initdb: error: invalid locale name "C.UTF-8"' >&2; exit 1;; esac
exec '${binaries.initdb}' "$@"
`
  await writeFile(initdb, script, { mode: 0o755 })
  expect(await initCluster(home, { ...binaries, initdb }, () => {})).toMatch(/^[0-9a-f]{48}$/)
  expect((await stat(join(home.cluster, 'PG_VERSION'))).isFile()).toBe(true)
})

test('a second process is refused with one sentence and the first stays healthy', async () => {
  const child = scratch.start()
  const url = await child.said('url')

  await expect(scratch.startHere()).rejects.toThrow(
    `${scratch.dataDir} is in use by process ${child.pid}: stop that process first, choose another directory, or set DATABASE_URL.`,
  )
  await insertKeptRow(url)
  expect(await countKeptRows(url)).toBe(1)

  await child.kill('SIGTERM')
  const { stop } = await scratch.startHere()
  await stop()
})

test('of several simultaneous first starts exactly one wins', async () => {
  const empty = await makeScratch()
  const children = [empty.start(), empty.start(), empty.start()]
  const answers = await Promise.allSettled(children.map(child => child.said('url')))
  const winner = answers.findIndex(answer => answer.status === 'fulfilled')
  expect(answers.filter(answer => answer.status === 'fulfilled')).toHaveLength(1)
  for (const child of children) {
    if (child === children[winner]) continue
    expect(await child.said('error')).toContain(`in use by process ${children[winner]?.pid}`)
  }
})
