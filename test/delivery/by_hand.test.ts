// Rows of subscriptions that an owner changes with psql while a process delivers to them.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { positionRow } from '../support/delivery/positions.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks
hooks.useWorker()

test('other event types: from then on those come, and no others', async () => {
  const hook = await hooks.subscribe(receiver.url('/ok/types'), { event_types: ['lead.created'] })
  const follower = await hooks.subscribe(receiver.url('/ok/all'), {
    event_types: ['lead.created', 'lead.archived'],
  })
  await hooks.emit(1, 'lead.created')
  await hooks.ended(hook, 1)
  const [known = ''] = await hooks.ids(hook)
  await database.sql`update hook_subscriptions set event_types = '{lead.archived}' where id = ${hook.id}`
  const late = await hooks.emit(1, 'lead.archived')
  await until(async () => (await hooks.ids(hook)).length === 2)
  await hooks.emit(1, 'lead.created')
  const last = await hooks.emit(1, 'lead.archived')
  await until(async () => (await hooks.ids(hook)).length === 3)
  await hooks.ended(follower, 4)
  expect((await hooks.ids(hook)).sort()).toEqual([known, ...late, ...last].sort())
})

test('paused and let go on: retries that were taken and not sent are sent', async () => {
  const type = 'kontakt.merged'
  const hook = await hooks.subscribe(receiver.url('/goes-on'), { event_types: [type] })
  const { sql } = database
  await receiver.answer('/goes-on', 503)
  await hooks.emit(40, type)
  await sql`update hook_subscriptions set active = false, paused_at = now() where id = ${hook.id}`
  await until(async () => {
    const rows = await hooks.deliveries(hook)
    return (
      rows.filter(({ attempts }) => attempts > 0).length === (await hooks.attempts(hook)).length
    )
  })
  const { no, fence } = await positionRow(sql, hook)
  // As a process leaves them that took them and could not start them.
  await sql`
    insert into hook_retries (no, cursor, taken_by) select ${no}, cursor, ${fence} from event_cursors where event_type = ${type}
    on conflict (no, cursor) do update set taken_by = excluded.taken_by, due_at = now()`
  await receiver.answer('/goes-on', 200)
  await sql`update hook_subscriptions set active = true, paused_at = null where id = ${hook.id}`
  const rows = await hooks.ended(hook, 40)
  expect(rows.every(({ state }) => state === 'delivered')).toBe(true)
})

const largest = Number.MAX_SAFE_INTEGER

test('a position that was set forward is set back: what is above is sent by the next worker, too', async () => {
  const type = 'appointment.updated'
  const { sql } = database
  const hook = await hooks.subscribe(receiver.url('/ok/forward'), { event_types: [type] })
  await hooks.emit(1, type)
  await hooks.ended(hook, 1)
  await sql`
    update hook_positions set cursor = cursor + 1000, claimed_to = ${largest} where subscription_id = ${hook.id}`
  await hooks.emit(1, type)
  await until(async () => {
    const [{ head } = {}] = await sql`select max(cursor)::float8 as head from event_cursors`
    return (await positionRow(sql, hook)).cursor === head
  })
  expect(await hooks.ids(hook)).toHaveLength(2)
})

const beyond = '9007199254740992'
const refused: [table: string, statement: string][] = [
  [
    'hook_retries',
    'insert into hook_retries (no, cursor, attempts) select no, 1, -1 from hook_positions',
  ],
  [
    'hook_retries',
    'insert into hook_retries (no, cursor, attempts) select no, 1, 5 from hook_positions',
  ],
  [
    'hook_retries',
    `insert into hook_retries (no, cursor) select no, ${beyond} from hook_positions`,
  ],
  [
    'hook_retries',
    `insert into hook_retries (no, cursor) select no, -${beyond} from hook_positions`,
  ],
  [
    'hook_failures',
    `insert into hook_failures (no, cursor) select no, ${beyond} from hook_positions`,
  ],
  [
    'hook_skips',
    `insert into hook_skips (no, from_cursor, to_cursor, reason, events) select no, 0, ${beyond}, 'paused', 1 from hook_positions`,
  ],
  ['hook_skips', `update hook_skips set claimed_to = ${beyond}`],
  ['hook_positions', `update hook_positions set claimed_to = ${beyond}`],
  ['hook_positions', 'update hook_positions set cursor = -1'],
  ['hook_positions', 'update hook_positions set fence = 2147483647'],
  ['hook_subscriptions', 'update hook_subscriptions set consecutive_failures = 2147483647'],
  ['feed', `update feed set head_floor = ${beyond}`],
  ['feed', `update feed set horizon = ${beyond}`],
]

test('a number that a process cannot read or add to is refused: it would stop every webhook', async () => {
  const { sql } = database
  const { id } = await hooks.subscribe(receiver.url('/ok/refused'))
  await sql`
    insert into hook_skips (no, from_cursor, to_cursor, reason, events)
    select no, 0, 1, 'paused', 1 from hook_positions where subscription_id = ${id}`
  for (const [table, statement] of refused)
    await expect(sql.unsafe(statement).execute()).rejects.toThrow(
      new RegExp(`"${table}" violates check constraint`),
    )
  const envelope = sql`insert into hook_test_events (no, envelope) values (1, '{"id": "none"}')`
  await expect(envelope.execute()).rejects.toThrow('invalid input syntax for type uuid')
})
