// An event that is erased while a process holds it in memory and cannot hear of it: notifications are hints.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { redeliver } from '../../src/operations/deliveries.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { positionRow } from '../support/delivery/positions.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks
let proxy: TcpProxy
let worker: Awaited<ReturnType<typeof hooks.startWorker>>

beforeAll(async () => {
  proxy = await openTcpProxy(database.url)
  worker = await hooks.startWorker({}, undefined, { DATABASE_LISTEN_URL: proxy.url })
  await until(async () => {
    const [row] = await database.sql`select from hook_workers where lock_key is not null`
    return row
  })
})
afterAll(async () => {
  await worker.stop()
  proxy.close()
})

const lead = (name: string) =>
  factory.lead(database.sql, { email: `${name}@example.org`, phone: null })

test('before its subscription has claimed it: it is not sent, and no webhook is reported', async () => {
  const { sql, url } = database
  const hook = await hooks.subscribe(receiver.url('/ok/erased'), { event_types: ['lead.created'] })
  await until(async () => (await positionRow(sql, hook)).worker)
  const erasing = oneConnection(url)
  await erasing`begin`
  await erasing`lock table hook_positions in exclusive mode`
  await lead('erased')
  await until(async () => {
    const [row] = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%greatest(moved.claimed_to%'`
    return row
  })
  proxy.silent()
  const [report] = await erasing`select recipients from erase_kontakt('erased@example.org')`
  await erasing`commit`
  await erasing.end()
  expect(JSON.parse(report?.recipients)).toEqual([])
  await lead('kept')
  await until(async () => (await hooks.attempts(hook)).length > 0)
  const bodies = (await receiver.requests(hook.path)).map(({ body }) => JSON.parse(body).data.email)
  expect(bodies).toEqual(['kept@example.org'])
}, 30_000)

test('taken to be sent again and not started, while the listener is away: it is not sent when it is back', async () => {
  const { sql } = database
  const hook = await hooks.subscribe(receiver.url('/silent'), { event_types: ['lead.created'] })
  await proxy.back()
  await receiver.answer('/silent', 200)
  for (let place = 0; place < 19; place += 1) await lead(`other${place}`)
  await lead('taken')
  const delivered = await hooks.ended(hook, 20)
  await receiver.hold('/silent')
  await lead('hanging')
  const since = Date.now()
  // From then on no more than eight are in flight to it.
  await until(() => Date.now() - since > 2_500)
  for (const { cursor } of delivered) await redeliver(openDatabase(sql, queries), hook.id, cursor)
  await until(async () => {
    const [row] =
      await sql`select count(*)::integer as taken from hook_retries where taken_by is not null`
    return row?.taken === 20 && (await hooks.ids(hook)).length > 21
  })
  const lockKey = async () => (await sql`select lock_key from hook_workers`)[0]?.lock_key
  const before = await lockKey()
  proxy.away()
  await sql`select from erase_kontakt('taken@example.org')`
  await proxy.back()
  await until(async () => ![null, before].includes(await lockKey()))
  await receiver.answer('/silent', 200)
  await receiver.release('/silent')
  await until(async () => (await sql`select from hook_retries`).length === 0, 15_000)
  const bodies = (await receiver.requests(hook.path)).map(({ body }) => JSON.parse(body).data.email)
  expect(bodies.filter(email => email === 'taken@example.org')).toHaveLength(1)
  expect(bodies.filter(email => email === 'other18@example.org')).toHaveLength(2)
}, 40_000)
