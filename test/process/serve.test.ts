// The program as a user starts it, on either runtime: serve with its demo key, the commands while it runs, and a clean end.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../../src/db/migrate.ts'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { makeDataDir, removeDataDir, useMadeCluster } from '../support/database/data_dir.ts'
import { oneConnection } from '../support/database/database.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import {
  missing,
  type Runtime,
  run as runOn,
  spawn as spawnOn,
} from '../support/process/program.ts'
import { until } from '../support/until.ts'

// The binary carries no PostgreSQL of its own.
for (const runtime of (['Bun', 'Deno'] as const).filter(one => missing(one) === undefined))
  describe(`on ${runtime}`, () => tryAll(runtime))

/** Where there are leads a start loads no demo data. */
async function takeLeads(dataDir: string) {
  useMadeCluster(dataDir)
  const { url, stop } = await startEmbeddedPostgres({ dataDir })
  const sql = oneConnection(url)
  await migrate(sql)
  await sql`insert into leads (name) values ('Erika Beispiel'), ('Max Beispiel')`
  await sql.end()
  await stop()
}

function tryAll(runtime: Runtime) {
  const dataDir = makeDataDir('serve')
  const environment = { HOME: process.env.HOME ?? '', DATA_DIR: dataDir }

  const spawn = (args: string[], extra: Record<string, string> = {}) =>
    spawnOn(runtime, args, { ...environment, ...extra })
  const run = (args: string[], extra: Record<string, string> = {}) =>
    runOn(runtime, args, { ...environment, ...extra })

  let serving: Awaited<ReturnType<typeof spawn>>
  let said = ''
  let base = ''

  /** Resolves with the last line of what a start says: the request to try. */
  async function start(milliseconds: number, extra: Record<string, string> = {}) {
    serving = await spawn([], { PORT: '0', ...extra })
    said = ''
    const { stderr } = serving
    void (async () => {
      for await (const chunk of stderr) said += new TextDecoder().decode(chunk)
    })()
    await until(() => /curl .*\n/.test(said), milliseconds)
    base = /http:\S+\/api\/v1(?=\n)/.exec(said)?.[0] ?? ''
  }

  beforeAll(async () => {
    // In first_start.test.ts a start on Bun makes the cluster and its demo data itself, which takes most of its time.
    if (runtime === 'Bun') await takeLeads(dataDir)
    else expect((await run(['demo', '--leads', '10'])).code).toBe(0)
    await start(90_000)
  }, 180_000)

  afterAll(async () => {
    serving.kill('SIGTERM')
    await serving.exited
    removeDataDir(dataDir)
  }, 60_000)

  test('the first start prints a demo key that reads leads', async () => {
    const key = readFileSync(join(dataDir, 'demo_key'), 'utf8')
    expect(said).toContain(key)
    const { status, body } = await sendTo(base, '/leads?limit=2', bearer(key))
    expect([status, body.data.length]).toEqual([200, 2])
  })

  /** Whether this password opens the dashboard. */
  async function opensDashboard(password: string): Promise<boolean> {
    const { origin } = new URL(base)
    const body = new URLSearchParams({ password })
    const sent = { method: 'POST', body, headers: { origin }, redirect: 'manual' as const }
    return (await fetch(`${origin}/dashboard/sign-in`, sent)).status === 303
  }

  const passwordLine = /^ +password +(\S+)/m
  let ownersPassword = ''

  test('the first start prints the password of the dashboard and keeps its hash alone', async () => {
    ownersPassword = passwordLine.exec(said)?.[1] ?? ''
    expect(ownersPassword).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/)
    expect(await opensDashboard(ownersPassword)).toBe(true)
    expect(await opensDashboard(ownersPassword.replaceAll('-', ''))).toBe(false)
    const file = join(dataDir, 'dashboard_password')
    expect(readFileSync(file, 'utf8')).toMatch(/^scrypt\$15\$8\$1\$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toContain(ownersPassword)
  })

  test('the feed holds the events of rows from before', async () => {
    const key = readFileSync(join(dataDir, 'demo_key'), 'utf8')
    const leads = (await sendTo(base, '/leads?limit=200&include_archived=true', bearer(key))).body
    const created = await until(async () => {
      const { body } = await sendTo(base, '/events?types=lead.created&limit=200', bearer(key))
      return body.data.length >= leads.meta.count ? body.data : undefined
    })
    expect(created.map((event: { object_id: string }) => event.object_id).sort()).toEqual(
      leads.data.map((lead: { id: string }) => lead.id).sort(),
    )
  })

  test('writers of a quiet feed wake the sequencer', async () => {
    const sql = oneConnection(readFileSync(join(dataDir, 'database_url'), 'utf8'))
    const isAsleep = async () =>
      (await sql`select from feed_sleep where last_value = 1`).length === 1
    const isSequenced = async (id: string) =>
      (await sql`select from feed_events where object_id = ${id}`).length === 1
    try {
      await until(isAsleep)
      for (let times = 0; times < 3; times += 1) {
        const [lead] = await sql`insert into leads (name) values ('Weckruf') returning id`
        await until(() => isSequenced(lead?.id))
      }
    } finally {
      await sql.end()
    }
  })

  // On Deno they are in test/blackbox.
  if (runtime === 'Bun') {
    test('keys are created, listed and revoked while the service runs', async () => {
      const created = await run(['keys', 'create', '--label', 'CRM', '--scopes', 'read:leads'])
      expect([created.code, created.out]).toEqual([
        0,
        expect.stringMatching(/^wda_[0-9A-Za-z]{49}$/),
      ])
      const key = created.out
      expect((await sendTo(base, '/leads', bearer(key))).status).toBe(200)
      expect((await sendTo(base, '/signals', bearer(key))).status).toBe(403)
      const listed = await run(['keys', 'list'])
      expect(listed.out).toContain(key.slice(0, 12))
      expect(listed.out).not.toContain(key)
      expect((await run(['keys', 'revoke', key.slice(0, 12)])).code).toBe(0)
      // The service hears of it by a notification, long before what it remembers of the key is too old.
      await until(async () => (await sendTo(base, '/leads', bearer(key))).status === 401, 2_500)
      const again = await run(['keys', 'revoke', key])
      expect([again.code, again.said]).toEqual([1, 'No live key has this text, prefix or id.'])
    }, 60_000)

    test('demo data does not go to leads that are there: a failure, not a mistake in the command', async () => {
      const { code, out, said } = await run(['demo'])
      expect([code, out]).toEqual([1, ''])
      expect(said).toBe('The database holds leads already; demo data goes into an empty one only.')
    }, 20_000)
  }

  test('config names the files that settings come from, and shows no secret of them', async () => {
    const { out } = await run(['config'])
    for (const name of ['DATABASE_URL', 'SECRETS_KEY', 'DASHBOARD_PASSWORD'])
      expect(out).toContain(`${name}=***  # file ${join(dataDir, name.toLowerCase())}`)
  })

  test('a second service on the same data directory is refused, and the first goes on', async () => {
    const second = await run([], { PORT: '0' })
    expect(second.code).toBe(1)
    expect(second.said).toContain(dataDir)
    expect((await sendTo(base, '/leads')).status).toBe(401)
  })

  test('a Ctrl-C that comes twice ends it cleanly, and a second start finds the same workspace', async () => {
    // Two of one kind may reach it as one.
    serving.kill('SIGINT')
    serving.kill('SIGTERM')
    expect(await serving.exited).toBe(0)
    const log = await new Response(serving.stdout).text()
    expect([log.includes('"event":"stopped"'), log.includes('"fault"')]).toEqual([true, false])
    await start(20_000, { STOP_DELAY_MS: '60000' })
    expect(said).not.toContain('demo data')
    expect(said).not.toMatch(passwordLine)
    expect(await opensDashboard(ownersPassword)).toBe(true)
    const key = readFileSync(join(dataDir, 'demo_key'), 'utf8')
    expect((await sendTo(base, '/leads', bearer(key))).status).toBe(200)
  }, 60_000)

  test('stop signals that go on end it at once and leave no database server behind', async () => {
    const running = join(dataDir, 'postgres/cluster/postmaster.pid')
    expect(existsSync(running)).toBe(true)
    const again = setInterval(() => serving.kill('SIGINT'), 50)
    expect(await serving.exited).toBe(1)
    clearInterval(again)
    await until(() => !existsSync(running))
  }, 30_000)

  test('an embedded server that is killed ends the service, which says so; the next start finds all there was', async () => {
    await start(20_000)
    const pid = Number(
      readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0],
    )
    process.kill(pid, 'SIGKILL')
    expect(await serving.exited).toBe(1)
    expect(said).toMatch(/^The embedded PostgreSQL has ended: see .*log, and start again\.$/m)
    await start(20_000)
    const key = readFileSync(join(dataDir, 'demo_key'), 'utf8')
    expect((await sendTo(base, '/leads', bearer(key))).status).toBe(200)
  }, 60_000)
}
