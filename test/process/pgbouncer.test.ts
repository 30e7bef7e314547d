// Everything through PgBouncer in transaction mode, with what docs/operations/pgbouncer.md has operators write. The logins are the
// roles of least privilege, which bring the settings along that the pooler drops. Only LISTEN goes past it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect as dial } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../../bench/processes.ts'
import { migrate } from '../../src/db/migrate.ts'
import { chooseAccount } from '../../src/embedded/home.ts'
import { read } from '../repo/sources.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { oneConnection, useDatabase, useEmptyDatabases } from '../support/database/database.ts'
import { useRoles } from '../support/database/roles.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { bearer, sendTo, useServiceOn } from '../support/http/service.ts'
import { isNightly, unlessNightly } from '../support/nightly.ts'
import { until } from '../support/until.ts'
import { deliverOnce, readEverything, writeWorkspace } from './smoke.ts'

// At the end connections close behind a database that is gone.
setDefaultTimeout(30_000)

// Debian installs it where only root looks.
const file = Bun.which('pgbouncer', { PATH: `${process.env.PATH ?? ''}:/usr/sbin` })

/** Whether it keeps the protocol's prepared statements apart (1.21 and newer). */
function knowsPrepared(): boolean {
  const said = file === null ? '' : Bun.spawnSync([file, '--version']).stdout.toString()
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(said)?.map(Number) ?? []
  return major > 1 || minor >= 21
}

const answers = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = dial(port, '127.0.0.1', () => resolve(socket.destroy() !== undefined))
    socket.on('error', () => resolve(false))
  })

/** Before the server of the addresses, for the logins in them. Two connections per login, so that clients share them. */
async function startPgBouncer(urls: URL[]) {
  const dir = makeDataDir('pgbouncer')
  const port = await freePort()
  const isNew = knowsPrepared()
  const [, advised = ''] = /```ini\n([\s\S]*?)```/.exec(read('docs/operations/pgbouncer.md')) ?? []
  const users = urls.map(({ username, password }) => `"${username}" "${password}"\n`)
  const lines = `[databases]
* = host=${urls[0]?.hostname} port=${urls[0]?.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(dir, 'users.txt')}
${isNew ? advised : advised.replace(/^max_prepared_statements.*$/m, '')}
default_pool_size = 2
query_wait_timeout = 1
server_login_retry = 1
`
  for (const [name, text] of Object.entries({
    'users.txt': users.join(''),
    'pgbouncer.ini': lines,
  })) {
    writeFileSync(join(dir, name), text)
    chmodSync(join(dir, name), 0o644)
  }
  // It does not run as root.
  const pooler = Bun.spawn([file ?? '', '-q', join(dir, 'pgbouncer.ini')], {
    ...(await chooseAccount(dir)),
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  await until(() => answers(port), 10_000)
  return {
    /** Such an address, led through the pooler. */
    lead(databaseUrl: string) {
      const url = new URL(databaseUrl)
      url.host = `127.0.0.1:${port}`
      if (!isNew) url.search = '?prepare=false'
      return url.href
    },
    async stop() {
      pooler.kill('SIGKILL')
      await pooler.exited
      removeDataDir(dir)
    },
  }
}

describe.skipIf(file === null || !isNightly)(`behind PgBouncer${unlessNightly}`, () => {
  let worker: { stop(): Promise<void> }
  // Before the database goes: a pooler holds clients back for as long as it looks for one that is gone.
  afterAll(async () => {
    await worker.stop()
    await pooler.stop()
  })
  const database = useDatabase()
  const roles = useRoles(database)
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>
  beforeAll(async () => {
    const urls = [database.url, ...(['api', 'worker', 'writer'] as const).map(roles.url)]
    pooler = await startPgBouncer(urls.map(url => new URL(url)))
  })
  const api = useServiceOn(database, () => ({
    url: pooler.lead(roles.url('api')),
    settings: { DATABASE_LISTEN_URL: roles.url('api'), WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  }))
  const hooks = useHooks(api)
  beforeAll(async () => {
    hooks.settings.DATABASE_LISTEN_URL = roles.url('worker')
    worker = await hooks.startWorker({}, pooler.lead(roles.url('worker')))
  })

  test('REST, tools, feed and deliveries work, twenty rounds over two shared connections', async () => {
    const writer = oneConnection(pooler.lead(roles.url('writer')))
    const workspace = await writeWorkspace(writer)
    await deliverOnce(api, hooks, writer, '/ok/pgbouncer')
    await Promise.all(Array.from({ length: 20 }, () => readEverything(api, workspace)))
    await writer.end({ timeout: 1 })
  })

  test('sessions have their settings, and a revoked key is refused at once: the notification came past the pooler', async () => {
    const sql = oneConnection(pooler.lead(roles.url('api')))
    const [row] = await sql`
      select current_setting('jit') as jit, current_setting('statement_timeout') as timeout`
    expect({ ...row }).toEqual({ jit: 'off', timeout: '5s' })
    await sql.end({ timeout: 1 })
    const key = await api.makeKey('read:leads')
    const status = async () => (await sendTo(api.base, '/leads', bearer(key))).status
    expect(await status()).toBe(200)
    await api.sql`update api_keys set revoked_at = now() where prefix = ${key.slice(0, 12)}`
    await until(async () => (await status()) === 401, 1_000)
  })

  const openEmpty = useEmptyDatabases()

  test('migrations need no connection of their own', async () => {
    const [direct] = await openEmpty()
    const [{ name } = { name: '' }] = await direct`select current_database() as name`
    const url = new URL(pooler.lead(database.url))
    url.pathname = `/${name}`
    const sql = oneConnection(url.href)
    expect((await migrate(sql)).length).toBeGreaterThan(10)
    expect(await migrate(sql)).toEqual([])
    await sql.end({ timeout: 1 })
  })
})
