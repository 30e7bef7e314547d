// A write is never done untold: its client gets the answer, or nothing was written.
import { beforeEach, expect, test } from 'bun:test'
import { openLog, type RequestLine } from '../../src/observability/log.ts'
import { dashboardSettings, signIn } from '../support/browser/dashboard.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import { countLockWaits } from '../support/database/locks.ts'
import { allowedTargets, subscriptionBody } from '../support/delivery/subscribing.ts'
import { attacks } from '../support/http/attacks.ts'
import { connectRaw, type RawReply, rawRequest, sendRaw, statusesOf } from '../support/http/raw.ts'
import { onDeno, useServiceOn } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const attack = attacks('untold writes', onDeno ? 0 : 50)
const settings = { ...allowedTargets, ...dashboardSettings }
const database = useDatabase()
const lines: RequestLine[] = []
const log = { ...openLog('silent'), request: (line: RequestLine) => void lines.push(line) }
const api = useServiceOn(database, () => ({ url: database.url, settings, log }))

beforeEach(async () => {
  lines.length = 0
  await api.sql`delete from hook_subscriptions`
})

const post = () =>
  rawRequest(
    'POST',
    '/api/v1/hooks',
    { Authorization: `Bearer ${api.key}` },
    JSON.stringify(subscriptionBody()),
  )

const ids = async () =>
  (await api.sql`select id::text from hook_subscriptions`).map(row => row.id as string)

/** The request was worked on to its end, whatever it came to. */
const isOver = (count: number) => until(() => lines.length >= count)

const idIn = ({ text }: RawReply) => /"id":"([0-9a-f-]{36})"/.exec(text)?.[1]

const manners: [name: string, send: () => Promise<RawReply>][] = [
  [
    'another request in the same packet',
    () =>
      sendRaw(api.service.port, post() + rawRequest('GET', '/healthz', { Connection: 'close' })),
  ],
  ['an extra line end', () => sendRaw(api.service.port, `${post()}\r\n`, { milliseconds: 500 })],
  [
    'its half of the connection closed',
    () => sendRaw(api.service.port, post(), { halfClose: true }),
  ],
]

test.skipIf(onDeno).each(manners)('POST /hooks with %s, ten times', async (_, send) => {
  for (let time = 1; time <= 10; time += 1) {
    const before = await ids()
    const reply = await send()
    await isOver(time)
    const made = async () => (await ids()).filter(id => !before.includes(id))
    // Either the answer has the id and its secret, or nothing is left of it and a second try makes the only one.
    if (statusesOf(reply)[0] === 201) expect(await made()).toEqual([idIn(reply) ?? ''])
    else await until(async () => (await made()).length === 0, 15_000)
    attack.held()
  }
})

test.skipIf(onDeno)(
  'POST /hooks of a client that leaves while it is written, ten times',
  async () => {
    const blocker = oneConnection(database.url)
    for (let time = 1; time <= 10; time += 1) {
      const client = await connectRaw(api.service.port)
      await blocker.begin(async transaction => {
        await transaction`lock table hook_subscriptions in exclusive mode`
        client.write(post())
        await until(async () => (await countLockWaits(api.sql)) > 0)
        client.destroy()
        // The service hears of it before the database answers.
        await Bun.sleep(50)
      })
      await isOver(time)
      expect(await ids()).toEqual([])
      attack.held()
    }
    await blocker.end()
  },
)

test.skipIf(onDeno)(
  'a key that is shown once is not made for a page that never arrives',
  async () => {
    const session = await signIn(api)
    const fields = { csrf: await session.csrf(), label: 'CRM', scope: 'read:leads' }
    const count = async () =>
      (await api.sql`select count(*)::int as count from api_keys`)[0]?.count as number
    for (let time = 1; time <= 10; time += 1) {
      const before = await count()
      lines.length = 0
      const body = new URLSearchParams({ ...fields, once: crypto.randomUUID() }).toString()
      const headers = { Cookie: session.cookie, Origin: api.service.url }
      const head = { ...headers, Host: new URL(api.service.url).host }
      const reply = await sendRaw(
        api.service.port,
        rawRequest('POST', '/dashboard/keys', head, body) + rawRequest('GET', '/healthz'),
      )
      await isOver(1)
      expect([statusesOf(reply), await count()]).toEqual([[], before])
      attack.held()
    }
    expect((await session.submit('/dashboard/keys', fields)).text).toMatch(/wda_[0-9A-Za-z]{49}/)
  },
)
