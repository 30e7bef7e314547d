// A start that cannot succeed says why in a sentence and ends.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { makeSigningSecret, sealSecret } from '../../src/model/signing_secret.ts'
import {
  clusterOf,
  makeDataDir,
  removeDataDir,
  useMadeCluster,
} from '../support/database/data_dir.ts'
import { useDatabase } from '../support/database/database.ts'
import { hook } from '../support/database/factory.ts'
import { secretsKey } from '../support/http/settings.ts'
import {
  commandLine,
  launch,
  missing,
  type Runtime,
  run,
  runtimes,
  spawn,
  startProgram,
} from '../support/process/program.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const dir = makeDataDir('failing')
let taken: Server
let port: number
let hangingUp: Server
let speakingHttp: Server
let pooler: Server

const listening = async (server: Server): Promise<Server> => {
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)))
  return server
}
const portOf = (server: Server) => (server.address() as { port: number }).port

beforeAll(async () => {
  const id = crypto.randomUUID()
  const secret = sealSecret(makeSigningSecret(), [Buffer.from(secretsKey, 'base64')], id)
  await hook(database.sql, { id, secret })
  taken = await listening(createServer())
  port = portOf(taken)
  hangingUp = await listening(
    createServer(socket => socket.on('error', () => {}).once('data', () => socket.destroy())),
  )
  speakingHttp = await listening(
    createServer(socket => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    }),
  )
  // As PgBouncer without `ignore_startup_parameters`.
  const fields = ['SFATAL', 'C08P01', 'Munsupported startup parameter: statement_timeout', '']
  const text = Buffer.from(`${fields.join('\0')}\0`)
  const head = Buffer.from([...Buffer.from('E'), 0, 0, 0, text.length + 4])
  pooler = await listening(
    createServer(socket => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(Buffer.concat([head, text])))
    }),
  )
  mkdirSync(join(dir, 'leads'))
  writeFileSync(join(dir, 'leads/get_lead.sql'), 'select 1;')
})
afterAll(() => {
  for (const server of [taken, hangingUp, speakingHttp, pooler]) server.close()
  removeDataDir(dir)
})

/** A directory with an empty file at the path. */
function overridden(path: string): string {
  const made = join(dir, `${crypto.randomUUID()}`)
  mkdirSync(dirname(join(made, path)), { recursive: true })
  writeFileSync(join(made, path), '')
  return made
}

const start = (runtime: Runtime, env: Record<string, string>) =>
  run(runtime, ['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRETS_KEY: secretsKey,
    DATABASE_WAIT_MS: '1000',
    ...env,
  })

const wrong = (change: (url: URL) => void): string => {
  const url = new URL(database.url)
  change(url)
  return url.href
}

const at = (server: Server) => wrong(url => (url.port = String(portOf(server))))
const noDatabase = /^DATABASE_URL: no database answers at 127\.0\.0\.1:\d+ \(.+\)(; .+)?\.$/m

type Case = [what: string, env: () => Record<string, string>, code: 1 | 2, message: RegExp]

/** What a runtime says of a network decides these. */
const networkCases: Case[] = [
  [
    'the port is taken',
    () => ({ PORT: String(port) }),
    1,
    /^Port \d+ of 127\.0\.0\.1 is taken by another program; PORT chooses another one\.$/m,
  ],
  [
    'the port is taken, API alone',
    () => ({ PORT: String(port), ROLES: 'api' }),
    1,
    /^Port \d+ of 127\.0\.0\.1 is taken by another program; PORT chooses another one\.$/m,
  ],
  [
    'HOST is no address of this machine',
    () => ({ HOST: '192.0.2.1' }),
    2,
    /^HOST must be an address or a name of this machine, not 192\.0\.2\.1: .+\.$/m,
  ],
  [
    'HOST does not resolve',
    () => ({ HOST: 'no-such.example', ROLES: 'api' }),
    2,
    /^HOST must be an address or a name of this machine, not no-such\.example: .+\.$/m,
  ],
  [
    'nothing listens there, after a while',
    () => ({ DATABASE_URL: wrong(url => (url.port = '1')) }),
    1,
    /^DATABASE_URL: no database answers at 127\.0\.0\.1:1 \(.*(ECONNREFUSED|refused).*\)\.$/i,
  ],
  [
    'what listens there hangs up, after a while',
    () => ({ DATABASE_URL: at(hangingUp) }),
    1,
    noDatabase,
  ],
  [
    'what listens there is a web server, after a while',
    () => ({ DATABASE_URL: at(speakingHttp) }),
    1,
    noDatabase,
  ],
]

