// The program as a newcomer starts it, on its embedded server: first starts, what they print, commands beside it, and ends. And
// its log, which costs lines at most, never the service.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'
import { type Launched, launch, run } from '../support/process/program.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(120_000)

const database = useDatabase()
const DATA_DIR = makeDataDir('serve')
const pidFile = join(DATA_DIR, 'postgres/cluster/postmaster.pid')
const fileOf = (name: string) => join(DATA_DIR, name)
const read = (name: string) => readFileSync(fileOf(name), 'utf8')
const start = () => launch('Bun', { DATA_DIR })
let serving: Launched
let base = ''
let password = ''

afterAll(async () => {
  await serving.stop()
  removeDataDir(DATA_DIR)
})

const passwordLine = /^ +password +(\S+)/m
const leads = async () =>
  (await sendTo(base, '/leads?limit=200', bearer(read('demo_key')))).body.data

test('a first start that fails ends with a sentence, shows no password and leaves no server', async () => {
  const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { code, said } = await run('Bun', ['serve'], { DATA_DIR, PORT: String(taken.port) })
  await taken.stop(true)
  expect([code, said]).toEqual([1, expect.stringContaining('is taken by another program')])
  expect(said).not.toMatch(/^\s+at |^ +password/m)
  expect(existsSync(pidFile)).toBe(false)
})

test('it prints where it is and the password, once, and keeps the password’s hash and a key', async () => {
  serving = await start()
  base = `${await serving.listens()}/api/v1`
  await until(() => passwordLine.test(serving.output()))
  password = passwordLine.exec(serving.output())?.[1] ?? ''
  expect(password).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/)
  expect(read('dashboard_password')).toMatch(/^scrypt\$15\$8\$1\$/)
  for (const name of ['dashboard_password', 'demo_key', 'database_url'])
    expect(statSync(fileOf(name)).mode & 0o777).toBe(0o600)
  expect(await leads()).toHaveLength(200)
})

/** A new lead is an event of the feed within three seconds. */
async function reachesFeed(name: string) {
  const sql = oneConnection(read('database_url'))
  const [lead] = await sql`insert into leads (name) values (${name}) returning id`
  const found = () => sql`select from feed_events where object_id = ${lead?.id}`
  await until(async () => (await found()).length === 1, 3_000)
  await sql.end()
}

async function opensDashboard(given: string): Promise<boolean> {
  const { origin } = new URL(base)
  const body = new URLSearchParams({ password: given })
  const sent = { method: 'POST', body, headers: { origin }, redirect: 'manual' as const }
  return (await fetch(`${origin}/dashboard/sign-in`, sent)).status === 303
}

test('the feed holds the rows from before, and a writer of a quiet feed wakes it', async () => {
  await until(async () => {
    const path = '/events?types=lead.created&limit=200'
    return (await sendTo(base, path, bearer(read('demo_key')))).body.data.length === 200
  })
  const sql = oneConnection(read('database_url'))
  await until(async () => (await sql`select from feed_sleep where last_value = 1`).length === 1)
  await sql.end()
  await reachesFeed('Weckruf')
})

test('commands work beside it; a second service is refused, and the first goes on', async () => {
  const env = { DATA_DIR }
  const made = await run('Bun', ['keys', 'create', '--label', 'CRM', '--scopes', 'read:leads'], env)
  expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^wda_[0-9A-Za-z]{49}$/)])
  const status = async () => (await sendTo(base, '/leads', bearer(made.out))).status
  expect(await status()).toBe(200)
  expect((await run('Bun', ['keys', 'revoke', made.out.slice(0, 12)], env)).code).toBe(0)
  await until(async () => (await status()) === 401, 2_500)
  expect(await run('Bun', ['demo'], env)).toMatchObject({
    code: 1,
    said: 'The database holds leads already; demo data goes into an empty one only.',
  })
  const second = await run('Bun', ['serve'], { DATA_DIR, PORT: '0' })
  expect([second.code, second.said]).toEqual([1, expect.stringContaining('is in use by process')])
  expect(await status()).toBe(401)
})

test('a Ctrl-C that comes twice ends it in order, and the next start finds the same workspace', async () => {
  // Two of one kind may reach it as one.
  serving.kill('SIGINT')
  serving.kill('SIGTERM')
  expect(await serving.exited).toBe(0)
  expect(serving.output()).toContain('"event":"stopped"')
  expect(serving.output()).not.toContain('"fault"')
  serving = await start()
  base = `${await serving.listens()}/api/v1`
  expect(serving.output()).not.toMatch(/password|demo key|demo data/)
  expect([await opensDashboard(password), (await leads()).length]).toEqual([true, 200])
})

test('when its server is killed it ends with a sentence; the next start finds all there was', async () => {
  process.kill(Number.parseInt(readFileSync(pidFile, 'utf8'), 10), 'SIGKILL')
  expect(await serving.exited).toBe(1)
  expect(serving.output()).toMatch(
    /^The embedded PostgreSQL has ended: see .*log, and start again\.$/m,
  )
  serving = await start()
  base = `${await serving.listens()}/api/v1`
  expect(await leads()).toHaveLength(200)
  // The lease of the killed one is not waited for.
  await reachesFeed('Danach')
  await serving.stop()
})

test('a start that is stopped while its server starts ends in order', async () => {
  const stopped = await start()
  await until(() => existsSync(pidFile), 30_000)
  expect([await stopped.stop(), existsSync(pidFile)]).toEqual([0, false])
})

test('a command that is ended leaves no server behind that it started', async () => {
  const command = Bun.spawn([process.execPath, 'src/main.ts', 'keys', 'list'], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  await until(() => existsSync(pidFile), 30_000)
  const again = setInterval(() => command.kill('SIGINT'), 10)
  await command.exited
  clearInterval(again)
  expect(existsSync(pidFile)).toBe(false)
})

// script, of util-linux, makes a terminal.
const script = Bun.which('script')

test.skipIf(script === null)(
  'a terminal that is closed takes the embedded server along',
  async () => {
    const typed = fileOf('typescript')
    const terminal = Bun.spawn([script ?? '', '-qfc', 'bun src/main.ts', typed], {
      env: { PATH: process.env.PATH ?? '', PORT: '0', DATA_DIR },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    await until(() => existsSync(typed) && read('typescript').includes('"started"'), 60_000)
    terminal.kill('SIGKILL')
    await until(() => !existsSync(pidFile) && !existsSync(fileOf('database_url')), 20_000)
  },
)

test.skipIf(!existsSync('/dev/full'))(
  'with its log on a full disk it answers and stops',
  async () => {
    const env = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey }
    const service = await launch('the binary', env, '/dev/full')
    const url = await service.listens()
    // More than is gathered before it is written, so that lines are refused while it serves.
    for (let times = 0; times < 100; times += 1)
      expect((await fetch(`${url}/nothing`)).status).toBe(404)
    expect(await service.stop()).toBe(0)
  },
)
