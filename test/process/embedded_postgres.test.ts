// The embedded PostgreSQL's ordinary life: first start, later starts, settings, and rivals for one
// directory.

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { countRows, insertRow, query } from './fixtures/rows.ts'
import { makeScratch, removeScratches } from './fixtures/scratch.ts'

setDefaultTimeout(60_000)
afterEach(removeScratches)

test('a second start finds the rows of the first, with a path too long for a socket', async () => {
  const scratch = await makeScratch()
  const dataDir = join(scratch.dataDir, 'x'.repeat(120))
  const sentences: string[] = []
  const start = () => startEmbeddedPostgres({ dataDir, onProgress: line => sentences.push(line) })

  const first = await start()
  await insertRow(first.url)
  await Promise.all([first.stop(), first.stop()])
  const second = await start()
  expect(await countRows(second.url)).toBe(1)
  await second.stop()

  expect(sentences.filter(line => line.startsWith('Creating'))).toHaveLength(1)
  expect(new URL(second.url)).toMatchObject({ hostname: '127.0.0.1', pathname: '/workspace' })
})

test('the server is durable, local, protected by the password and apart from the terminal', async () => {
  const scratch = await makeScratch()
  const { url, stop } = await scratch.startHere()
  const [row] = await query(
    url,
    sql => sql`
      select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        current_setting('listen_addresses') as listen, current_setting('server_encoding') as encoding,
        lower('Ä') as lower`,
  )
  expect({ ...row }).toEqual({
    fsync: 'on',
    commit: 'on',
    listen: '127.0.0.1',
    encoding: 'UTF8',
    lower: 'ä',
  })
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

test('a second process is refused with one sentence and the first stays healthy', async () => {
  const scratch = await makeScratch()
  const child = scratch.start()
  const url = await child.said('url')

  await expect(scratch.startHere()).rejects.toThrow(
    `${scratch.dataDir} is in use by process ${child.pid}: stop that process first, choose another directory, or set DATABASE_URL.`,
  )
  await insertRow(url)
  expect(await countRows(url)).toBe(1)

  await child.kill('SIGTERM')
  const { stop } = await scratch.startHere()
  await stop()
})

test('of several simultaneous first starts exactly one wins', async () => {
  const scratch = await makeScratch()
  const children = [scratch.start(), scratch.start(), scratch.start()]
  const answers = await Promise.allSettled(children.map(child => child.said('url')))
  const winner = answers.findIndex(answer => answer.status === 'fulfilled')
  expect(answers.filter(answer => answer.status === 'fulfilled')).toHaveLength(1)
  for (const child of children) {
    if (child === children[winner]) continue
    expect(await child.said('error')).toContain(`in use by process ${children[winner]?.pid}`)
  }
})
