// A start that cannot succeed says why in a sentence and ends; one that may succeed waits.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type Server } from 'node:net'
import { startService } from '../../src/api/start.ts'
import type { Sql } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { migrations, neededBy, readFunctions } from '../../src/db/schema_files.ts'
import { whenDatabaseAnswers } from '../../src/db/wait.ts'
import { databaseUrl, oneConnection, serverUrl, useDatabase } from '../support/database/database.ts'
import { administer } from '../support/database/server.ts'
import { quietLog } from '../support/http/service.ts'
import { secretsKey, testConfig } from '../support/http/settings.ts'
import { launch, missing, type Runtime, run, startProgram } from '../support/process/program.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(40_000)

const database = useDatabase()
const unfit = useDatabase(async () => 'template0')
let server: Sql
const answering: Record<'hangingUp' | 'speakingHttp' | 'pooler' | 'taken', Server> = {} as never

const listening = async (answer?: string | Buffer): Promise<Server> => {
  const made = createServer(socket => {
    socket.on('error', () => {})
    if (answer !== undefined) socket.once('data', () => socket.end(answer))
  })
  await new Promise<void>(resolve => made.listen(0, '127.0.0.1', resolve))
  return made
}
const portOf = (one: Server) => String((one.address() as { port: number }).port)

beforeAll(async () => {
  server = administer(serverUrl())
  // As PgBouncer without `ignore_startup_parameters`.
  const fields = ['SFATAL', 'C08P01', 'Munsupported startup parameter: statement_timeout', '']
  const text = Buffer.from(`${fields.join('\0')}\0`)
  const head = Buffer.from([...Buffer.from('E'), 0, 0, 0, text.length + 4])
  answering.taken = await listening()
  answering.hangingUp = await listening('')
  answering.speakingHttp = await listening('HTTP/1.1 400 Bad Request\r\n\r\n')
  answering.pooler = await listening(Buffer.concat([head, text]))
})
afterAll(async () => {
  for (const one of Object.values(answering)) one.close()
  await server.end()
})

const changed = (change: (url: URL) => void) => {
  const url = new URL(database.url)
  change(url)
  return { DATABASE_URL: url.href }
}

type Case = [what: string, env: () => Record<string, string>, code: 1 | 2, message: RegExp]

const taken: Case = [
  'the port is taken',
  () => ({ PORT: portOf(answering.taken) }),
  1,
  /^Port \d+ of 127\.0\.0\.1 is taken by another program; PORT chooses another one\.$/m,
]
const cases: Case[] = [
  taken,
  [
    'HOST is not here',
    () => ({ HOST: '192.0.2.1' }),
    2,
    /^HOST must be .*, not 192\.0\.2\.1: .+\.$/m,
  ],
  [
    'the database does not exist',
    () => changed(url => (url.pathname = '/nowhere_at_all')),
    2,
    /^DATABASE_URL: the database does not exist \(.*nowhere_at_all/,
  ],
  [
    'the password is wrong, and one of two hosts is away',
    () => {
      const { DATABASE_URL } = changed(url => (url.password = 'wrong'))
      return { DATABASE_URL: DATABASE_URL.replace('@', '@127.0.0.1:1,') }
    },
    2,
    /^DATABASE_URL: the user or the password is wrong \(.+ user "postgres"\)\.$/,
  ],
  [
    'the address has a parameter that PostgreSQL does not know',
    () => ({ DATABASE_URL: `${database.url}?channel_binding=require` }),
    2,
    /^DATABASE_URL: PostgreSQL refuses a parameter of the address \(.*"channel_binding"\)\.$/m,
  ],
  [
    'a pooler refuses what a session asks for',
    () => changed(url => (url.port = portOf(answering.pooler))),
    2,
    /^DATABASE_URL: a pooler refuses .*\); docs\/operations\/pgbouncer\.md has the line/,
  ],
]

test.each<[Runtime, ...Case]>([
  ...cases.map(one => ['the binary', ...one] as [Runtime, ...Case]),
  ...(missing('Deno') ? [] : [['Deno', ...taken] as [Runtime, ...Case]]),
])(
  'on %s, when %s, the program ends with a sentence',
  async (runtime, _what, env, code, message) => {
    const common = { DATABASE_URL: database.url, PORT: '0', SECRETS_KEY: secretsKey }
    const ended = await run(runtime, ['serve'], { ...common, ...env() })
    expect(ended.said).toMatch(message)
    expect(ended.code).toBe(code)
    expect(ended.said).not.toMatch(/^\s+at /m)
  },
)

test.each<[what: string, env: () => Record<string, string>]>([
  ['nothing', () => changed(url => (url.port = '1'))],
  ['what hangs up', () => changed(url => (url.port = portOf(answering.hangingUp)))],
  ['a web server', () => changed(url => (url.port = portOf(answering.speakingHttp)))],
  ['a server without TLS', () => ({ DATABASE_URL: `${database.url}?sslmode=require` })],
])(
  'where %s is no database, a command reports it at once, and a start after a while',
  async (_, env) => {
    const sentence =
      /^DATABASE_URL: no database answers at 127\.0\.0\.1:\d+ \(.+\)(; .+ needs sslmode=prefer)?\.$/
    expect(await run('the binary', ['keys', 'list'], env())).toEqual({
      code: 1,
      out: '',
      said: expect.stringMatching(sentence),
    })
    const { DATABASE_URL: url = '' } = env()
    const waits: number[] = []
    const waiting = whenDatabaseAnswers(url, () => startService(testConfig(), url, quietLog()), {
      patienceMs: 1_000,
      stopped: new Promise(() => {}),
      onAway: (_reason, retryMs) => waits.push(retryMs),
    })
    await expect(waiting).rejects.toThrow(sentence)
    expect(waits[0]).toBe(250)
  },
)

