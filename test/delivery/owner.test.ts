// What the owner does about deliveries: look, test, send again, rotate the secret.
import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { makeSigningSecret, sealSecret } from '../../src/model/signing_secret.ts'
import {
  deliverMissed,
  dismissMissed,
  getDelivery,
  listAttempts,
  listDeliveries,
  redeliver,
  sendTestEvent,
} from '../../src/operations/deliveries.ts'
import { reactivateHook, rotateSecret, switchSecret } from '../../src/operations/hooks.ts'
import { getHookReport, getOverview, listHooksBehind } from '../../src/operations/overview.ts'
import { readSecretsKeys } from '../../src/secrets/secrets_key.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { feedReader } from '../support/feed/feed_reader.ts'
import { sequenceAll } from '../support/feed/sequencing.ts'
import { useService } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import type { Received } from '../support/receiver/receiver.ts'
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

const report = async ({ id }: Hook) => {
  const found = await getHookReport(database(), id)
  if (!found) throw new Error('no report')
  return found
}

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
  const cursor = (await sendTestEvent(database(), hook.id)) as number
  const [request] = (await received(hook, 1)) as [Received]
  const event = JSON.parse(request.body)
  expect(event.event_type).toBe('haushalt.updated')
  expect(standard(hook.secret, request)).toEqual(event)
  const reader = feedReader(api, { types: 'haushalt.updated' })
  expect(await reader.readAll()).toEqual([])
  await hooks.ended(hook, 1)
  const attempts = await listAttempts(database(), hook.id, cursor)
  expect(attempts).toMatchObject([{ status: 200, error_class: null, excerpt: 'ok' }])
  expect(await getDelivery(database(), hook.id, cursor)).toMatchObject({
    state: 'delivered',
    event,
  })
})

test('a failed delivery can be sent again, with its attempts kept', async () => {
  const type = 'appointment.scheduled'
  const hook = await hooks.subscribe(receiver.url('/again'), { event_types: [type] })
  await receiver.answer('/again', 404)
  const [id] = await hooks.emit(1, type)
  await hooks.ended(hook, 1)
  const page = { subscription_id: hook.id, state: 'failed' as const, before: null, limit: 10 }
  const [failed] = await listDeliveries(database(), page)
  expect(failed).toMatchObject({ event_id: id, event_type: type, attempts: 1, status: 404 })
  const cursor = failed?.cursor ?? 0
  await receiver.answer('/again', 200)
  expect(await redeliver(database(), hook.id, cursor)).toBe(true)
  await received(hook, 2)
  await until(async () => (await getDelivery(database(), hook.id, cursor))?.state === 'delivered')
  expect(await hooks.ids(hook)).toEqual([id as string, id as string])
  const attempts = await listAttempts(database(), hook.id, cursor)
  expect(attempts.map(({ status }) => status)).toEqual([404, 200])
  expect(await redeliver(database(), hook.id, 999_999_999)).toBe(false)
})

