// What follows from changing and pausing a subscription: types that are added count from then on, and what waits stays.
import { beforeEach, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)
let id: string

beforeEach(async () => {
  const { sql } = test_
  await sql`truncate events, event_cursors, hook_subscriptions, hook_positions`
  id = (await factory.hook(sql, { event_types: ['lead.created'] })).id
  for (const [index, event_type] of ['lead.created', 'signal.opened', 'signal.opened'].entries())
    await factory.event(sql, { cursor: index + 1, event_type })
})

const change = (event_types: string[], label: string | null = null) =>
  database().rows('updateHook', {
    id,
    target_url: 'https://hooks.example.com/b',
    event_types,
    label,
  })
const position = async () => {
  const { cursor, fence, claimed_to } = await factory.position(test_.sql, id)
  return { cursor, fence, claimed_to }
}

test('a type that is added counts from now on where nothing waits', async () => {
  await factory.position(test_.sql, id, { cursor: 1, fence: 4 })
  await change(['lead.created', 'signal.opened'])
  expect(await position()).toEqual({ cursor: 3, fence: 5, claimed_to: 3 })
})

test('what waits is not passed over', async () => {
  await factory.position(test_.sql, id, { cursor: 0, fence: 4 })
  await change(['lead.created', 'signal.opened'])
  expect(await position()).toMatchObject({ cursor: 0, fence: 5 })
})

test('another name or address changes nothing of the position', async () => {
  await factory.position(test_.sql, id, { cursor: 1, fence: 4 })
  await change(['lead.created'], 'CRM')
  expect(await position()).toMatchObject({ cursor: 1, fence: 4 })
  const [row] = await test_.sql`select label, target_url from hook_subscriptions`
  expect(row).toEqual({ label: 'CRM', target_url: 'https://hooks.example.com/b' } as typeof row)
})

test('a pause keeps its first moment, and switching on forgets its reason, whatever switches', async () => {
  const pause = (reason: string, is_paused_only = false) =>
    database().rows('updateHookPaused', { id, reason, is_paused_only })
  await pause('')
  const paused = await test_.sql`select paused_at::text, pause_reason from hook_subscriptions`
  await pause('Umzug')
  await pause('')
  const again = await test_.sql`select paused_at::text, pause_reason from hook_subscriptions`
  expect([paused[0]?.pause_reason, again[0]?.pause_reason]).toEqual(['', 'Umzug'])
  expect(again[0]?.paused_at).toBe(paused[0]?.paused_at)
  await database().rows('updateHookReactivated', { id, deliver_missed: false })
  const [row] = await test_.sql`select active, pause_reason from hook_subscriptions`
  expect([row?.active, row?.pause_reason]).toEqual([true, null])
  // What only acknowledges a pause leaves one that is active as it is.
  expect(await pause('', true)).toHaveLength(0)
})

test.each([
  ['a name in the data', { data: { name: 'Anna Weber' } }, 'Anna Weber'],
  ['an appointment', { data: { customer_display_name: 'Bert K.' } }, 'Bert K.'],
  ['an analysis', { data: { analysis: { kunde: { name: 'Clara' } } } }, 'Clara'],
  ['an address', { data: { kontakt_key: 'email:a@example.org' } }, 'a@example.org'],
  ['no person', { object_id: 'x', data: {} }, null],
  ['a lead that is no id', { data: { lead_id: 'not an id' } }, null],
])('an event names %s', async (_, columns, person) => {
  await factory.event(test_.sql, { cursor: 9, event_type: 'haushalt.updated', ...columns })
  const rows = await database().list('listNewestEvents', {
    event_types: ['haushalt.updated'],
    before: null,
    row_limit: 5,
  })
  expect(rows.map(row => row.person)).toEqual([person])
})

test('an event without a name is named by its lead', async () => {
  const lead = await factory.lead(test_.sql, { name: 'Greta Sommer' })
  await factory.event(test_.sql, { cursor: 9, event_type: 'lead.archived', object_id: lead.id })
  await factory.event(test_.sql, {
    cursor: 10,
    event_type: 'lead.archived',
    object_type: 'haushalt',
    data: { kontakt_key: `lead:${lead.id}` },
  })
  const rows = await database().list('listNewestEvents', {
    event_types: ['lead.archived'],
    before: null,
    row_limit: 5,
  })
  expect(rows.map(row => row.person)).toEqual(['Greta Sommer', 'Greta Sommer'])
})

test('an event of a meeting is named by its appointment', async () => {
  const { id } = await factory.appointment(test_.sql, { customer_display_name: 'Bert K.' })
  const gone = { object_type: 'meeting', data: {}, event_type: 'meeting.intelligence_failed' }
  await factory.event(test_.sql, { ...gone, cursor: 9, object_id: id })
  await factory.event(test_.sql, { ...gone, cursor: 10, object_id: crypto.randomUUID() })
  const rows = await database().list('listNewestEvents', {
    event_types: ['meeting.intelligence_failed'],
    before: null,
    row_limit: 5,
  })
  expect(rows.map(row => row.person)).toEqual([null, 'Bert K.'])
})
