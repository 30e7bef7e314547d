// A PgBouncer in transaction mode before a server, where the machine has one.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, connect as dial } from 'node:net'
import { join } from 'node:path'
import { chooseAccount } from '../../src/embedded/home.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { until } from '../support/until.ts'

const path = `${process.env.PATH ?? ''}:/usr/sbin`

/** Where it is, or undefined. Debian installs it where only root looks. */
export const pgbouncerFile = (): string | undefined =>
  Bun.which('pgbouncer', { PATH: path }) ?? undefined

/** Whether it keeps the protocol's prepared statements apart (1.21 and newer). */
function knowsPrepared(file: string): boolean {
  const said = Bun.spawnSync([file, '--version']).stdout.toString()
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(said)?.map(Number) ?? []
  return major > 1 || minor >= 21
}

export type PgBouncer = {
  /** Such an address, led through the pooler. */
  lead(databaseUrl: string): string
  stop(): Promise<void>
}

const freePort = () =>
  new Promise<number>(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

const answers = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = dial(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })

/** What docs/operations/pgbouncer.md has operators write, as far as this version knows it. */
function advised(prepared: boolean): string[] {
  const page = readFileSync(join(import.meta.dir, '../../docs/operations/pgbouncer.md'), 'utf8')
  const [, block = ''] = /```ini\n([\s\S]*?)```/.exec(page) ?? []
  return block.split('\n').filter(line => prepared || !line.startsWith('max_prepared_statements'))
}

/** Before the server of `url`, for the logins of all `urls`. Two connections per login, so that clients share them. */
export async function startPgBouncer(file: string, urls: string[]): Promise<PgBouncer> {
  const [server = new URL('postgres://localhost')] = urls.map(url => new URL(url))
  const dir = makeDataDir('pgbouncer')
  const port = await freePort()
  const prepared = knowsPrepared(file)
  const users = urls.map(url => new URL(url)).map(url => `"${url.username}" "${url.password}"\n`)
  writeFileSync(join(dir, 'users.txt'), users.join(''))
  const lines = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${join(dir, 'users.txt')}`,
    ...advised(prepared),
    'default_pool_size = 2',
    // The database is dropped before the last client stops: none is to wait for it.
    'query_wait_timeout = 1',
    'server_login_retry = 1',
  ]
  writeFileSync(join(dir, 'pgbouncer.ini'), `${lines.join('\n')}\n`)
  for (const name of ['users.txt', 'pgbouncer.ini']) chmodSync(join(dir, name), 0o644)
  // It does not run as root.
  const pooler = Bun.spawn([file, '-q', join(dir, 'pgbouncer.ini')], {
    ...(await chooseAccount(dir)),
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  await until(() => answers(port), 10_000)
  return {
    lead(databaseUrl) {
      const url = new URL(databaseUrl)
      url.host = `127.0.0.1:${port}`
      if (!prepared) url.search = '?prepare=false'
      return url.href
    },
    async stop() {
      pooler.kill('SIGKILL')
      await pooler.exited
      removeDataDir(dir)
    },
  }
}
