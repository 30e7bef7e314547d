// Erasing a person empties every table of them, and touches no other person. erasure_deliveries and erasure_locks have the rest.
import { beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
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
import { rowsOf } from './rows.ts'

const database = useDatabase()
const erase = (identity: string) => eraseKontakt(openDatabase(database.sql, queries), identity)
const find = (identity: string) => findHoldings(openDatabase(database.sql, queries), identity)

beforeEach(() => emptyWorkspace(database.sql))

// What an erasure leaves on purpose: the cursors.
const rest = ({ event_cursors, ...tables }: Record<string, string[]>) => tables

test('nothing of the person is left in any table, and every other row is as it was', async () => {
  const { sql } = database
  const subscription_id = await subscribeToAll(sql, 'CRM')
  await plant(sql, 'Quittenmus', '8880001')
  await sequence(sql)
  const before = await dump(sql)

  const person = await plant(sql, 'Zwetschgenbaum', '8880002')
  const { head: cursor } = await sequence(sql)
  const delivery = { subscription_id, cursor }
  await factory.attempt(sql, { ...delivery, outcome: 'r', excerpt: `Danke, ${person.name}!` })
  await factory.outstanding(sql, { ...delivery, due_at: new Date() })
  await factory.outstanding(sql, { ...delivery, cursor: cursor - 1 })
  await sql`insert into redaction_progress values ('haushalte', ${`email:${person.email}`}, 1, 1)`
  // Still on its way into the feed.
  await sql`update signals set status = 'done' where title = ${person.name}`
  const full = tracesIn(await dump(sql), person)
  for (const table of Object.keys(await dump(sql)))
    if (
      /^(leads|lead_|haus|kontakt|app|meet|signals|adv|events|hook_attempts|redaction)/.test(table)
    )
      expect([table, (full[table] ?? []).length > 0]).toEqual([table, true])

  const state = await sql`select head, horizon from feed_state`
  const cursors = await sql`select cursor, log_id from event_cursors order by cursor`
  const found = await find(` ${person.email.toUpperCase()}`)
  const erased = await erase(person.phone)
  const after = await dump(sql)
  expect(tracesIn(after, person)).toEqual({})
  expect(rest(after)).toEqual(rest(before))
  expect(await sql`select head, horizon from feed_state`).toEqual(state)
  expect(await sql`select cursor, log_id from event_cursors order by cursor`).toEqual(cursors)
  expect(erased).toEqual(found)
  expect(erased?.keys).toEqual(
    [
      `email:${person.email}`,
      'email:zwetschgenbaum.alt@example.net',
      `phone:${person.phone}`,
      ...person.leads.map(id => `lead:${id}`),
    ].sort(),
  )
  expect(erased?.counts).toMatchObject({
    leads: 2,
    lead_analyses: 1,
    haushalte: 1,
    kontakt_aliases: 2,
    appointments: 2,
    meeting_intelligence: 2,
    signals: 2,
    advisory_docs: 1,
    hook_deliveries: 1,
    hook_attempts: 1,
  })
  expect(erased?.canonical_key).toBe(`email:${person.email}`)
  expect(await erase(person.phone)).toBeNull()
  expect(await find(person.email)).toBeNull()
})

test('every spelling, every alias and the id of a lead lead to the same person', async () => {
  const { sql } = database
  const person = await plant(sql, 'Mispel', '8880003')
  await sequence(sql)
  const spellings = [
    person.email,
    `mailto:${person.email.toUpperCase()}`,
    'mispel.alt@example.net',
    `phone:${person.phone}`,
    '0171 8880003',
    `lead:${person.leads[0]}`,
    String(person.leads[1]),
  ]
  const found = await Promise.all(spellings.map(find))
  for (const one of found) expect(one?.keys).toEqual(found[0]?.keys as string[])
  for (const one of found) expect(one?.counts).toEqual(found[0]?.counts as never)
})

test('what two people share is told, and stays', async () => {
  const { sql } = database
  const office = '+493023125000'
  const mine = await factory.lead(sql, { email: 'a@example.org', phone: office })
  const theirs = await factory.lead(sql, { email: 'b@example.org', phone: '030 23125-000' })
  await factory.haushalt(sql, { kontakt_key: `phone:${office}` })
  await factory.signal(sql, { kontakt_key: `phone:${office}`, lead_id: theirs.id })
  await sequence(sql)
  const erased = await erase('a@example.org')
  expect(erased?.shared_keys).toEqual([`phone:${office}`])
  expect(erased?.keys).toEqual(['email:a@example.org', `lead:${mine.id}`])
  expect(erased?.counts).toMatchObject({ leads: 1, haushalte: 0, signals: 0, events: 1 })
  expect((await sql`select id from leads`).map(({ id }) => id)).toEqual([theirs.id])
  expect(await sql`select count(*) from haushalte`).toEqual([{ count: 1 }] as never)
  // No one else has it now.
  expect((await erase('b@example.org'))?.counts).toMatchObject({
    leads: 1,
    haushalte: 1,
    signals: 1,
  })
})

test('a key that belongs to another merged contact is told, and stays', async () => {
  const { sql } = database
  await factory.lead(sql, { email: 'a@example.org', phone: '+491718880004' })
  await sql`select merge_kontakte('+491718880004', 'partner@example.org')`
  await factory.haushalt(sql, { kontakt_key: 'email:partner@example.org' })
  const erased = await erase('a@example.org')
  expect(erased?.shared_keys).toEqual(['phone:+491718880004'])
  expect(erased?.counts).toMatchObject({ haushalte: 0, kontakt_aliases: 0 })
})

test('a contact all of whose keys the person’s leads carry goes too', async () => {
  const { sql } = database
  const lead = await factory.lead(sql, { email: 'a@example.org', phone: '+491718880009' })
  await sql`select merge_kontakte('+491718880009', ${lead.id})`
  await factory.haushalt(sql, { kontakt_key: `lead:${lead.id}` })
  const erased = await erase('a@example.org')
  expect(erased?.shared_keys).toEqual([])
  expect(erased?.counts).toMatchObject({ leads: 1, haushalte: 1, kontakt_aliases: 1 })
})

test('a number that only this person’s leads have counts, though it was never merged', async () => {
  const { sql } = database
  await factory.lead(sql, { email: 'a@example.org', phone: '0171 8880005' })
  await factory.haushalt(sql, { kontakt_key: 'phone:+491718880005' })
  expect((await erase('a@example.org'))?.counts).toMatchObject({ leads: 1, haushalte: 1 })
})

test('a lead without mail and phone goes with the contact that its analysis names', async () => {
  const { sql } = database
  const chat = await factory.lead(sql, { name: 'Erika', email: null, phone: null })
  await factory.analysis(sql, { lead_id: chat.id, kontakt_key: 'email:a@example.org' })
  const foreign = await factory.lead(sql, { email: 'b@example.org', phone: null })
  await factory.analysis(sql, { lead_id: foreign.id, kontakt_key: 'email:a@example.org' })
  expect((await erase('a@example.org'))?.counts).toMatchObject({ leads: 1, lead_analyses: 2 })
  expect((await sql`select id from leads`).map(({ id }) => id)).toEqual([foreign.id])
})

test('what the feed still tells of a lead that a writer has deleted goes too, and what it left behind', async () => {
  const { sql } = database
  const person = await plant(sql, 'Schlehe', '8880006')
  await sequence(sql)
  await sql`delete from kontakt_aliases`
  await sql`delete from haushalte`
  await sql`delete from leads where id in ${sql(person.leads)}`
  const erased = await erase(person.phone)
  expect(erased?.counts.appointments).toBe(2)
  const left = tracesIn(await dump(sql), { ...person, traces: person.leads })
  expect(left).toEqual({})
})

test('events in odd spellings of mail and phone are found', async () => {
  const { sql } = database
  const spellings = [
    { email: 'ERIKA@xn--mller-kva.example', phone: null },
    { email: '\u200bErika@Müller.example ', phone: null },
    { email: null, phone: 'tel:+49 171 8880007' },
    { email: null, phone: '0171\u00a08880007 Durchwahl 12' },
    { email: null, phone: '(+49) [0] 171-888.0007' },
  ]
  for (const spelling of spellings) await factory.lead(sql, { name: 'X', ...spelling })
  await sequence(sql)
  await sql`delete from leads`
  expect((await erase('erika@müller.example'))?.counts.events).toBe(2)
  expect((await erase('0171 8880007'))?.counts.events).toBe(3)
  expect(await sql`select count(*) from events`).toEqual([{ count: 0 }] as never)
})

test('events that name a lead in capitals, or its conversation alone, go too', async () => {
  const { sql } = database
  const session_id = randomUUID()
  const lead = await factory.lead(sql, { email: 'a@example.org', phone: null, session_id })
  const other = await factory.lead(sql, { email: 'b@example.org', phone: null, session_id })
  const emit = (object_id: string, links: object, data: object) => sql`
    select append_event('signal.opened', 'signal', ${object_id}, ${JSON.stringify(links)}::text::jsonb, ${JSON.stringify(data)}::text::jsonb)`
  const loud = lead.id.toUpperCase()
  const emitAll = async () => {
    await emit('x', {}, { lead_id: loud })
    await emit(loud, {}, {})
    await emit('x', {}, { kontakt_key: 'EMAIL:A@example.org' })
    await emit('x', { session_id: session_id.toUpperCase() }, { title: 'Erika' })
    // Of the same conversation, and of another person.
    await emit('x', { session_id, lead_id: other.id }, {})
  }
  await emitAll()
  await sequence(sql)
  await emitAll()
  expect((await find('a@example.org'))?.counts.events).toBe(9)
  expect((await erase('a@example.org'))?.counts.events).toBe(9)
  const left = await sql`select links ->> 'lead_id' as lead_id from events`
  expect(left.map(({ lead_id }) => lead_id)).toEqual([other.id, other.id, other.id])
})

test('a conversation that only events of a deleted lead still name leads to its events', async () => {
  const { sql } = database
  const session_id = randomUUID()
  await factory.lead(sql, { email: 'a@example.org', session_id })
  await sql`select append_event('signal.opened', 'signal', 'x', jsonb_build_object('session_id', ${session_id}::text), '{}')`
  await sequence(sql)
  await sql`delete from leads`
  expect((await erase('a@example.org'))?.counts.events).toBe(2)
})

test('leads that had the address once stay, and are told with what tells them apart', async () => {
  const { sql } = database
  const [moved, analysed, signalled] = await Promise.all([
    factory.lead(sql, { name: 'Moved', email: 'old@example.org', phone: null }),
    factory.lead(sql, { name: 'Analysed', email: 'x@example.org', phone: null }),
    factory.lead(sql, { name: 'Signalled', email: 'y@example.org', phone: null }),
  ])
  await factory.lead(sql, { name: 'Nobody', email: 'z@example.org', phone: null })
  await factory.analysis(sql, { lead_id: analysed?.id, kontakt_key: 'email:old@example.org' })
  await factory.signal(sql, { lead_id: signalled?.id, kontakt_key: 'email:old@example.org' })
  await sequence(sql)
  await sql`update leads set email = 'new@example.org' where id = ${moved?.id ?? ''}`
  const found = await find('old@example.org')
  expect(found?.other_leads.map(({ name }) => name).sort()).toEqual([
    'Analysed',
    'Moved',
    'Signalled',
  ])
  expect(found?.other_leads.find(({ name }) => name === 'Moved')).toMatchObject({
    id: moved?.id,
    email: 'new@example.org',
    phone: null,
  })
  const erased = await erase('old@example.org')
  expect(erased).toEqual(found)
  expect((await sql`select from leads`).length).toBe(4)
  expect((await erase(`lead:${moved?.id}`))?.other_leads).toEqual([])
})

test('who it is, is told without the feed', async () => {
  const { sql } = database
  const [older, newer] = [
    await factory.lead(sql, {
      email: 'a@example.org',
      phone: '030 23125000',
      created_at: factory.moment,
    }),
    await factory.lead(sql, {
      email: 'a@example.org',
      phone: null,
      created_at: '2026-03-02T12:00:00+00:00',
    }),
  ]
  await factory.lead(sql, { email: 'b@example.org', phone: '030 23125000' })
  const service = openDatabase(sql, queries)
  const found = await findLeads(service, 'mailto:A@Example.org')
  expect(found).toMatchObject({
    canonical_key: 'email:a@example.org',
    shared_keys: ['phone:+493023125000'],
    lead_count: 2,
  })
  expect(found?.leads.map(({ id }) => id)).toEqual([newer?.id, older?.id] as string[])
  expect(await findLeads(service, 'nobody@example.org')).toMatchObject({ lead_count: 0, leads: [] })
  expect(await findLeads(service, 'Erika')).toBeNull()
})

test('of a person with thousands of leads all goes, as fast for each of them as for few', async () => {
  const { sql } = database
  const hooks = [await subscribeToAll(sql, 'CRM'), await subscribeToAll(sql, 'Zapier')]
  const plantMany = (email: string, count: number) => sql`
    insert into leads (name, email, phone, session_id)
    select 'Erika', ${email}, '+49171' || (9000000 + n), gen_random_uuid() from generate_series(1, ${String(count)}::integer) as n`
  const timed = async (email: string) => {
    const startedAt = performance.now()
    const found = await find(email)
    const foundAt = performance.now()
    expect(await erase(email)).toEqual(found)
    return [found?.counts, foundAt - startedAt, performance.now() - foundAt] as const
  }
  // Each subscription has received all of it.
  const deliverAll = async () => {
    for (const id of hooks)
      await sql`
        insert into hook_attempts (subscription_id, cursor, started_at, version, duration_ms, attempt, status, outcome)
        select ${id}, event_cursors.cursor, now(), 1, 1, 1, 200, 'd' from event_cursors on conflict do nothing`
  }
  await plantMany('few@example.org', 100)
  await sequence(sql)
  await deliverAll()
  const [, findFew, eraseFew] = await timed('few@example.org')
  await sql`delete from event_cursors`
  await plantMany('many@example.org', 1_300)
  await sequence(sql)
  await deliverAll()
  const [counts, findMany, eraseMany] = await timed('many@example.org')
  expect(counts).toMatchObject({ leads: 1_300, events: 1_300, hook_deliveries: 2_600 })
  // Thirteen times as many leads; a hundred and more where each is compared with each.
  expect(findMany / findFew).toBeLessThan(50)
  expect(eraseMany / eraseFew).toBeLessThan(50)
  expect(await sql`select from leads union all select from events`).toHaveLength(0)
}, 60_000)

test('an identity that is none, and one that belongs to no person, find nothing', async () => {
  for (const identity of ['', 'Erika', 'nobody@example.org', randomUUID()]) {
    expect(await find(identity)).toBeNull()
    expect(await erase(identity)).toBeNull()
  }
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
  await expect(
    sql.begin('isolation level repeatable read', async transaction => {
      await transaction`select * from erase_kontakt(${person.email})`
    }),
  ).rejects.toThrow('read committed')
})

test('a client that stands on an erased cursor reads on', async () => {
  const { sql } = database
  await factory.lead(sql, { email: 'b@example.org', phone: null })
  await factory.lead(sql, { email: 'a@example.org', phone: null })
  const { head } = await sequence(sql)
  await erase('a@example.org')
  await factory.lead(sql, { email: 'c@example.org', phone: null })
  await sequence(sql)
  const [page] = await rowsOf(sql, 'getEventPage', {
    after: head,
    event_types: null,
    row_limit: 10,
    bytes_max: 1_000,
  })
  expect(JSON.parse(page?.data ?? '').map((event: { cursor: number }) => event.cursor)).toEqual([
    head + 1,
  ])
})
