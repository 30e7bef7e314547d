// Erasing a person empties every table of them, and touches no other person.
import { beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { eraseKontakt, findHoldings, findLeads } from '../../src/operations/erasure.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import {
  dump,
  emptyWorkspace,
  plant,
  sequence,
  subscribeToAll,
  tracesIn,
} from '../support/people/person_data.ts'

const database = useDatabase()
const erase = (identity: string) => eraseKontakt(openDatabase(database.sql, queries), identity)
const find = (identity: string) => findHoldings(openDatabase(database.sql, queries), identity)

beforeEach(() => emptyWorkspace(database.sql))

test('nothing of the person is left in any table, and every other row is as it was', async () => {
  const { sql } = database
  const subscription_id = await subscribeToAll(sql, 'CRM')
  await plant(sql, 'Quittenmus', '8880001')
  await sequence(sql)
  // What an erasure leaves on purpose: the cursors.
  const rest = async () => ({ ...(await dump(sql)), event_cursors: [] })
  const before = await rest()

  const person = await plant(sql, 'Zwetschgenbaum', '8880002')
  const { head: cursor } = await sequence(sql)
  const delivery = { subscription_id, cursor }
  await factory.attempt(sql, { ...delivery, outcome: 'r', excerpt: `Danke, ${person.name}!` })
  await factory.outstanding(sql, { ...delivery, due_at: new Date() })
  await factory.outstanding(sql, { ...delivery, cursor: cursor - 1 })
  // Still on its way into the feed.
  await sql`update signals set status = 'done' where title = ${person.name}`
  const tables = /^(leads|lead_|haus|kontakt|app|meet|signals|adv|events|hook_attempts)/
  const full = await dump(sql)
  const about = Object.keys(full).filter(table => tables.test(table))
  expect(Object.keys(tracesIn(full, person))).toEqual(expect.arrayContaining(about))

  const state = () =>
    sql`select head, horizon, (select max(cursor) from event_cursors) as cursor, (select count(*) from event_cursors) as count from feed_state`
  const stateBefore = await state()
  const found = await find(` ${person.email.toUpperCase()}`)
  const erased = await erase(person.phone)
  expect(tracesIn(await dump(sql), person)).toEqual({})
  expect(await rest()).toEqual(before)
  expect(await state()).toEqual(stateBefore)
  expect(erased).toEqual(found)
  const other = 'email:zwetschgenbaum.alt@example.net'
  const leads = person.leads.map(id => `lead:${id}`)
  expect(erased?.keys).toEqual(
    [`email:${person.email}`, other, `phone:${person.phone}`, ...leads].sort(),
  )
  expect(erased?.counts).toMatchObject({
    ...{ leads: 2, lead_analyses: 1, haushalte: 1, kontakt_aliases: 2, appointments: 2 },
    ...{
      meeting_intelligence: 2,
      signals: 2,
      advisory_docs: 1,
      hook_deliveries: 1,
      hook_attempts: 1,
    },
  })
  expect(erased?.canonical_key).toBe(`email:${person.email}`)
  expect([await erase(person.phone), await find(person.email)]).toEqual([null, null])
})

test('every spelling, every alias and the id of a lead lead to the same person', async () => {
  const { sql } = database
  const person = await plant(sql, 'Mispel', '8880003')
  await sequence(sql)
  const spellings = [
    ...[person.email, `mailto:${person.email.toUpperCase()}`, 'mispel.alt@example.net'],
    ...[
      `phone:${person.phone}`,
      '0171 8880003',
      `lead:${person.leads[0]}`,
      String(person.leads[1]),
    ],
  ]
  const found = await Promise.all(spellings.map(find))
  for (const one of found) expect(one).toEqual(found[0] as never)
})

const [a, b, number] = ['a@example.org', 'b@example.org', '+493023125000'] as const
type Lead = Awaited<ReturnType<typeof factory.lead>>
const mine = (sql: Sql, columns: factory.Columns = {}) =>
  factory.lead(sql, { email: a, phone: number, ...columns })
const record = (sql: Sql, kontakt_key: string) => factory.haushalt(sql, { kontakt_key })

// Whose is a number? The keys that are shared, and what goes of one person (a) and then of the other (b).
const owners: [
  what: string,
  prepare: (sql: Sql, lead: Lead) => Promise<unknown>,
  shared: boolean,
  goes: object,
][] = [
  [
    'another person’s lead has it too: it stays',
    async sql => {
      const theirs = await factory.lead(sql, { email: b, phone: '030 23125-000' })
      await factory.signal(sql, { kontakt_key: `phone:${number}`, lead_id: theirs.id })
    },
    true,
    { leads: 1, haushalte: 0, signals: 0 },
  ],
  [
    'another contact has it as an alias: it stays',
    sql => sql`select merge_kontakte(${number}, 'partner@example.org')`,
    true,
    { leads: 1, haushalte: 0, kontakt_aliases: 0 },
  ],
  [
    'a contact has it all of whose keys the person’s leads carry: it goes',
    (sql, { id }) => sql`select merge_kontakte(${number}, ${id})`,
    false,
    { leads: 1, haushalte: 1, kontakt_aliases: 1 },
  ],
  [
    'only this person’s leads have it, and it was never merged: it goes',
    async () => {},
    false,
    { leads: 1, haushalte: 1 },
  ],
]

