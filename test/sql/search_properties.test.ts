// Search answers every text as the plain substring does, whichever way it goes.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { asJsonArray } from '../../src/db/database.ts'
import { encodeParameter, oidOf } from '../../src/db/parameter_types.ts'
import { openPools, type Pools } from '../../src/db/pools.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'
import { seeded } from '../support/fuzz/seeded.ts'

const database = useDatabase()
const { below, digits, of } = seeded(23)
const chance = (percent: number) => below(100) < percent
const leadsTotal = 400
const textsTotal = 10_000
let pools: Pools
/** The ids of all leads, newest first, with what is searched of them. */
let stored: { id: string; search_text: string }[]

const names = [
  'Anna',
  'Jörg',
  'ZOË',
  'Ayşe',
  'İlkay',
  'Jürgen'.normalize('NFD'),
  'Dr.',
  'von',
  'de',
  'Σίσυφος',
  '李',
]
const surnames = [
  'Müller',
  'MÜLLER-Lüdenscheidt',
  'Weiß',
  "O'Neill",
  'Öztürk',
  'Li',
  '100% AG',
  'a_b',
  'Back\\slash',
  '🦊',
]
const ends = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map(letter => `${letter}mann`)
const mails = ['example.org', 'Example.com', 'mail.example.net']
const spellings = ['+49 30 231250', '030/231250', '+4930231250', '0049 30-231 250', '(030) 231.250']
function nextLead(number: number) {
  const name = [of(names), of([of(surnames), of(ends)])].join(of([' ', '  ', ', ', '-']))
  return {
    name: chance(5) ? null : name,
    email: chance(20)
      ? null
      : `${name.replaceAll(/\s/g, of(['.', '_', '+']))}${of(['', digits(3), digits(6)])}@${of(mails)}`,
    phone: chance(20) ? null : of(spellings) + digits(2 + below(3)),
    // Over two years, and three leads of one moment.
    created_at: new Date(Date.UTC(2024, 0, 1) + (number % 150) * 5 * 86_400_000).toISOString(),
  }
}

/** A part of a stored value as it was written, with its case changed, in NFD, or with something wrong in it. */
function nextText(values: string[]): string {
  const value = [...of(values)]
  const start = below(value.length)
  const part = value.slice(start, start + 1 + below(of([3, 8, 40]))).join('')
  return of([
    () => part,
    () => part,
    () => part.toUpperCase(),
    () => part.toLowerCase(),
    () => part.normalize('NFD'),
    () => part + of(['%', '_', '\\', ' ', '.', 'x', '7']),
    () => of(['%', '_', '\\', ' ', '.', 'x', '7']) + part,
    () => `${part}${[...of(values)].slice(0, 5).join('')}`,
    () => part.replace(/.$/u, of(['%', '_', '\\', '-', ' '])),
  ])()
}

/** Of the index, as vacuum does; until then each search goes through all of them. */
const mergeNewEntries = () => database.sql`select gin_clean_pending_list('leads_search_idx')`

beforeAll(async () => {
  const { sql } = database
  // It would count the leads anew.
  await sql`alter table leads set (autovacuum_enabled = off)`
  const leads = Array.from({ length: leadsTotal }, (_, number) => nextLead(number))
  // A word longer than any piece of it that is indexed, and one with nothing but what texts are split by.
  leads.push({ ...nextLead(1), name: `${'lang'.repeat(90)}ende` }, { ...nextLead(2), name: ' .-' })
  await sql`
    insert into leads (name, email, phone, created_at)
    select given.name, given.email, given.phone, given.created_at
    from jsonb_to_recordset(${JSON.stringify(leads)}::text::jsonb) as given (name text, email text, phone text, created_at timestamptz)`
  await sql.unsafe('analyze leads')
  await mergeNewEntries()
  // Some common parts are recorded as rare and the table claims 1,000,000 leads, so that every way is taken.
  await sql`select refresh_search_shares()`
  await sql`update search_shares set share = 0.0005 where part < 'd'`
  await sql`update pg_class set reltuples = 1000000 where oid = 'leads'::regclass`
  stored = (await sql`select id, search_text from leads order by created_at desc, id desc`) as never
  pools = openPools({
    url: database.url,
    connectionsMax: 1,
    applicationName: 'test',
    statementTimeoutMs: 20_000,
  })
})
afterAll(() => pools.end({ timeout: 1 }))

