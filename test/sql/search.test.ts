// What list_leads finds by a search: a table of texts, and random ones against a plain substring of folded fields.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/connect.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { lead } from '../support/database/factory.ts'
import { seeded } from '../support/fuzz/seeded.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()

const found = (sql: Sql, search: string, row_limit = 200) =>
  rowsOf(sql, 'listLeads', {
    ...{ search, status: null, include_archived: true, row_limit, row_offset: 0 },
  })

const nfd = (text: string) => text.normalize('NFD')

/** A search and a name; each lead has an address and a number as well. */
const pairs = (...list: string[]) => list.map(pair => pair.split(' ⇒ ') as [string, string])

const hits = [
  ...pairs(
    ...['ERIKA ⇒ Erika Mustermann', 'ka Must ⇒ Erika Mustermann', 'e ⇒ Erika Mustermann'],
    ...['MÜLLER ⇒ jörg müller', 'MÜSSIGGÄNG ⇒ Müßiggäng', 'Weiss ⇒ Frau Weiß', 'weiß ⇒ FRAU WEISS'],
    ...['Straße ⇒ An der STRAẞE', 'Übungsflug ⇒ Übungsﬂug', 'ﬁﬀ ⇒ Pfiffig', 'st ⇒ Auguﬆ'],
    ...['şahin ⇒ ŞAHİN', 'ilker ⇒ İlker Şimşek', 'İLKER ⇒ ilker şimşek', 'YILDIZ ⇒ Yıldız'],
    ...[
      'γιαννησ αστρος ⇒ ΓΙΑΝΝΗΣ ΑΣΤΡΟΣ',
      '100% ⇒ Rabatt 100% sicher',
      'a_b ⇒ a_b',
      '_ ⇒ under_score',
    ],
    ...['\\ ⇒ back\\slash', '\\% ⇒ odd \\% name', '% ⇒ per%cent', '.* ⇒ dot.*star'],
    ...["O'Brien ⇒ Conan O'Brien", 'BEISPIEL ⇒ by mail', '23125 ⇒ by phone', '+49 341 ⇒ by phone'],
  ),
  [' ', 'Erika Mustermann'],
  [nfd('müller'), 'Jörg MÜLLER'],
  ['ÖRG', nfd('Jörg Müller')],
] as const

const misses = pairs(
  ...['% ⇒ Erika', '_ ⇒ Erika', '\\ ⇒ Erika', 'E%a ⇒ Erika', 'Er_ka ⇒ Erika', 'a_b ⇒ axb'],
  ...['100% ⇒ 1000', '\\% ⇒ per%cent', 'muller ⇒ Müller', 'Erika@ ⇒ Erika', 'Erikainfo ⇒ Erika'],
  ...['Erika info ⇒ Erika', '34123125 ⇒ by phone'],
)

test.each([
  ['finds', 1, hits],
  ['does not find', 0, misses],
] as const)('a search %s', (_, count, pairs) =>
  rolledBack(database.sql, async sql => {
    await lead(sql, { email: 'info@beispiel.example', phone: '+49 341 23125-000' })
    for (const [search, name] of pairs) {
      await sql`update leads set name = ${name}`
      expect([search, name, (await found(sql, search)).length]).toEqual([search, name, count])
    }
  }),
)

const { below, digits, of } = seeded(23)
const chance = (percent: number) => below(100) < percent
const firstNames = ['Anna', 'Jörg', 'ZOË', 'Ayşe', 'İlkay', nfd('Jürgen'), 'von', 'Σίσυφος', '李']
const lastNames = ['Müller-Lüdenscheidt', 'Weiß', "O'Neill", 'Öztürk', 'Li', '100% AG', 'a_b']
lastNames.push('Back\\slash', 'Yıldız', 'STRAẞNER', 'Griﬃn', '🦊', `${'lang'.repeat(90)}ende`)
const spellings = ['+49 30 231250', '030/231250', '+4930231250', '(030) 231.250']

function randomLead() {
  const name = of(firstNames) + of([' ', ', ', '-']) + of(lastNames)
  const email = `${name.replaceAll(/\s/g, of(['.', '_']))}${digits(3)}@${of(['example.org', 'Example.com'])}`
  const phone = of(spellings) + digits(2 + below(3))
  return {
    name: chance(5) ? null : name,
    email: chance(20) ? null : email,
    phone: chance(20) ? null : phone,
    created_at: new Date(Date.UTC(2024, 0, 1 + below(150))).toISOString(),
  }
}

/** A part of a stored value as it was written, in another case or form, or with something wrong in it. */
function randomText(values: string[]): string {
  const value = [...of(values)]
  const start = below(value.length)
  const part = value.slice(start, start + 1 + below(of([3, 8, 40]))).join('')
  const wrong = of(['%', '_', '\\', ' ', '.', 'x', '7'])
  return of([
    part,
    part.toUpperCase(),
    part.toLowerCase(),
    nfd(part),
    part + wrong,
    wrong + part,
    part.replace(/.$/u, wrong),
    part + of(values).slice(0, 5),
  ])
}

/** Full case folding, by the tables of the runtime instead of PostgreSQL's. */
const folded = (text: string) =>
  text
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
    .replaceAll('ς', 'σ')
    .replaceAll('i\u0307', 'i')

test.each([
  ['as the planner likes', ''],
  ['by the index', 'set local enable_seqscan = off; set local enable_indexscan = off'],
])(
  '250 texts find what contains them, newest first, and nothing else, %s',
  (_, settings) =>
    rolledBack(database.sql, async sql => {
      const leads = Array.from({ length: 300 }, () => ({ id: randomUUID(), ...randomLead() }))
      await sql`
        insert into leads (id, name, email, phone, created_at)
        select id, name, email, phone, created_at
        from jsonb_populate_recordset(null::leads, ${JSON.stringify(leads)}::text::jsonb)`
      await sql.unsafe(`analyze leads; ${settings}`)
      const stored =
        await sql`select id, name, email, phone from leads order by created_at desc, id desc`
      const fieldsOf = ({ name, email, phone }: (typeof stored)[number]): string[] =>
        [name, email, phone].filter(Boolean)
      const searched = stored.map(row => ({ id: row.id, fields: fieldsOf(row).map(folded) }))
      const values = stored.flatMap(fieldsOf)
      let hitsTotal = 0
      for (let count = 0; count < 250; count += 1) {
        const text = randomText(values)
        const row_limit = of([3, 200])
        const expected = searched
          .filter(({ fields }) => fields.some(field => field.includes(folded(text))))
          .map(({ id }) => id)
        const rows = await found(sql, text, row_limit)
        expect([text, ...rows.map(({ id }) => id)]).toEqual([text, ...expected.slice(0, row_limit)])
        if (rows.length > 0) hitsTotal += 1
      }
      expect(hitsTotal).toBeGreaterThan(100)
      expect(hitsTotal).toBeLessThan(235)
    }),
  60_000,
)