test.each(owners)('a number: %s', async (_, prepare, shared, goes) => {
  const { sql } = database
  const lead = await mine(sql)
  await record(sql, `phone:${number}`)
  await prepare(sql, lead)
  const erased = await erase(a)
  expect(erased?.shared_keys).toEqual(shared ? [`phone:${number}`] : [])
  expect(erased?.counts).toMatchObject(goes)
  // No one else has it now.
  if ('signals' in goes)
    expect((await erase(b))?.counts).toMatchObject({ leads: 1, haushalte: 1, signals: 1 })
})

test('a lead without mail and phone goes with the contact that its analysis names', async () => {
  const { sql } = database
  const chat = await mine(sql, { email: null, phone: null })
  const foreign = await factory.lead(sql, { email: b, phone: null })
  for (const { id } of [chat, foreign])
    await factory.analysis(sql, { lead_id: id, kontakt_key: `email:${a}` })
  expect((await erase(a))?.counts).toMatchObject({ leads: 1, lead_analyses: 2 })
  expect((await sql`select id from leads`).map(({ id }) => id)).toEqual([foreign.id])
})

const quitte = 'quitte@example.org'
const ofQuitte = (sql: Sql, columns: factory.Columns = {}) =>
  factory.lead(sql, { name: 'Quitte', email: quitte, phone: null, ...columns })

/** A meeting about the person, whose appointment is deleted. */
async function deletedMeeting(sql: Sql, columns: factory.Columns) {
  const { id } = await factory.appointment(sql, { customer_display_name: 'Quitte', ...columns })
  await factory.meeting(sql, { appointment_id: id, summary: 'Quitte hat zwei Kinder' })
  await sql`delete from appointments where id = ${id}`
}

// What a writer deleted before the person was erased: its events go all the same, also those that name no lead.
const deleted: [what: string, prepare: (sql: Sql) => Promise<unknown>][] = [
  [
    'a meeting whose appointment and lead are gone',
    async sql => {
      await deletedMeeting(sql, { lead_id: (await ofQuitte(sql)).id })
      await sql`delete from leads where name = 'Quitte'`
    },
  ],
  [
    'a meeting whose appointment was known by its conversation alone',
    async sql => {
      const session_id = randomUUID()
      await ofQuitte(sql, { session_id })
      await deletedMeeting(sql, { session_id })
    },
  ],
  [
    'an appointment that got its lead later',
    async sql => {
      const { id } = await ofQuitte(sql)
      await factory.appointment(sql, { customer_display_name: 'Quitte' })
      await sql`update appointments set lead_id = ${id}, title = 'neu'`
      await sql`delete from appointments`
    },
  ],
  [
    'a signal that lost its lead before it changed',
    async sql => {
      await factory.signal(sql, { title: 'Quitte', lead_id: (await ofQuitte(sql)).id })
      await sql`update signals set lead_id = null, status = 'done'`
      await sql`delete from signals`
    },
  ],
  [
    'a lead without mail and phone, which an analysis names',
    async sql => {
      const { id } = await ofQuitte(sql, { email: null })
      await factory.analysis(sql, {
        ...{ lead_id: id, kontakt_key: `email:${quitte}` },
        analysis_v2: { kunde: { name: 'Quitte', kontakt: { email: quitte } } },
        din_check: { bewertung: { params_version: '1' } },
      })
      await factory.appointment(sql, { lead_id: id, customer_display_name: 'Quitte' })
      await sequence(sql)
      await sql`delete from leads where id = ${id}`
    },
  ],
]

test.each(deleted)('nothing is left of %s', async (_, prepare) => {
  const { sql } = database
  await factory.lead(sql, { name: 'Birne', email: 'birne@example.org', phone: null })
  await prepare(sql)
  await sequence(sql)
  const having = async (word: string) =>
    Object.values(await dump(sql)).flatMap(rows => rows.filter(row => row.includes(word)))
  const others = await having('Birne')
  expect(await having('Quitte')).not.toEqual([])
  await erase(quitte)
  expect([await having('Quitte'), await having('Birne')]).toEqual([[], others])
})

test('what the feed still has of a lead that a writer deleted goes too, and what it left behind', async () => {
  const { sql } = database
  const person = await plant(sql, 'Schlehe', '8880006')
  await sequence(sql)
  for (const table of ['kontakt_aliases', 'haushalte', 'leads'])
    await sql`delete from ${sql(table)}`
  expect((await erase(person.phone))?.counts.appointments).toBe(2)
  expect(tracesIn(await dump(sql), { ...person, traces: person.leads })).toEqual({})
})