const valuesOf = (lead: { search_text: string }) =>
  lead.search_text.split('\x1f').filter(value => value !== '')

async function formsOf(sql: Sql, texts: string[]): Promise<string[]> {
  const rows = await sql`
    select search_form(given.text) as form
    from jsonb_array_elements_text(${JSON.stringify(texts)}::text::jsonb) with ordinality as given (text, place)
    order by given.place`
  return rows.map(row => row.form)
}

const file = queries.searchLeads

const pages = [
  { row_limit: 60, row_offset: 0 },
  { row_limit: 4, row_offset: 0 },
  { row_limit: 3, row_offset: 3 },
]
const pageOf = (turn: number) => pages[turn % pages.length] as (typeof pages)[number]

async function found(search: string, turn: number): Promise<string[]> {
  const args = { search, status: null, include_archived: true, ...pageOf(turn) }
  const values = file.parameters.map(({ name, type }) =>
    pools.once.typed(encodeParameter(type, args[name as keyof typeof args]) as never, oidOf(type)),
  )
  const [row] = await pools.once.unsafe(asJsonArray(file), values as never[], { prepare: true })
  return JSON.parse(row?.json).map((lead: { id: string }) => lead.id)
}

/** Of how many texts search_plan sends each way. */
async function countWays(forms: string[]) {
  const [row] = await database.sql`
    select count(*) filter (where walked_max is null)::integer as walked_to_the_end,
      count(*) filter (where walked_max > 0)::integer as walked,
      count(*) filter (where walked_max = 0 and leads_expected > 400)::integer as by_spans,
      count(*) filter (where walked_max = 0 and leads_expected = 0)::integer as by_a_rare_part,
      count(*) filter (where walked_max = 0 and leads_expected between 0.001 and 300)::integer as by_the_index
    from jsonb_array_elements_text(${JSON.stringify(forms)}::text::jsonb) as given (form), search_plan(given.form, 4)`
  return Object.entries(row ?? {})
}

test('10,000 texts find what contains them, newest first, and nothing else', async () => {
  const values = stored.flatMap(valuesOf)
  const texts = Array.from({ length: textsTotal }, () => nextText(values)).filter(
    text => text !== '' && !/\p{Cc}/u.test(text),
  )
  expect(texts.length).toBeGreaterThan(textsTotal * 0.99)
  expect(file.plannedOnce).toBe(true)
  const forms = await formsOf(database.sql, texts)
  for (const [way, total] of await countWays(forms.slice(0, 2_000)))
    expect(total, way).toBeGreaterThan(20)
  const plain = forms.map(form =>
    stored.filter(lead => lead.search_text.includes(form)).map(({ id }) => id),
  )
  const hits = plain.filter(ids => ids.length > 0).length
  expect(hits).toBeGreaterThan(textsTotal / 2)
  expect(textsTotal - hits).toBeGreaterThan(textsTotal / 20)
  const answers = await Promise.all(texts.map(found))
  const wrong = texts.filter((_, at) => {
    const { row_limit, row_offset } = pageOf(at)
    const page = plain[at]?.slice(row_offset, row_offset + row_limit)
    return JSON.stringify(answers[at]) !== JSON.stringify(page)
  })
  expect(wrong).toEqual([])
}, 120_000)

/** Lets search_plan expect so many leads of every text, of more leads than it would walk through. */
async function expectOfEach(expected: number): Promise<void> {
  const { sql } = database
  const leads = 1_000_000_000
  await sql`truncate search_shares`
  await sql`
    insert into search_shares (part, share)
    select trigrams.trigram, ${expected / leads}::float8
    from leads, search_trigrams(leads.search_text) as trigrams
    union
    select substr(leads.search_text, place, 5), ${expected / leads}::float8
    from leads, generate_series(1, length(leads.search_text) - 4) as place`
  await sql`update pg_class set reltuples = ${leads}::float8 where oid = 'leads'::regclass`
}