test('failures short of ten are sent again all at once, after the webhook has recovered too', async () => {
  const type = 'appointment.updated'
  const hook = await hooks.subscribe(receiver.url('/recovers'), { event_types: [type] })
  await receiver.answer('/recovers', 401)
  const failed = await hooks.emit(3, type)
  await until(async () => (await report(hook)).failures === 3)
  await receiver.answer('/recovers', 200)
  await hooks.emit(1, type)
  await until(async () => (await report(hook)).consecutive_failures === 0)
  expect(await report(hook)).toMatchObject({ failures: 3, missed: 0, active: true })
  expect(await deliverMissed(database(), hook.id)).toBe(3)
  const requests = (await received(hook, 7)) ?? []
  expect(new Set(requests.slice(-3).map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set(failed),
  )
  await until(async () => (await report(hook)).waiting === 0)
  await until(async () => (await report(hook)).catch_up_cursor === null)
  expect((await report(hook)).failures).toBe(0)
  await receiver.answer('/recovers', 401)
  await hooks.emit(2, type)
  await until(async () => (await report(hook)).failures === 2)
  expect(await dismissMissed(database(), hook.id)).toBe(2)
  expect((await report(hook)).failures).toBe(0)
  await until(async () => (await report(hook)).catch_up_cursor === null)
})

test('a receiver that hangs is reported as behind, and the worker is not', async () => {
  const type = 'appointment.cancelled'
  const hook = await hooks.subscribe(receiver.url('/hangs'), { event_types: [type] })
  await receiver.hold('/hangs')
  await hooks.emit(2, type)
  await until(async () => (await receiver.requests(hook.path)).length > 0)
  await api.sql`update event_cursors set sequenced_at = now() - interval '40 seconds' where event_type = ${type}`
  expect(await listHooksBehind(database())).toMatchObject([{ id: hook.id, pending: 2 }])
  expect((await getOverview(database())).unowned_since).toBeNull()
  await receiver.release('/hangs')
  await until(async () => (await listHooksBehind(database())).length === 0)
})

test('both secrets sign for a day after a rotation; the old one leads until the owner switches', async () => {
  const type = 'lead.archived'
  const hook = await hooks.subscribe(receiver.url('/ok/rotated'), { event_types: [type] })
  const old = hook.secret
  /** The first delivery for which this holds: the process that delivers hears of a change a moment later. */
  const sentSo = (holds: (request: Received) => boolean) =>
    until(async () => {
      const before = (await receiver.requests(hook.path)).length
      await hooks.emit(1, type)
      const request = (await received(hook, before + 1)).at(-1)
      return request && holds(request) ? request : undefined
    })
  const isBy = (secret: string) => (request: Received) => {
    try {
      return Boolean(standard(secret, request))
    } catch {
      return false
    }
  }
  const fresh = (await rotateSecret(database(), hook.id, keys(), true)) as string
  const [overlap] = await api.sql`
    select extract(epoch from old_secret_until - now())::float8 / 3600 as hours
    from hook_subscriptions where id = ${hook.id}`
  expect(overlap?.hours).toBeCloseTo(24, 1)
  const first = await sentSo(isBy(fresh))
  expect(standard(old, first)).toEqual(standard(fresh, first))
  expect([specHeader(old, first), specHeader(fresh, first)]).toEqual([true, false])

  expect(await switchSecret(database(), hook.id)).toBe(true)
  const second = await sentSo(request => specHeader(fresh, request))
  expect(standard(old, second)).toEqual(standard(fresh, second))
  expect(specHeader(old, second)).toBe(false)

  await api.sql`update hook_subscriptions set old_secret_until = now() where id = ${hook.id}`
  const third = await sentSo(request => !isBy(old)(request))
  expect(standard(fresh, third)).toBeTruthy()
  expect(specHeader(fresh, third)).toBe(true)
  expect(await rotateSecret(database(), crypto.randomUUID(), keys(), true)).toBeNull()
})

test('a delivery whose secret no key opens waits, and is sent when it opens', async () => {
  const type = 'advisory_doc.approved'
  const id = crypto.randomUUID()
  const hook = await hooks.subscribe(receiver.url('/ok/unopened'), {
    id,
    event_types: [type],
    secret: 'v1.00000000.x.x',
  })
  await hooks.emit(1, type)
  await until(async () => {
    const [row] = await api.sql`select 1 from hook_retries join hook_positions using (no)
      where subscription_id = ${id} and taken_by is null and due_at > now() + interval '50 seconds'`
    return row
  })
  expect(await receiver.requests(hook.path)).toEqual([])
  await api.sql`update hook_subscriptions set secret = ${sealSecret(makeSigningSecret(), keys(), id)} where id = ${id}`
  await until(async () => {
    const page = { subscription_id: id, state: 'pending' as const, before: null, limit: 1 }
    const [waiting] = await listDeliveries(database(), page)
    if (waiting) await redeliver(database(), id, waiting.cursor)
    return (await receiver.requests(hook.path)).length > 0
  })
})

test('what was missed and is sent again one by one is missed no longer', async () => {
  const type = 'appointment.cancelled'
  const hook = await hooks.subscribe(receiver.url('/ok/one_by_one'), {
    event_types: [type],
    active: false,
    paused_at: new Date(),
  })
  await hooks.emit(3, type)
  await sequenceAll(api.sql)
  await reactivateHook(database(), hook.id)
  const missed = async () => {
    const page = { subscription_id: hook.id, state: 'skipped' as const, before: null, limit: 9 }
    const listed = await listDeliveries(database(), page)
    expect((await report(hook)).missed).toBe(listed.length)
    return listed.map(({ cursor }) => cursor)
  }
  const cursors = await missed()
  expect(cursors).toHaveLength(3)
  for (const [sent, cursor] of cursors.entries()) {
    expect(await redeliver(database(), hook.id, cursor)).toBe(true)
    await received(hook, sent + 1)
    expect(await missed()).toEqual(cursors.slice(sent + 1))
  }
  const { catch_up_cursor } = await until(async () => {
    const now = await report(hook)
    return now.waiting === 0 ? now : undefined
  })
  expect(catch_up_cursor).toBeNull()
})

test('the report of a subscription says how many deliveries failed in a row, and with which response', async () => {
  const type = 'meeting.intelligence_failed'
  const hook = await hooks.subscribe(receiver.url('/status/404/seen'), { event_types: [type] })
  await hooks.emit(2, type)
  await hooks.ended(hook, 2)
  const state = await report(hook)
  expect(state).toMatchObject({
    active: true,
    consecutive_failures: 2,
    event_types: [type],
    failures: 2,
    delivered_at: null,
    failure_status: 404,
    failure_class: 'status',
  })
  expect(state.catch_up_cursor).toBeGreaterThan(0)
})