test('events of deleted leads in odd spellings of mail and phone, or of their conversation, are found', async () => {
  const { sql } = database
  const session_id = randomUUID()
  await factory.emit(sql, 'x', { session_id })
  const spellings = [
    { email: 'ERIKA@MU\u0308LLER.example', phone: null, session_id },
    { email: '\u200bErika@Müller.example ', phone: null },
    { email: null, phone: 'tel:+49 171 8880007' },
    { email: null, phone: '0171\u00a08880007 Durchwahl 12' },
    { email: null, phone: '(+49) [0] 171-888.0007' },
  ]
  for (const spelling of spellings) await factory.lead(sql, { name: 'X', ...spelling })
  await sequence(sql)
  await sql`delete from leads`
  expect((await erase('erika@müller.example'))?.counts.events).toBe(3)
  expect((await erase('0171 8880007'))?.counts.events).toBe(3)
  expect(await sql`select from events`).toHaveLength(0)
})

test('events that name a lead in capitals, or its conversation alone, go too', async () => {
  const { sql } = database
  const session_id = randomUUID()
  const lead = await mine(sql, { phone: null, session_id })
  const other = await factory.lead(sql, { email: b, phone: null, session_id })
  const loud = lead.id.toUpperCase()
  const events: [object_id: string, links: object, data: object][] = [
    ['x', {}, { lead_id: loud }],
    [loud, {}, {}],
    ['x', {}, { kontakt_key: 'EMAIL:A@example.org' }],
    ['x', { session_id: session_id.toUpperCase() }, { title: 'Erika' }],
    // Of the same conversation, and of another person.
    ['x', { session_id, lead_id: other.id }, {}],
  ]
  for (const sequences of [true, false]) {
    for (const [id, links, data] of events) await factory.emit(sql, id, links, data)
    if (sequences) await sequence(sql)
  }
  expect((await find(a))?.counts.events).toBe(9)
  expect((await erase(a))?.counts.events).toBe(9)
  const left = await sql`select links ->> 'lead_id' as lead_id from events`
  expect(left.map(({ lead_id }) => lead_id)).toEqual([other.id, other.id, other.id])
})

test('leads that had the address once stay, and are listed with what distinguishes them', async () => {
  const { sql } = database
  const add = (name: string, email: string) => factory.lead(sql, { name, email, phone: null })
  const moved = await add('Moved', 'old@example.org')
  const kontakt_key = 'email:old@example.org'
  const analysed = await add('Analysed', 'x@example.org')
  await factory.analysis(sql, { lead_id: analysed.id, kontakt_key })
  const signalled = await add('Signalled', 'y@example.org')
  await factory.signal(sql, { lead_id: signalled.id, kontakt_key })
  await add('Nobody', 'z@example.org')
  await sequence(sql)
  await sql`update leads set email = 'new@example.org' where id = ${moved.id}`
  const found = await find('old@example.org')
  const others = found?.other_leads.toSorted((one, two) =>
    `${one.name}`.localeCompare(`${two.name}`),
  )
  expect(others).toMatchObject([
    { name: 'Analysed' },
    { name: 'Moved', id: moved.id, email: 'new@example.org', phone: null },
    { name: 'Signalled' },
  ])
  expect(await erase('old@example.org')).toEqual(found)
  expect(await sql`select from leads`).toHaveLength(4)
  expect((await erase(`lead:${moved.id}`))?.other_leads).toEqual([])
})

test('who it is, is shown without the feed', async () => {
  const { sql } = database
  const older = await mine(sql)
  const newer = await mine(sql, { phone: null, created_at: '2026-03-02T12:00:00+00:00' })
  await factory.lead(sql, { email: b, phone: number })
  const service = openDatabase(sql, queries)
  expect(await findLeads(service, 'mailto:A@Example.org')).toMatchObject({
    ...{ canonical_key: `email:${a}`, shared_keys: [`phone:${number}`], lead_count: 2 },
    leads: [{ id: newer.id }, { id: older.id }],
  })
  expect(await findLeads(service, 'nobody@example.org')).toMatchObject({ lead_count: 0, leads: [] })
  expect(await findLeads(service, 'Erika')).toBeNull()
  for (const identity of ['', 'Erika', 'nobody@example.org', randomUUID()])
    expect([await find(identity), await erase(identity)]).toEqual([null, null])
})

test('it is all or nothing', async () => {
  const { sql } = database
  const person = await plant(sql, 'Holunder', '8880008')
  await sequence(sql)
  const before = await dump(sql)
  await rolledBack(sql, async transaction => {
    await transaction`select * from erase_kontakt(${person.email})`
  })
  expect(await dump(sql)).toEqual(before)
  const repeatable = sql.begin('isolation level repeatable read', async transaction => {
    await transaction`select * from erase_kontakt(${person.email})`
  })
  await expect(repeatable).rejects.toThrow('read committed')
})
