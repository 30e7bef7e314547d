// What the owner does about deliveries: look, test, send again, rotate the secret.
import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import {
  listAttempts,
  listDeliveries,
  redeliver,
  sendTestEvent,
} from '../../src/operations/deliveries.ts'
import { listHookStates, rotateSecret, switchSecret } from '../../src/operations/hooks.ts'
import { pruneDeliveries, pruneOnce } from '../../src/retention/prune.ts'
import { readSecretsKeys } from '../../src/secrets_key.ts'
import { type Hook, useHooks } from '../support/delivery.ts'
import { feedReader } from '../support/feed_reader.ts'
import type { Received } from '../support/receiver.ts'
import { useService } from '../support/service.ts'
import { testConfig } from '../support/settings.ts'
import { until } from '../support/until.ts'

const api = useService()
const hooks = useHooks(api)
const { receiver } = hooks
hooks.useWorker()

const database = () => openDatabase(api.sql, queries)
const keys = () => readSecretsKeys(testConfig())

/** The requests that came for a hook, once there are so many. */
const received = (hook: Hook, count: number) =>
  until(async () => {
    const requests = await receiver.requests(hook.path)
    return requests.length === count ? requests : undefined
  })

const standard = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers)

const specHeader = (secret: string, { body, headers }: Received) =>
  headers['x-service-signature'] ===
  `v1=${createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.${body}`).digest('hex')}`

test('the body is the event as the feed has it, without the cursor, signed both ways', async () => {
  const type = 'lead.created'
  const hook = await hooks.subscribe(receiver.url('/ok/signed'), { event_types: [type] })
  const [id] = await hooks.emit(1, type)
  const [request] = (await received(hook, 1)) as [Received]
  const reader = feedReader(api, { types: type })
  const [event] = await reader.readAll()
  const { cursor, ...envelope } = event as NonNullable<typeof event>
  expect(cursor).toBeGreaterThan(0)
  expect(JSON.parse(request.body)).toEqual(envelope)
  expect(request.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': request.headers['x-service-timestamp'],
  })
  expect(standard(hook.secret, request)).toEqual(envelope)
  expect(specHeader(hook.secret, request)).toBe(true)
  expect(
    Math.abs(Number(request.headers['x-service-timestamp']) - Date.now() / 1_000),
  ).toBeLessThan(5)
})

test('a test event is a sample under an id of its own, and in no feed', async () => {
  const hook = await hooks.subscribe(receiver.url('/ok/test'), {
    event_types: ['haushalt.updated', 'kontakt.merged'],
  })
  expect(await sendTestEvent(database(), hook.id, 'lead.created')).toBeNull()
  const delivery = await sendTestEvent(database(), hook.id)
  const [request] = (await received(hook, 1)) as [Received]
  const event = JSON.parse(request.body)
  expect(event.event_type).toBe('haushalt.updated')
  expect(standard(hook.secret, request)).toEqual(event)
  const reader = feedReader(api, { types: 'haushalt.updated' })
  expect(await reader.readAll()).toEqual([])
  await hooks.ended(hook, 1)
  const attempts = await listAttempts(database(), delivery as number)
  expect(attempts).toMatchObject([{ status: 200, error_class: null, excerpt: 'ok' }])
})

test('a failed delivery can be sent again, with its attempts kept', async () => {
  const type = 'appointment.scheduled'
  const hook = await hooks.subscribe(receiver.url('/again'), { event_types: [type] })
  await receiver.answer('/again', 404)
  const [id] = await hooks.emit(1, type)
  await hooks.ended(hook, 1)
  const page = { subscription_id: hook.id, state: 'failed' as const, before: null, limit: 10 }
  const [failed] = await listDeliveries(database(), page)
  expect(failed).toMatchObject({ event_id: id, event_type: type, attempts: 1 })
  await receiver.answer('/again', 200)
  expect(await redeliver(database(), failed?.id ?? 0)).toBe(true)
  await received(hook, 2)
  await until(async () => (await hooks.deliveries(hook))[0]?.state === 'delivered')
  expect(await hooks.ids(hook)).toEqual([id as string, id as string])
  const attempts = await listAttempts(database(), failed?.id ?? 0)
  expect(attempts.map(({ status }) => status)).toEqual([404, 200])
  expect(await redeliver(database(), 999_999_999)).toBe(false)
})

test('both secrets sign for a day after a rotation; the old one leads until the owner switches', async () => {
  const type = 'lead.archived'
  const hook = await hooks.subscribe(receiver.url('/ok/rotated'), { event_types: [type] })
  const old = hook.secret
  const fresh = (await rotateSecret(database(), hook.id, keys())) as string
  const [overlap] = await api.sql`
    select extract(epoch from old_secret_until - now())::float8 / 3600 as hours
    from hook_subscriptions where id = ${hook.id}`
  expect(overlap?.hours).toBeCloseTo(24, 1)
  await hooks.emit(1, type)
  const [first] = (await received(hook, 1)) as [Received]
  expect(standard(old, first)).toEqual(standard(fresh, first))
  expect([specHeader(old, first), specHeader(fresh, first)]).toEqual([true, false])

  expect(await switchSecret(database(), hook.id)).toBe(true)
  await hooks.emit(1, type)
  const [, second] = (await received(hook, 2)) as [Received, Received]
  expect(standard(old, second)).toEqual(standard(fresh, second))
  expect([specHeader(old, second), specHeader(fresh, second)]).toEqual([false, true])

  await api.sql`update hook_subscriptions set old_secret_until = now() where id = ${hook.id}`
  await hooks.emit(1, type)
  const [, , third] = (await received(hook, 3)) as [Received, Received, Received]
  expect(() => standard(old, third)).toThrow()
  expect(standard(fresh, third)).toBeTruthy()
  expect(specHeader(fresh, third)).toBe(true)
  expect(await rotateSecret(database(), crypto.randomUUID(), keys())).toBeNull()
})

test('a delivery whose secret no key opens waits, and is sent when it opens', async () => {
  const type = 'advisory_doc.approved'
  const hook = await hooks.subscribe(receiver.url('/ok/unopened'), { event_types: [type] })
  const [{ secret } = {}] =
    await api.sql`select secret from hook_subscriptions where id = ${hook.id}`
  await api.sql`update hook_subscriptions set secret = 'v1.00000000.x.x' where id = ${hook.id}`
  await hooks.emit(1, type)
  await until(async () => {
    const [row] = await api.sql`select 1 from hook_deliveries
      where subscription_id = ${hook.id} and claim is null and due_at > now() + interval '50 seconds'`
    return row
  })
  expect(await receiver.requests(hook.path)).toEqual([])
  await api.sql`update hook_subscriptions set secret = ${secret} where id = ${hook.id}`
  await api.sql`update hook_queue set due_at = now() where subscription_id = ${hook.id}`
  await received(hook, 1)
})

test('deliveries and attempts go with their events; what is pending stays, and so does its event', async () => {
  const type = 'signal.outcome_recorded'
  const done = await hooks.subscribe(receiver.url('/ok/old'), { event_types: [type] })
  const waiting = await hooks.subscribe(receiver.url('/old'), { event_types: [type] })
  await receiver.hold('/old')
  await hooks.emit(1, type)
  await hooks.ended(done, 1)
  const options = { sql: api.sql, queries, keepDays: 1 }
  // Past the retention time, and not yet past the day that pending deliveries have on top.
  const late = new Date(Date.now() + 1.5 * 86_400_000)
  await pruneDeliveries(options, late)
  expect(await hooks.deliveries(done)).toEqual([])
  expect(await hooks.attempts(done)).toEqual([])
  expect(await hooks.deliveries(waiting)).toHaveLength(1)
  await pruneOnce(options, late)
  expect(await pruneOnce(options, late)).toMatchObject({ partitions_dropped: 0 })
  const reader = feedReader(api, { types: type })
  expect(await reader.readAll()).toHaveLength(1)
  await receiver.release('/old')
  await receiver.answer('/old', 200)
  await hooks.ended(waiting, 1)
  await pruneDeliveries(options, late)
  expect(await pruneOnce(options, late)).toMatchObject({ partitions_dropped: 1 })
})

test('the owner sees at a glance how each subscription fares', async () => {
  const type = 'meeting.intelligence_failed'
  const hook = await hooks.subscribe(receiver.url('/status/404/seen'), { event_types: [type] })
  await hooks.emit(2, type)
  await hooks.ended(hook, 2)
  const [state] = (await listHookStates(database())).filter(({ id }) => id === hook.id)
  expect(state).toMatchObject({ active: true, consecutive_failures: 2, event_types: [type] })
  expect(state?.catch_up_cursor).toBeGreaterThan(0)
})