test('a service does not share the port of another one', async () => {
  const env = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey, ROLES: 'api' }
  const first = await startProgram('the binary', env)
  const { port } = new URL(first.url)
  const other = await launch('the binary', { ...env, METRICS_PORT: port })
  await expect(other.listens()).rejects.toThrow('taken by another program; METRICS_PORT chooses')
  expect(await other.exited).toBe(1)
  await first.stop()
})

const refused: [how: string, make: string, code: 1 | 2, said: string | RegExp][] = [
  [
    'an empty search_path',
    `alter database NAME set search_path = ''`,
    2,
    /^DATABASE_URL: the search_path of this login does not lead to the tables \(.+\); see docs\/operations\/postgresql\.md\.$/,
  ],
  [
    'another encoding',
    `drop database NAME; create database NAME encoding 'LATIN1' locale 'C' template template0`,
    2,
    'DATABASE_URL: the database has the encoding LATIN1, and the service needs UTF8; make another one as docs/operations/postgresql.md shows.',
  ],
]

test.each(refused)('a database with %s is refused', async (_, make, code, said) => {
  await unfit.sql.end()
  for (const statement of make.replaceAll('NAME', unfit.name).split('; '))
    await server.unsafe(statement)
  const ended = await run('Bun', ['serve'], { DATABASE_URL: unfit.url, SECRETS_KEY: secretsKey })
  expect(ended.code).toBe(code)
  expect(ended.said).toMatch(said)
})

const fresh = async () => {
  const name = `wda_test_${crypto.randomUUID().slice(0, 8)}`
  await server.unsafe(`create database ${name} template template0`)
  const sql = oneConnection(databaseUrl(name))
  const env = { DATABASE_URL: databaseUrl(name), SECRETS_KEY: secretsKey }
  const drop = async () => {
    await sql.end()
    await server.unsafe(`drop database ${name} with (force)`)
  }
  return { name, sql, env, drop }
}

test('a migration that fails is named, with the way out', async () => {
  const { sql, env, drop } = await fresh()
  await sql.unsafe('create table leads (id integer)')
  const { code, said } = await run('Bun', ['serve'], env)
  expect([code, said]).toEqual([
    1,
    'Migration 0001_leads failed and was rolled back (relation "leads" already exists): the database has to be empty, or one that this program made.',
  ])
  await drop()
})

test('a connection that is lost in the middle of a migration is made again, and the service serves', async () => {
  const { sql, env, drop } = await fresh()
  const first = migrations.slice(0, 1)
  await migrate(sql, {
    migrations: first,
    functions: neededBy(first[0]?.text ?? '', readFunctions()),
  })
  const watcher = oneConnection(env.DATABASE_URL)
  await sql`begin`
  await sql`insert into schema_migrations (number, name, sha256) values (2, 'held', 'x')`
  const starting = await launch('the binary', { ...env, ROLES: 'api' })
  await until(async () => {
    const [cut] = await watcher`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return cut
  }, 20_000)
  await sql`rollback`
  await starting.listens()
  expect(await starting.stop()).toBe(0)
  expect(starting.output()).toMatch(/"database_away"/)
  await watcher.end()
  await drop()
})

test('a login without a connection left, and a database that takes no writes, are waited for', async () => {
  const { name, env, drop } = await fresh()
  const role = `${name}_limited`
  await server.unsafe(`create role ${role} login password 'limited' connection limit 0`)
  await server.unsafe(`alter database ${name} owner to ${role}`)
  await server.unsafe(`alter database ${name} set default_transaction_read_only = on`)
  const url = new URL(env.DATABASE_URL)
  ;[url.username, url.password] = [role, 'limited']
  const waiting = await launch('Bun', { ...env, DATABASE_URL: url.href })
  await until(() => waiting.output().includes('too many connections'), 20_000)
  await server.unsafe(`alter role ${role} connection limit -1`)
  await until(() => waiting.output().includes('read-only transaction'), 20_000)
  await server.unsafe(`alter database ${name} reset default_transaction_read_only`)
  expect((await fetch(`${await waiting.listens()}/readyz`)).status).toBe(200)
  expect(await waiting.stop()).toBe(0)
  await drop()
  await server.unsafe(`drop role ${role}`)
})

test('health asks this machine, whatever proxy is set, and reports another program that answers', async () => {
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') })
  const env = { HTTP_PROXY: 'http://127.0.0.1:1', no_proxy: 'x.example', PORT: String(other.port) }
  const { code, said } = await run('the binary', ['health'], env)
  expect([code, said]).toEqual([1, expect.stringContaining('is not this service')])
  await other.stop(true)
})
