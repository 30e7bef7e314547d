// How the program starts and ends while others run: it waits for its database, hands over to its successor without a
// failed request, and ends at once when it is told twice.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { countLockWaits, oneConnection, useDatabase } from '../support/database/database.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'
import {
  type Launched,
  launch,
  missing,
  runtimes,
  startProgram,
} from '../support/process/program.ts'
import { until } from '../support/until.ts'
import { openBalancer } from './balancer.ts'

const database = useDatabase()
let key: string
let proxy: TcpProxy
const launched: Launched[] = []

beforeAll(async () => {
  key = (
    await createApiKey(openDatabase(database.sql, queries), {
      label: 'test',
      scopes: ['read:leads'],
    })
  ).key
  proxy = await openTcpProxy(database.url)
})
afterAll(async () => {
  for (const one of launched) one.kill('SIGKILL')
  proxy.close()
})

const environment = (more: Record<string, string> = {}) => ({
  DATABASE_URL: database.url,
  SECRETS_KEY: secretsKey,
  RATE_LIMIT_PER_MINUTE: '1000000',
  ...more,
})

const messageOf = async (url: string) => (await sendTo(url, '/readyz')).body.error?.message
const awayLines = (text: string) => text.split('\n').filter(line => line.includes('database_away'))

/** Locks a table while `work` runs: what needs it waits. */
async function whileLocked<Result>(table: string, work: (free: () => void) => Promise<Result>) {
  const sql = oneConnection(database.url)
  let free = () => {}
  const freed = new Promise<void>(resolve => {
    free = resolve
  })
  let isLocked = () => {}
  const locked = new Promise<void>(resolve => {
    isLocked = resolve
  })
  const holding = sql.begin(async transaction => {
    await transaction`lock table ${transaction(table)} in access exclusive mode`
    isLocked()
    await freed
  })
  await locked
  try {
    return await work(free)
  } finally {
    free()
    await holding
    await sql.end()
  }
}

const isWaiting = async () => (await countLockWaits(database.sql)) > 0

test('a start that fails says why, also where what it had started cannot end', async () => {
  const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const code = await whileLocked('leader', async () => {
    const starting = await launch('Bun', environment({ PORT: String(taken.port) }))
    launched.push(starting)
    const exited = await starting.exited
    expect(starting.output()).toContain(`Port ${taken.port} of 127.0.0.1 is taken`)
    return exited
  })
  expect(code).toBe(1)
  await taken.stop()
}, 30_000)

test('an API whose database hangs stops with 0, and not later than that takes', async () => {
  const hanging = await openTcpProxy(database.url)
  const serving = await startProgram(
    'Bun',
    environment({ DATABASE_URL: hanging.url, ROLES: 'api' }),
  )
  launched.push(serving)
  hanging.silent()
  expect(await serving.stop()).toBe(0)
  expect(serving.output()).toContain('"stopped"')
  expect(serving.output()).not.toContain('Not all has ended')
  hanging.close()
}, 30_000)