type Page = { row_limit: number; row_offset: number }

/**
 * Asks for a page of common texts, in each turn every fourth or, of the long ones, every other, however long a span it takes. A third of the leads is
 * archived, half has another status, and one each lies far in the future and far in the past.
 */
async function spansAnswer(turn: number, { row_limit, row_offset }: Page) {
  const [row] = await pools.once`
    with texts as materialized (
      select distinct substr(leads.search_text, start, part.size) as form
      from leads, (values (4, 12, 3), (7, 40, 1)) as part (size, last, turns), generate_series(1, part.last) as start
      where substr(leads.search_text, start, part.size) ~ format('^[a-z]{%s}$', part.size)
        and hashtext(substr(leads.search_text, start, part.size)) & part.turns = ${turn}::integer & part.turns
    ),
    answers as (
      select texts.form, plan.walked_max, array(
          select hit.id
          from leads_with_text(texts.form, filter.status, filter.archived, ${row_limit}::integer, ${row_offset}::integer)
            with ordinality as hit
          order by hit.ordinality
        ) as found, array(
          select leads.id
          from leads
          where strpos(leads.search_text, texts.form) > 0 and (filter.status is null or leads.status = filter.status)
            and (filter.archived or leads.archived_at is null)
          order by leads.created_at desc, leads.id desc
          limit ${row_limit}::integer offset ${row_offset}::integer
        ) as plain
      from texts
      cross join (values (null, true), (null, false), ('won', true), ('won', false)) as filter (status, archived)
      cross join lateral search_plan(texts.form, ${row_limit + row_offset}::integer) as plan
    )
    select count(*)::integer as asked, count(*) filter (where length(form) = 7 and cardinality(plain) > 0)::integer as by_pieces,
      count(*) filter (where walked_max = 0)::integer as looked_up,
      count(*) filter (where found <> plain)::integer as wrong
    from answers`
  return row as unknown as { asked: number; by_pieces: number; looked_up: number; wrong: number }
}

test('span by span it finds the newest of what it is asked for, in spans of any length', async () => {
  const { sql } = database
  await sql`update leads set archived_at = now() where id in (select id from leads order by id limit 130)`
  await sql`update leads set status = 'won' where id in (select id from leads order by md5(id::text) limit 200)`
  // Where spans of each length begin, and next to it.
  for (const moment of [
    '2024-03-06T23:59:59.999999Z',
    '2024-03-07T00:00:00Z',
    '2024-03-07T00:00:00.000001Z',
  ])
    await sql`insert into leads (name, created_at) values ('Anna Amann', ${moment}::text::timestamptz)`
  await mergeNewEntries()
  let turn = 0
  for (const moment of ['2090-01-01', '1990-01-01', undefined]) {
    if (moment)
      await sql`insert into leads (name, created_at) values ('Anna Amann', ${moment}::text::timestamptz)`
    else await sql`delete from leads where created_at > '2089-01-01' or created_at < '1991-01-01'`
    // Each page is asked for with other texts.
    turn += 1
    for (const expected of [9, 100, 1_000, 100_000]) {
      await expectOfEach(expected)
      for (const page of [
        { row_limit: 1, row_offset: 0 },
        { row_limit: 20, row_offset: 0 },
        { row_limit: 4, row_offset: 3 },
      ]) {
        const { asked, by_pieces, looked_up, wrong } = await spansAnswer(turn, page)
        turn += 1
        expect(by_pieces).toBeGreaterThan(4)
        expect(asked).toBeGreaterThan(30)
        expect(looked_up).toBe(asked)
        expect({ ...page, expected, moment, wrong }).toEqual({
          ...page,
          expected,
          moment,
          wrong: 0,
        })
      }
    }
  }
}, 120_000)
