// How the program starts and ends while others run: it waits for its database, finishes what it began, and hands over to its
// successor without a failed request.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { countLockWaits, useDatabase, whileLocked } from '../support/database/database.ts'
import { openTcpProxy } from '../support/database/tcp_proxy.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'
import { type Launched, launch, missing, startProgram } from '../support/process/program.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(40_000)

const database = useDatabase()
const launched: Launched[] = []
let key: string

beforeAll(async () => {
  const input = { label: 'test', scopes: ['read:leads' as const] }
  key = (await createApiKey(openDatabase(database.sql, queries), input)).key
})
afterAll(() => {
  for (const one of launched) one.kill('SIGKILL')
})

const kept = <One extends Launched>(one: One): One => {
  launched.push(one)
  return one
}
const environment = (more: Record<string, string> = {}) => ({
  DATABASE_URL: database.url,
  SECRETS_KEY: secretsKey,
  RATE_LIMIT_PER_MINUTE: '1000000',
  ...more,
})
const readiness = (url: string) => sendTo(url, '/readyz')

test('a start that fails prints its reason, also where what it had started cannot end', async () => {
  const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  await whileLocked(database.url, 'leader', async () => {
    const starting = kept(await launch('Bun', environment({ PORT: String(taken.port) })))
    expect(await starting.exited).toBe(1)
    expect(starting.output()).toContain(`Port ${taken.port} of 127.0.0.1 is taken`)
  })
  await taken.stop()
})

test('an API whose database hangs stops with 0, and not later than that takes', async () => {
  const hanging = await openTcpProxy(database.url)
  const env = environment({ DATABASE_URL: hanging.url, ROLES: 'api' })
  const serving = kept(await startProgram('Bun', env))
  hanging.silent()
  expect(await serving.stop()).toBe(0)
  expect(serving.output()).toContain('"stopped"')
  expect(serving.output()).not.toContain('Not all has ended')
  hanging.close()
})

test('a start waits for its database, and one that is stopped meanwhile ends in order', async () => {
  const proxy = await openTcpProxy('postgres://127.0.0.1:1')
  const url = new URL(database.url)
  url.port = new URL(proxy.url).port
  const env = environment({ DATABASE_URL: url.href, ROLES: 'api' })
  const [stopped, starting] = [
    kept(await launch('the binary', env)),
    kept(await launch('the binary', env)),
  ]
  const isAway = (one: Launched) => one.output().split('database_away').length > 2
  await until(() => isAway(stopped) && isAway(starting), 15_000)
  expect(await stopped.stop()).toBe(0)
  expect(stopped.output()).toMatch(/"stopping","signal":"SIGTERM".*\n.*"stopped"/)
  proxy.leadTo(database.url)
  expect((await readiness(await starting.listens())).status).toBe(200)
  expect(await starting.stop()).toBe(0)
  proxy.close()
})

// The binary is the sources on Bun.
const runtimes = (['Deno', 'the binary'] as const).filter(one => missing(one) === undefined)

test.each(runtimes)(
  '%s, asked to stop, accepts no more and finishes what it began',
  async runtime => {
    const serving = kept(await startProgram(runtime, environment()))
    const asked = await whileLocked(database.url, 'leads', async () => {
      const answer = sendTo(`${serving.url}/api/v1`, '/leads', bearer(key))
      await until(async () => (await countLockWaits(database.sql)) > 0)
      serving.kill('SIGTERM')
      await until(async () => (await fetch(serving.url).catch(() => null)) === null)
      return { answer }
    })
    expect((await asked.answer).status).toBe(200)
    expect(await serving.exited).toBe(0)
  },
)

test('a successor takes over behind a balancer, and no request fails', async () => {
  const targets = new Set<string>()
  const isReady = (url: string) =>
    readiness(url).then(
      ({ status }) => status === 200,
      () => false,
    )
  // As a balancer: looks at /readyz every 50 ms, sends in turn to those that are ready, and tries nothing twice.
  let isOver = false
  const watch = async (url: string) => {
    for (; !isOver; await Bun.sleep(50))
      if (await isReady(url)) targets.add(url)
      else targets.delete(url)
  }
  const serve = async (more: Record<string, string>) => {
    const one = kept(await startProgram('the binary', environment(more)))
    void watch(one.url)
    await until(() => targets.has(one.url))
    return one
  }
  const first = await serve({ STOP_DELAY_MS: '2000' })
  const statuses: (number | string)[] = []
  const client = async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const url = [...targets][turn % targets.size] ?? ''
      statuses.push(
        await fetch(`${url}/api/v1/leads?limit=1`, bearer(key)).then(
          ({ status }) => status,
          String,
        ),
      )
      await Bun.sleep(30)
    }
  }
  const clients = [client(), client(), client()]
  const second = await serve({})
  first.kill('SIGTERM')
  await until(async () => {
    const { body } = await readiness(first.url)
    return body.error?.message === 'Not ready: the service is stopping.'
  })
  expect(await first.exited).toBe(0)
  const sofar = statuses.length
  await until(() => statuses.length > sofar + 20)
  isOver = true
  await Promise.all(clients)
  expect([...new Set(statuses)]).toEqual([200])
  expect(await second.stop()).toBe(0)
})