// The binary is the sources on Bun, which serve.test.ts starts and ends.
describe.each(runtimes.filter(runtime => runtime !== 'Bun'))('%s', runtime => {
  const left = missing(runtime)
  const whole = test.skipIf(left !== undefined)
  const because = left === undefined ? '' : ` (${left})`

  whole(`a start waits for its database, and says so once per try${because}`, async () => {
    proxy.away()
    const starting = await launch(runtime, environment({ DATABASE_URL: proxy.url, ROLES: 'api' }))
    launched.push(starting)
    await until(() => awayLines(starting.output()).length > 1, 15_000)
    await proxy.back()
    expect((await sendTo(await starting.listens(), '/readyz')).status).toBe(200)
    expect(await starting.stop()).toBe(0)
    const lines = awayLines(starting.output()).map(line => JSON.parse(line))
    expect(lines.map(line => line.retry_ms)).toEqual([250, 500, 1000, 2000].slice(0, lines.length))
    expect(lines[0].reason).toMatch(/ECONNREFUSED|connect/i)
  })

  whole(`a start waits while a proxy hangs up, with no database behind it${because}`, async () => {
    const hangingUp = await openTcpProxy('postgres://127.0.0.1:1')
    const url = new URL(database.url)
    url.port = new URL(hangingUp.url).port
    const starting = await launch(runtime, environment({ DATABASE_URL: url.href, ROLES: 'api' }))
    launched.push(starting)
    await until(() => awayLines(starting.output()).length > 1, 15_000)
    hangingUp.leadTo(database.url)
    expect((await sendTo(await starting.listens(), '/readyz')).status).toBe(200)
    expect(await starting.stop()).toBe(0)
    hangingUp.close()
  })

  whole(`told to stop while it waits, it ends in peace${because}`, async () => {
    const nowhere = new URL(database.url)
    nowhere.port = '1'
    const waiting = await launch(runtime, environment({ DATABASE_URL: nowhere.href }))
    launched.push(waiting)
    await until(() => awayLines(waiting.output()).length > 0, 15_000)
    expect(await waiting.stop()).toBe(0)
    expect(waiting.output()).toMatch(/"stopping","signal":"SIGTERM".*\n.*"stopped"/)
  })

  whole(`told to stop, it finishes what it began${because}`, async () => {
    const serving = await startProgram(runtime, environment())
    launched.push(serving)
    await whileLocked('leads', async free => {
      const asked = sendTo(`${serving.url}/api/v1`, '/leads', bearer(key))
      await until(isWaiting)
      serving.kill('SIGTERM')
      await until(() => serving.output().includes('"stopping"'))
      // Accepting ends at once, since no delay is set.
      await until(async () => (await fetch(serving.url).catch(() => null)) === null)
      free()
      expect((await asked).status).toBe(200)
    })
    expect(await serving.exited).toBe(0)
  })

  whole(`told twice, it ends at once${because}`, async () => {
    const serving = await startProgram(runtime, environment())
    launched.push(serving)
    await whileLocked('leads', async () => {
      const asked = fetch(`${serving.url}/api/v1/leads`, bearer(key)).catch(() => null)
      await until(isWaiting)
      const toldAt = performance.now()
      // One that follows at once is the same Ctrl-C, sent on by npm. Two of one kind may reach it as one.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) serving.kill(signal)
      await until(() => serving.output().includes('"stopping"'))
      const again = setInterval(() => serving.kill('SIGINT'), 50)
      expect(await serving.exited).toBe(1)
      clearInterval(again)
      expect(performance.now() - toldAt).toBeGreaterThan(500)
      // In order it would end with 0, or say that its time was over.
      expect(serving.output()).not.toContain('Not all has ended')
      expect(await asked).toBeNull()
    })
  })

  whole(
    `a successor takes over behind a proxy, and no request fails${because}`,
    async () => {
      const balancer = openBalancer()
      const serveBehindIt = async (more: Record<string, string>) => {
        const one = await startProgram(runtime, environment(more))
        launched.push(one)
        balancer.add(one.url)
        await until(() => balancer.sendsTo(one.url))
        return one
      }
      const first = await serveBehindIt({ STOP_DELAY_MS: '2000' })
      let isOver = false
      const answers = new Set<number | string>()
      let count = 0
      const client = async () => {
        // With pauses: four that ask as fast as they can keep both services and the database from their work.
        for (; !isOver; await Bun.sleep(30)) {
          const answer = await fetch(`${balancer.url}/api/v1/leads?limit=1`, bearer(key)).then(
            async response => (response.ok ? 200 : await response.text()),
            String,
          )
          answers.add(answer)
          count += 1
        }
      }
      const clients = [client(), client(), client(), client()]
      const second = await serveBehindIt({})
      first.kill('SIGTERM')
      await until(
        async () => (await messageOf(first.url)) === 'Not ready: the service is stopping.',
      )
      await until(() => !balancer.sendsTo(first.url))
      expect(await first.exited).toBe(0)
      const atHandOver = count
      await until(() => count > atHandOver + 20)
      isOver = true
      await Promise.all(clients)
      balancer.close()
      expect([...answers]).toEqual([200])
      expect(await second.stop()).toBe(0)
    },
    30_000,
  )
})