/** PostgreSQL and this program decide these, on each runtime alike. */
const otherCases: Case[] = [
  ['an override does not parse', () => ({ SQL_DIR: dir }), 2, /leads\/get_lead\.sql/],
  [
    'an override does not parse, API alone',
    () => ({ SQL_DIR: dir, ROLES: 'api' }),
    2,
    /leads\/get_lead\.sql/,
  ],
  [
    'an override is a directory',
    () => ({ SQL_DIR: overridden('leads/list_leads.sql/x') }),
    2,
    /^leads\/list_leads\.sql: SQL_DIR has no file of that name that can be read \(.+\)$/,
  ],
  [
    'a file of SQL_DIR is no query',
    () => ({ SQL_DIR: overridden('leads/list_lead.sql') }),
    2,
    /^SQL_DIR replaces queries; it holds leads\/list_lead\.sql, but no query has that name$/,
  ],
  [
    'the server has no TLS, after a while',
    () => ({ DATABASE_URL: `${database.url}?sslmode=require` }),
    1,
    /^DATABASE_URL: no database answers at .+; a server without TLS needs sslmode=prefer\.$/m,
  ],
  [
    'the database does not exist',
    () => ({ DATABASE_URL: wrong(url => (url.pathname = '/nowhere_at_all')) }),
    2,
    /^DATABASE_URL: the database does not exist \(.*nowhere_at_all/,
  ],
  [
    'the signing secrets are encrypted with another key',
    () => ({ SECRETS_KEY: 'ab'.repeat(32) }),
    2,
    /^SECRETS_KEY must hold the key that the webhooks' signing secrets are encrypted with \(key [0-9a-f]{8}\); .+\.$/,
  ],
  [
    'the address has a parameter of libpq that PostgreSQL does not know',
    () => ({ DATABASE_URL: `${database.url}?channel_binding=require`, DATABASE_WAIT_MS: '60000' }),
    2,
    /^DATABASE_URL: PostgreSQL refuses a parameter of the address \(127\.0\.0\.1:\d+\/wda_test_\w+: .*"channel_binding"\)\.$/m,
  ],
  [
    'the address has a parameter with a value that PostgreSQL does not take, and one of two hosts is away',
    () => ({
      DATABASE_URL: `${database.url.replace('@', '@127.0.0.1:1,')}?search_path=,&work_mem=much`,
      DATABASE_WAIT_MS: '60000',
    }),
    2,
    /^DATABASE_URL: PostgreSQL refuses a parameter of the address \(.*"(work_mem|search_path)"/m,
  ],
  [
    'the password is wrong, and one of two hosts is away',
    () => ({
      DATABASE_URL: wrong(url => (url.password = 'wrong')).replace('@', '@127.0.0.1:1,'),
      DATABASE_WAIT_MS: '60000',
    }),
    2,
    /^DATABASE_URL: the user or the password is wrong /,
  ],
  [
    'a pooler refuses what a session asks for, at once',
    () => ({ DATABASE_URL: at(pooler), DATABASE_WAIT_MS: '60000' }),
    2,
    /^DATABASE_URL: a pooler refuses a parameter of the session \(.*unsupported startup parameter.*\); docs\/operations\/pgbouncer\.md has the line that it needs\.$/,
  ],
  [
    'the password is wrong',
    () => ({ DATABASE_URL: wrong(url => (url.password = 'wrong')) }),
    2,
    /^DATABASE_URL: the user or the password is wrong \(127\.0\.0\.1:\d+\/wda_test_\w+: password authentication failed for user "postgres"\)\.$/,
  ],
]

const casesOn: Record<Runtime, Case[]> = {
  // The sources, on the runtime that the binary has.
  Bun: networkCases.slice(0, 1),
  // Which roles it has changes nothing about a port.
  Deno: networkCases.filter(([what]) => what !== 'the port is taken, API alone'),
  'the binary': [...networkCases, ...otherCases],
}

for (const runtime of runtimes.filter(one => missing(one) === undefined))
  test.each(casesOn[runtime])(
    `on ${runtime}, when %s, the program ends with a sentence`,
    async (_what, env, code, message) => {
      const { code: exited, said } = await start(runtime, env())
      expect(said).toMatch(message)
      expect(exited).toBe(code)
      expect(said).not.toMatch(/^\s+at /m)
    },
    20_000,
  )

for (const runtime of (['Deno', 'the binary'] as const).filter(one => missing(one) === undefined))
  test.concurrent(`on ${runtime}, a service does not share the port of another one`, async () => {
    const env = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey, ROLES: 'api' }
    const first = await startProgram(runtime, env)
    const { port: its } = new URL(first.url)
    const settings = ['PORT', 'METRICS_PORT']
    const others = await Promise.all(settings.map(name => launch(runtime, { ...env, [name]: its })))
    try {
      for (const [index, other] of others.entries()) {
        const sentence = `Port ${its} of 127.0.0.1 is taken by another program; ${settings[index]} chooses another one.`
        await expect(other.listens()).rejects.toThrow(sentence)
        expect(await other.exited).toBe(1)
      }
    } finally {
      await Promise.all([first, ...others].map(one => one.stop()))
    }
  }, 30_000)

test('where a worker is to run and the database takes no writes, the start waits, and then says so', async () => {
  const DATABASE_URL = `${database.url}?default_transaction_read_only=on`
  const { code, said, out } = await start('the binary', { DATABASE_URL })
  expect([code, said]).toEqual([
    1,
    expect.stringMatching(
      /^DATABASE_URL: the database takes no writes \(127\.0\.0\.1:\d+\/wda_test_\w+: .+\)\.$/m,
    ),
  ])
  expect(`${out}${said}`).toContain('database_away')
}, 30_000)

test('a command ends at once where what listens at DATABASE_URL is no database', async () => {
  const urls = [at(hangingUp), at(speakingHttp), `${at(hangingUp)}?sslmode=require`]
  const ended = await Promise.all(
    urls.map(DATABASE_URL => run('the binary', ['keys', 'list'], { DATABASE_URL })),
  )
  for (const { code, out, said } of ended)
    expect([code, out, said]).toEqual([1, '', expect.stringMatching(noDatabase)])
})

test('a command of two hosts, one of which is silent, ends when its work is done', async () => {
  const silent = await listening(createServer(socket => void socket.on('error', () => {})))
  const DATABASE_URL = database.url.replace('@', `@127.0.0.1:${portOf(silent)},`)
  // postgres.js would wait for the connection for 30 s.
  const { code } = await run('the binary', ['keys', 'list'], {
    DATABASE_URL,
    SECRETS_KEY: secretsKey,
  })
  expect(code).toBe(0)
  silent.close()
}, 20_000)

describe('on an embedded server of its own', () => {
  const DATA_DIR = makeDataDir('ended')
  const pidFile = join(clusterOf(DATA_DIR), 'postmaster.pid')
  beforeAll(() => useMadeCluster(DATA_DIR))
  afterAll(() => removeDataDir(DATA_DIR))

  test('a command that is ended, by one signal or several, leaves no server behind that it started', async () => {
    // The server is still starting when the first signals come.
    for (const isPatient of [true, false]) {
      const command = await spawn('Bun', ['keys', 'list'], {
        HOME: process.env.HOME ?? '',
        DATA_DIR,
      })
      await until(() => existsSync(pidFile), 30_000)
      command.kill('SIGINT')
      const again = isPatient ? undefined : setInterval(() => command.kill('SIGINT'), 10)
      await command.exited
      clearInterval(again)
      expect(existsSync(pidFile)).toBe(false)
    }
  }, 60_000)

  test('a command below nohup does its work although its terminal is closed', async () => {
    const args = await commandLine('Bun')
    const command = Bun.spawn(['nohup', ...args, 'keys', 'create', '--label', 'CRM'], {
      env: { PATH: process.env.PATH ?? '', DATA_DIR },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    await until(() => existsSync(pidFile), 30_000)
    command.kill('SIGHUP')
    expect(await command.exited).toBe(0)
    expect(await new Response(command.stdout).text()).toMatch(/^wda_/)
  }, 60_000)
})

test('health asks this machine, whatever proxy is set, and says when another program answers', async () => {
  const proxy = { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' }
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') })
  for (const env of [proxy, { ...proxy, no_proxy: 'x.example' }]) {
    const { code, said } = await run('the binary', ['health'], { ...env, PORT: String(other.port) })
    expect([code, said]).toEqual([1, expect.stringContaining('is not this service')])
  }
  await other.stop(true)
  const { code: feedCode } = await run('the binary', ['feed', 'constructor'], {
    DATABASE_URL: database.url,
  })
  expect(feedCode).toBe(2)
})
