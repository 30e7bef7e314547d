// A database that cannot serve at the moment: clients are told that it will pass, and /readyz that writers cannot commit.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientError } from '../../src/api/http/client_error.ts'
import { ApiError } from '../../src/errors.ts'
import { countLockWaits, whileLocked } from '../support/database/database.ts'
import { bearer, quietLog, sendTo, useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
const readiness = () => sendTo(new URL(api.base).origin, '/readyz')

test('a table that another session has locked is 503, to be tried again', async () => {
  const { status, body, headers } = await whileLocked(api.url, 'leads', () => api.send('/leads'))
  expect([status, body.error.code, headers.get('retry-after')]).toEqual([
    503,
    'internal_error',
    '1',
  ])
  expect(body.error.message).toStartWith('The database is busy; try again in a second.')
  expect((await api.send('/leads')).status).toBe(200)
}, 15_000)

test('/readyz is 503 while every request waits for a lock', async () => {
  const { waiting } = await whileLocked(api.url, 'leads', async () => {
    const key = await api.makeKey('read:leads')
    const ask = () => sendTo(api.base, '/leads', bearer(key))
    const waiting = Array.from({ length: 16 }, ask)
    await until(async () => (await countLockWaits(api.sql)) === 4)
    const { status, body, headers } = await readiness()
    expect([status, body.error.message, headers.get('retry-after')]).toEqual([
      503,
      'Not ready: the database is away.',
      '1',
    ])
    return { waiting }
  })
  await Promise.all(waiting)
  expect((await readiness()).status).toBe(200)
}, 15_000)

test('a database that is away, full or takes no writes is 503; what is broken is 500', () => {
  const errorOf = (code: string) =>
    clientError(Object.assign(new Error('x'), { code }), quietLog(), 'id')
  const passing = ['53300', '55P03', '25006', '53100', '08006', '08P01', '57P01', '57P03']
  const away = ['ECONNREFUSED', 'ECONNRESET', 'CONNECT_TIMEOUT', 'CONNECTION_CLOSED']
  for (const code of [...passing, ...away]) {
    const { status, headers } = errorOf(code)
    expect([code, status, headers['retry-after']]).toEqual([code, 503, '1'])
  }
  for (const code of ['42P01', '57014', '28P01'])
    expect([code, errorOf(code).status]).toEqual([code, 500])
  expect(errorOf('53100').message).toStartWith('The database takes no writes; try again')
  expect(clientError(new ApiError('not_found', 'x'), quietLog(), 'id').status).toBe(404)
})

/** Says what the server's next connections are set to, until the test is over. */
async function withSetting(name: string, value: string, work: () => Promise<void>) {
  const database = new URL(api.url).pathname.slice(1)
  const reconnect = () => api.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await api.sql.unsafe(`alter database ${database} set ${name} = '${value}'`)
  await reconnect()
  try {
    await work()
  } finally {
    await api.sql.unsafe(`set ${name} = default; alter database ${database} reset ${name}`)
    await reconnect()
  }
}

const message = async () => (await readiness()).body.error?.message

test('/readyz says that a read-only database takes no writes', async () => {
  expect((await readiness()).status).toBe(200)
  await withSetting('default_transaction_read_only', 'on', async () => {
    await until(async () => (await message()) === 'Not ready: the database takes no writes.')
  })
  await until(async () => (await readiness()).status === 200)
})

let disk: string | undefined
beforeAll(() => {
  const dir = mkdtempSync(join(tmpdir(), 'full-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', dir])
  if (mounted.status === 0) disk = dir
  else {
    rmSync(dir, { recursive: true })
    process.stdout.write('Skipped: a full disk, which takes the right to mount one.\n')
  }
})
afterAll(() => {
  if (disk === undefined) return
  spawnSync('umount', ['--lazy', disk])
  rmSync(disk, { recursive: true, force: true })
})

test('/readyz says that a full disk takes no writes', async () => {
  if (disk === undefined) return
  const [server] = await api.sql`show data_directory`
  const { uid, gid } = statSync(server?.data_directory)
  chownSync(disk, uid, gid)
  const space = `full_${Date.now()}`
  await api.sql.unsafe(`create tablespace ${space} location '${disk}'`)
  await withSetting('temp_tablespaces', space, async () => {
    await until(async () => (await readiness()).status === 200)
    const { bavail, bsize } = statfsSync(disk ?? '')
    writeFileSync(join(disk ?? '', 'filler'), Buffer.alloc(bavail * bsize))
    await until(async () => (await message()) === 'Not ready: the database takes no writes.')
    rmSync(join(disk ?? '', 'filler'))
    await until(async () => (await readiness()).status === 200)
  })
  await until(() => api.sql.unsafe(`drop tablespace ${space}`).then(() => true))
})
