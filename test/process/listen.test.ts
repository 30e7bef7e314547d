// The LISTEN connection: what it promises after its connection was cut, ended by the server, or fell silent.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from '../../src/db/connect.ts'
import { type Listener, openListener } from '../../src/db/listen.ts'
import { useDatabase } from '../support/database/database.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
let proxy: TcpProxy
let listener: Listener
const heard: string[] = []
let established = 0
let lost = 0

beforeAll(async () => {
  proxy = await openTcpProxy(database.url)
  listener = openListener({
    channels: ['first_channel', 'second_channel'],
    open: events =>
      connect({
        url: proxy.url,
        connectionsMax: 1,
        applicationName: 'listen',
        statementTimeoutMs: 1_000,
        ...events,
      }),
    onNotify: channel => heard.push(channel),
    onEstablished: () => {
      established += 1
    },
    onLost: () => {
      lost += 1
    },
    pingIntervalMs: 100,
    pingTimeoutMs: 200,
  })
  await until(() => established === 1)
})
afterAll(async () => {
  await listener.close()
  proxy.close()
})

async function hears() {
  heard.length = 0
  await database.sql`select pg_notify('first_channel', ''), pg_notify('second_channel', '')`
  await until(() => heard.length === 2)
  expect(heard.sort()).toEqual(['first_channel', 'second_channel'])
}

const losses: [how: string, lose: () => unknown][] = [
  [
    'was ended by the server',
    () =>
      database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'listen' and datname = current_database()`,
  ],
  ['fell silent without a word', () => proxy.stall()],
  [
    'was cut and the server stayed away for a while',
    async () => {
      proxy.away()
      await until(() => lost > 0)
      await proxy.back()
    },
  ],
]

test('both channels are heard', hears)

test.each(losses)(
  'after the connection %s it says so, listens again and hears both channels',
  async (_how, lose) => {
    const before = established
    lost = 0
    await lose()
    await until(() => lost === 1)
    await until(() => established > before)
    await hears()
  },
)

test('one that cannot be made says why, once', async () => {
  const url = new URL(database.url)
  url.password = 'wrong'
  const reasons: string[] = []
  let tries = 0
  const failing = openListener({
    channels: ['first_channel'],
    open: events => {
      tries += 1
      const options = { connectionsMax: 1, applicationName: 'listen', statementTimeoutMs: 1_000 }
      return connect({ url: url.href, ...options, ...events })
    },
    onNotify() {},
    onEstablished() {},
    onLost: reason => reasons.push(reason),
  })
  await until(() => tries > 2)
  await failing.close()
  expect(reasons).toEqual([expect.stringContaining('password authentication failed')])
})
