// Erasing a person empties every table of them, tells who had received what, and touches nobody else.
import { beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { eraseKontakt, findHoldings, findLeads } from '../../src/operations/erasure.ts'
import { useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'
import { dump, plant, sequence, subscribeToAll, tracesIn } from '../support/person.ts'
import { attemptRecord, endDeliveries, recordAttempts } from '../support/recording.ts'
import { rolledBack } from '../support/rolled_back.ts'
import { rowsOf } from '../support/rows.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const erase = (identity: string) => eraseKontakt(openDatabase(database.sql, queries), identity)
const find = (identity: string) => findHoldings(openDatabase(database.sql, queries), identity)

beforeEach(async () => {
  await database.sql.unsafe(`
    truncate leads, haushalte, kontakt_aliases, appointments, signals, advisory_docs, event_outbox, events,
      hook_subscriptions, hook_queue, hook_outcomes, hook_other_attempts, redaction_progress cascade`)
})

// Positions count how often they were met by an erasure.
const rest = ({ feed, hook_positions, ...tables }: Record<string, string[]>) => tables

test('nothing of the person is left in any table, and every other row is as it was', async () => {
  const { sql } = database
  await subscribeToAll(sql, 'CRM')
  await plant(sql, 'Quittenmus', '8880001')
  await sequence(sql)
  const before = await dump(sql)

  const person = await plant(sql, 'Zwetschgenbaum', '8880002')
  await sequence(sql)
  const [newest] = await sql`select id, cursor from hook_deliveries order by id desc limit 1`
  await factory.attempt(sql, { delivery_id: newest?.id, excerpt: `Danke, ${person.name}!` })
  await sql`insert into redaction_progress values ('haushalte', ${`email:${person.email}`}, 1, 1)`
  // Still on its way into the feed.
  await sql`update signals set status = 'done' where title = ${person.name}`
  const full = tracesIn(await dump(sql), person)
  for (const table of Object.keys(await dump(sql)))
    if (
      /^(lead|haus|kontakt|app|meet|signals|adv|event_outbox|events|hook_other_att|redaction)/.test(
        table,
      )
    )
      expect([table, (full[table] ?? []).length > 0]).toEqual([table, true])

  const [{ head, horizon } = {}] = await sql`select head, horizon from feed`
  const found = await find(` ${person.email.toUpperCase()}`)
  const erased = await erase(person.phone)
  const after = await dump(sql)
  expect(tracesIn(after, person)).toEqual({})
  expect(rest(after)).toEqual(rest(before))
  expect(await sql`select head, horizon from feed`).toEqual([{ head, horizon }] as never)
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
  // Nobody else has it now.
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

test('a number that only this person’s leads have counts, though nobody merged it', async () => {
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
    select emit_event('signal.opened', 'signal', ${object_id}, ${JSON.stringify(links)}::text::jsonb, ${JSON.stringify(data)}::text::jsonb)`
  const loud = lead.id.toUpperCase()
  const emitAll = async () => {
    await emit('x', {}, { lead_id: loud })
    await emit(loud, {}, {})
    await emit('x', {}, { kontakt_key: 'EMAIL:A@example.org' })
    await emit('x', { session_id: session_id.toUpperCase() }, { title: 'Erika' })
    // Of the same conversation, and of somebody else.
    await emit('x', { session_id, lead_id: other.id }, {})
  }
  await emitAll()
  await sequence(sql)
  await emitAll()
  expect((await find('a@example.org'))?.counts.events).toBe(9)
  expect((await erase('a@example.org'))?.counts.events).toBe(9)
  const left =
    await sql`select links ->> 'lead_id' as lead_id from events union all select links ->> 'lead_id' from event_outbox`
  expect(left.map(({ lead_id }) => lead_id)).toEqual([other.id, other.id, other.id])
})

test('a conversation that only events of a deleted lead still name leads to its events', async () => {
  const { sql } = database
  const session_id = randomUUID()
  await factory.lead(sql, { email: 'a@example.org', session_id })
  await sql`select emit_event('signal.opened', 'signal', 'x', jsonb_build_object('session_id', ${session_id}::text), '{}')`
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
  await subscribeToAll(sql, 'CRM')
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
  await plantMany('few@example.org', 100)
  await sequence(sql)
  const [, findFew, eraseFew] = await timed('few@example.org')
  await plantMany('many@example.org', 1_300)
  await sequence(sql)
  const [counts, findMany, eraseMany] = await timed('many@example.org')
  expect(counts).toMatchObject({ leads: 1_300, events: 1_300, hook_deliveries: 1_300 })
  // Thirteen times as many leads; a hundred and more where each is compared with each.
  expect(findMany / findFew).toBeLessThan(50)
  expect(eraseMany / eraseFew).toBeLessThan(50)
  expect(await sql`select from leads union all select from events`).toHaveLength(0)
}, 60_000)

test('the report tells who has received events, who may have, and who has not', async () => {
  const { sql } = database
  const types = ['lead.created']
  const hook = (label: string) =>
    factory.hook(sql, { label, event_types: types, target_url: `https://${label}.example.com/x` })
  // One only waits, and is not told of.
  const [got, timedOut, unresolved, , sending, gone] = await Promise.all(
    ['got', 'timeout', 'dns', 'waiting', 'sending', 'gone'].map(hook),
  )
  const lead = await factory.lead(sql, { email: 'a@example.org' })
  await sequence(sql)
  const deliver = async (
    of: factory.Inserted | undefined,
    columns: factory.Columns,
    state = 'failed',
  ) => {
    const [delivery] = await endDeliveries(sql, String(of?.id), state)
    await factory.attempt(sql, { delivery_id: delivery?.id, ...columns })
  }
  await deliver(got, { started_at: '2026-03-01T10:00:00+00:00' })
  await deliver(gone, { started_at: '2026-03-01T11:00:00+00:00' }, 'delivered')
  await deliver(timedOut, {
    status: null,
    error_class: 'timeout',
    started_at: '2026-03-01T09:00:00+00:00',
  })
  await deliver(unresolved, { status: null, error_class: 'dns' })
  await sql`update hook_queue set claim = ${randomUUID()}, due_at = now(), created_at = '2026-03-01T12:00:00Z'
    where subscription_id = ${sending?.id ?? ''}`
  await sql`delete from hook_subscriptions where id = ${gone?.id ?? ''}`
  const erased = await erase(lead.id)
  expect(
    erased?.recipients.map(({ subscription_id, label, received, possibly, event_types }) => [
      subscription_id,
      label,
      received,
      possibly,
      event_types,
    ]),
  ).toEqual([
    [timedOut?.id, 'timeout', 0, 1, types],
    [got?.id, 'got', 1, 0, types],
    [gone?.id, null, 1, 0, types],
    [sending?.id, 'sending', 0, 1, types],
  ] as never)
  expect(erased?.recipients[1]).toMatchObject({
    target_url: 'https://got.example.com/x',
    first_at: '2026-03-01T10:00:00+00:00',
    last_at: '2026-03-01T10:00:00+00:00',
  })
  expect(erased?.counts).toMatchObject({ hook_deliveries: 6, hook_attempts: 4 })
})

test('an identity that is none, and one that nobody has, find nothing', async () => {
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
  await sequence(sql)
  const [{ head } = {}] = await sql`select head from feed`
  await erase('a@example.org')
  await factory.lead(sql, { email: 'c@example.org', phone: null })
  await sequence(sql)
  const [page] = await rowsOf(sql, 'getEventPage', { after: head, row_limit: 10 })
  expect(JSON.parse(page?.data ?? '').map((event: { cursor: number }) => event.cursor)).toEqual([
    head + 1,
  ])
})

const somebodyWaits = async () =>
  (
    await database.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  ).length > 0

/** Erases, and before it commits starts `work` on another connection, which has to wait. */
async function duringErasure<Result>(identity: string, work: () => Promise<Result>) {
  const { sql } = database
  let meanwhile: Promise<Result> | undefined
  await sql.begin(async transaction => {
    await transaction`select * from erase_kontakt(${identity})`
    meanwhile = work()
    // It may fail before it is waited for below.
    meanwhile.catch(() => {})
    await until(somebodyWaits)
  })
  return await (meanwhile as Promise<Result>)
}

test('an attempt that is recorded while its delivery is erased leaves nothing, and fails nobody', async () => {
  const { sql } = database
  await factory.hook(sql)
  await factory.lead(sql, { email: 'b@example.org', phone: null })
  await factory.lead(sql, { email: 'a@example.org', phone: null })
  await sequence(sql)
  const claim = randomUUID()
  const claimed = await sql`
    update hook_queue set claim = ${claim}, due_at = now() + interval '1 minute' returning id`
  const attempts = claimed
    .map(({ id }) => attemptRecord({ id, claim }, { excerpt: 'a@example.org' }))
    .reverse()
  await duringErasure('a@example.org', () => recordAttempts(sql, attempts))
  const [kept] = await sql`select id, state from hook_deliveries`
  expect(kept?.state).toBe('delivered')
  expect((await sql`select delivery_id from hook_attempts`).map(row => row.delivery_id)).toEqual([
    kept?.id,
  ])
})

test('what a writer hangs on a lead that is being erased is refused, and a new lead comes after', async () => {
  const { sql } = database
  const lead = await factory.lead(sql, { email: 'a@example.org' })
  await expect(
    duringErasure('a@example.org', () => factory.analysis(sql, { lead_id: lead.id })),
  ).rejects.toThrow('lead_analyses_lead_id_fkey')
  await factory.lead(sql, { email: 'a@example.org' })
  expect((await find('a@example.org'))?.counts).toMatchObject({ leads: 1, events: 1 })
})

test('a writer that came first is waited for, and erased as well', async () => {
  const { sql } = database
  const lead = await factory.lead(sql, { email: 'a@example.org' })
  let erasing: Promise<unknown> | undefined
  await sql.begin(async transaction => {
    await transaction`update leads set name = 'Erika', status = 'won' where id = ${lead.id}`
    await transaction`insert into signals (kind, title, score, lead_id) values ('x', 'Erika', 1, ${lead.id})`
    erasing = erase('a@example.org')
    await until(somebodyWaits)
  })
  expect(await erasing).toMatchObject({ counts: { leads: 1, signals: 1, events: 3 } })
  expect(await sql`select count(*) from event_outbox`).toEqual([{ count: 0 }] as never)
})
