// What an erasure says of deliveries: which subscriptions received the events, which may have, and which have not.
import { beforeEach, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { eraseKontakt, findHoldings } from '../../src/operations/erasure.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { emptyWorkspace, feedHead } from '../support/people/erasing.ts'
import { sequence } from '../support/people/person_data.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const email = 'a@example.org'
const erase = () => eraseKontakt(openDatabase(database.sql, queries), email)
const find = () => findHoldings(openDatabase(database.sql, queries), email)

beforeEach(() => emptyWorkspace(database.sql))

/** A subscription to leads, without a delivery. */
const subscribe = async (columns: factory.Columns = {}) =>
  (await factory.hook(database.sql, { event_types: ['lead.created'], ...columns })).id

/** The person's lead; returns the cursor of its event. */
async function addLead(): Promise<number> {
  await factory.lead(database.sql, { email, phone: null })
  await sequence(database.sql)
  return (await feedHead(database.sql)).cursor
}

type Case = [what: string, prepare: (subscription_id: string, cursor: number) => Promise<unknown>]

const { attempt, failure, position, retry, skip } = factory
const sql = () => database.sql

const beyond = { cursor: 9_000, claimed_to: 9_000 }
const unanswered = { outcome: 'r', status: null, error_class: 'timeout' }
const unresolved = { outcome: 'r', status: null, error_class: 'dns' }

const received: Case[] = [
  ['an attempt that was accepted', (id, cursor) => attempt(sql(), { subscription_id: id, cursor })],
  [
    'one that was accepted after others',
    async (id, cursor) => {
      await attempt(sql(), { subscription_id: id, cursor, ...unanswered })
      await attempt(sql(), { subscription_id: id, cursor, attempt: 2 })
    },
  ],
  [
    'an attempt that was accepted, of a delivery that is sent again',
    async (id, cursor) => {
      await attempt(sql(), { subscription_id: id, cursor })
      await retry(sql(), { subscription_id: id, cursor, taken_by: 1 })
    },
  ],
  [
    'an attempt of a subscription that is deleted',
    async (id, cursor) => {
      await attempt(sql(), { subscription_id: id, cursor })
      await sql()`delete from hook_subscriptions where id = ${id}`
    },
  ],
]

const possibly: Case[] = [
  [
    'an attempt that was not answered',
    (id, cursor) => attempt(sql(), { subscription_id: id, cursor, ...unanswered }),
  ],
  [
    'one that was answered otherwise, and failed',
    async (id, cursor) => {
      await attempt(sql(), { subscription_id: id, cursor, outcome: 'f' })
      await failure(sql(), { subscription_id: id, cursor })
    },
  ],
  [
    'a worker that may send as far as that',
    (id, cursor) => position(sql(), id, { claimed_to: cursor }),
  ],
  [
    'a worker that catches up as far as that',
    async (id, cursor) => {
      await position(sql(), id, beyond)
      await skip(sql(), { subscription_id: id, to_cursor: 9_000, claimed_to: cursor })
    },
  ],
  [
    'a retry that is taken',
    async (id, cursor) => {
      await position(sql(), id, beyond)
      await attempt(sql(), { subscription_id: id, cursor, ...unresolved })
      await retry(sql(), { subscription_id: id, cursor, taken_by: 1 })
    },
  ],
  [
    'a worker that could send when the subscription was paused',
    async (id, cursor) => {
      await position(sql(), id, { claimed_to: cursor })
      await sql()`update hook_subscriptions set active = false, paused_at = now() where id = ${id}`
    },
  ],
  [
    'a worker that could send when the subscription was deleted',
    async (id, cursor) => {
      await position(sql(), id, { claimed_to: cursor })
      await sql()`delete from hook_subscriptions where id = ${id}`
    },
  ],
  [
    'a worker that was catching up when the subscription was deleted',
    async (id, cursor) => {
      await position(sql(), id, beyond)
      await skip(sql(), { subscription_id: id, to_cursor: 9_000, claimed_to: cursor })
      await sql()`delete from hook_subscriptions where id = ${id}`
    },
  ],
  [
    'a retry that was taken when the subscription was deleted',
    async (id, cursor) => {
      await position(sql(), id, beyond)
      await retry(sql(), { subscription_id: id, cursor, taken_by: 1 })
      await sql()`delete from hook_subscriptions where id = ${id}`
    },
  ],
  [
    'a retry that was taken and not recorded when its webhook was switched on without what it missed',
    async (id, cursor) => {
      await position(sql(), id, beyond)
      await retry(sql(), { subscription_id: id, cursor, taken_by: 1 })
      await sql()`update hook_subscriptions set active = false, paused_at = now() where id = ${id}`
      await sql()`select reactivate_hook(${id}, false)`
    },
  ],
  [
    'a retry that was taken when the types changed, and is asked for again',
    async (id, cursor) => {
      await position(sql(), id, { ...beyond, fence: 2 })
      await retry(sql(), { subscription_id: id, cursor, taken_by: 1 })
      const asking = { subscription_id: id, cursors: [cursor] }
      await openDatabase(sql(), queries).rows('updateDeliveriesRedelivered', asking)
    },
  ],
  [
    'a worker that sends it after another could not connect',
    async (id, cursor) => {
      await attempt(sql(), { subscription_id: id, cursor, ...unresolved, error_class: 'tls' })
      await position(sql(), id, { cursor: cursor - 1, claimed_to: cursor })
    },
  ],
]

const not: Case[] = [
  ['a subscription that is before it', async () => {}],
  ['a subscription that is beyond it', (id, _cursor) => position(sql(), id, beyond)],
  [
    'attempts of which none reached the receiver',
    async (id, cursor) => {
      for (const error_class of ['dns', 'tls', 'blocked'])
        await attempt(sql(), { subscription_id: id, cursor, ...unresolved, error_class })
      await position(sql(), id, { claimed_to: cursor })
      await retry(sql(), { subscription_id: id, cursor })
    },
  ],
  [
    'a worker that may not send as far as that',
    (id, cursor) => position(sql(), id, { cursor: 0, claimed_to: cursor - 1 }),
  ],
  [
    'a range that is not caught up with as far as that',
    async (id, cursor) => {
      await position(sql(), id, beyond)
      await skip(sql(), {
        subscription_id: id,
        to_cursor: 9_000,
        claimed_to: cursor - 1,
        catching_up: true,
      })
    },
  ],
  [
    'a worker that may send events of other types',
    async (id, cursor) => {
      await sql()`update hook_subscriptions set event_types = array['lead.archived'] where id = ${id}`
      await position(sql(), id, { claimed_to: cursor })
    },
  ],
  [
    'a worker that was ahead when the subscription was paused before',
    async (id, cursor) => {
      await position(sql(), id, { claimed_to: cursor })
      await sql()`update hook_subscriptions set active = false, paused_at = now() - interval '1 minute' where id = ${id}`
    },
  ],
  [
    'a worker that was ahead when the subscription was deleted before',
    async (id, cursor) => {
      await position(sql(), id, { claimed_to: cursor })
      await sql()`delete from hook_subscriptions where id = ${id}`
      await sql()`update hook_positions set deleted_at = now() - interval '1 minute'`
    },
  ],
]

/** What the report says of the only subscription; nothing where it does not name it. */
async function reportOf(prepare: Case[1]) {
  const id = await subscribe()
  // So that there is a cursor before the person's.
  await factory.lead(sql(), { email: 'b@example.org', phone: null })
  await prepare(id, await addLead())
  const found = await find()
  const erased = await erase()
  expect(erased).toEqual(found)
  return erased?.recipients.map(recipient => [
    recipient.subscription_id === id,
    recipient.received,
    recipient.possibly,
    recipient.event_types,
  ])
}

test.each(received)('received: %s', async (_, prepare) => {
  expect(await reportOf(prepare)).toEqual([[true, 1, 0, ['lead.created']]])
})

test.each(possibly)('possibly received: %s', async (_, prepare) => {
  expect(await reportOf(prepare)).toEqual([[true, 0, 1, ['lead.created']]])
})

test.each(not)('not received: %s', async (_, prepare) => {
  expect(await reportOf(prepare)).toEqual([])
})

test('the report names subscriptions, the earliest first, and counts events and attempts', async () => {
  const at = (hour: number) => ({ started_at: `2026-03-01T${hour}:00:00+00:00` })
  const [later, gone, earlier] = [
    await subscribe({ label: 'later', target_url: 'https://later.example.com/x' }),
    await subscribe({ label: 'gone' }),
    await subscribe({ label: 'earlier', event_types: ['lead.created', 'lead.stage_changed'] }),
  ]
  const cursor = await addLead()
  await sql()`update leads set status = 'won'`
  await sequence(sql())
  await attempt(sql(), { subscription_id: later, cursor, ...at(12) })
  await attempt(sql(), { subscription_id: gone, cursor, ...at(11) })
  await attempt(sql(), { subscription_id: earlier, cursor, ...at(10), ...unanswered })
  await attempt(sql(), { subscription_id: earlier, cursor, ...at(13) })
  await attempt(sql(), {
    subscription_id: earlier,
    cursor: cursor + 1,
    ...at(14),
    ...unanswered,
  })
  await retry(sql(), { subscription_id: earlier, cursor: cursor + 1 })
  await sql()`delete from hook_subscriptions where id = ${gone}`
  const erased = await erase()
  expect(
    erased?.recipients.map(one => [one.subscription_id, one.label, one.received, one.possibly]),
  ).toEqual([
    [earlier, 'earlier', 1, 1],
    [gone, null, 1, 0],
    [later, 'later', 1, 0],
  ] as never)
  expect(erased?.recipients[0]).toMatchObject({
    first_at: '2026-03-01T10:00:00+00:00',
    last_at: '2026-03-01T14:00:00+00:00',
    event_types: ['lead.created', 'lead.stage_changed'],
  })
  expect(erased?.recipients[2]?.target_url).toBe('https://later.example.com/x')
  expect(erased?.counts).toMatchObject({ events: 2, hook_deliveries: 4, hook_attempts: 5 })
})

test('deliveries of the events go, those of others stay, and workers hear of it', async () => {
  const id = await subscribe()
  await factory.lead(sql(), { email: 'b@example.org', phone: null })
  const cursor = await addLead()
  for (const of of [cursor - 1, cursor]) {
    await attempt(sql(), { subscription_id: id, cursor: of, outcome: 'f' })
    await failure(sql(), { subscription_id: id, cursor: of })
    await retry(sql(), { subscription_id: id, cursor: of })
  }
  let notified = 0
  const listening = await sql().listen('events_erased', () => {
    notified += 1
  })
  await erase()
  for (const table of ['hook_attempts', 'hook_failures', 'hook_retries']) {
    const rows = await sql().unsafe(`select cursor from ${table}`)
    expect([table, ...rows.map(row => Number(row.cursor))]).toEqual([table, cursor - 1])
  }
  const erased = await sql()`select cursor from erased_events`
  expect(erased.map(row => Number(row.cursor))).toEqual([cursor])
  await until(() => notified === 1)
  await listening.unlisten()
})
