// Rows in, rows out: search_leads. What counts as a hit, and that it filters and pages as list_leads does.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { useDatabase } from '../support/database/database.ts'
import { lead, moment } from '../support/database/factory.ts'
import { rolledBack } from '../support/database/rolled_back.ts'
import { rowsOf } from '../support/database/rows.ts'

const database = useDatabase()

const firstPage = { status: null, include_archived: true, row_limit: 200, row_offset: 0 }

async function foundNames(sql: Sql, search: string, args: object = {}) {
  const rows = await rowsOf(sql, 'searchLeads', { search, ...firstPage, ...args })
  return rows.map(row => row.name)
}

const nfd = (text: string) => text.normalize('NFD')

const contact = { email: 'info@beispiel.example', phone: '+49 341 23125-000' }

const hits: [search: string, name: string][] = [
  ['Erika', 'Erika Mustermann'],
  ['ERIKA', 'Erika Mustermann'],
  ['ka Must', 'Erika Mustermann'],
  ['e', 'Erika Mustermann'],
  ['müller', 'Jörg MÜLLER'],
  ['MÜLLER', 'jörg müller'],
  [nfd('müller'), 'Jörg Müller'],
  ['müller', nfd('Jörg Müller')],
  ['ÖRG', nfd('Jörg Müller')],
  ['ŞAHİN'.toLowerCase(), 'ŞAHİN'],
  ['şahin', 'ŞAHİN'],
  ['ilker', 'İlker Şimşek'],
  ['İLKER', 'ilker şimşek'],
  ['ΑΣ', 'ΓΙΑΝΝΗΣ ΑΣΤΡΟΣ'],
  ['γιαννησ', 'ΓΙΑΝΝΗΣ ΑΣΤΡΟΣ'],
  ['Weiß', 'Frau Weiß'],
  ['100%', 'Rabatt 100% sicher'],
  ['a_b', 'a_b'],
  ['\\', 'back\\slash'],
  ['\\%', 'odd \\% name'],
  ['_', 'under_score'],
  ['%', 'per%cent'],
  ['.*', 'dot.*star'],
  ["O'Brien", "Conan O'Brien"],
  ['info@', 'by mail'],
  ['BEISPIEL', 'by mail'],
  ['23125', 'by phone'],
  ['+49 341', 'by phone'],
]

test.each(hits)('%j finds %j', (search, name) =>
  rolledBack(database.sql, async sql => {
    await lead(sql, { name, ...contact })
    expect(await foundNames(sql, search)).toEqual([name])
  }),
)

const misses: [search: string, name: string][] = [
  ['%', 'Erika'],
  ['_', 'Erika'],
  ['\\', 'Erika'],
  ['E%a', 'Erika'],
  ['Er_ka', 'Erika'],
  ['a_b', 'axb'],
  ['100%', '1000'],
  ['\\%', 'per%cent'],
  ['muller', 'Müller'],
  ['Erika@', 'Erika'],
  ['Erikainfo', 'Erika'],
  ['Erika info', 'Erika'],
]

test.each(misses)('%j does not find %j', (search, name) =>
  rolledBack(database.sql, async sql => {
    await lead(sql, { name, ...contact })
    expect(await foundNames(sql, search)).toEqual([])
  }),
)

test('a lead of which nothing is known is found by nothing', () =>
  rolledBack(database.sql, async sql => {
    await lead(sql, { name: null, email: null, phone: null })
    expect(await foundNames(sql, 'a')).toEqual([])
  }))

test('a changed name is found, the old one no more', () =>
  rolledBack(database.sql, async sql => {
    await lead(sql, { name: 'Anna Alt' })
    await sql`update leads set name = 'Anna Neu'`
    expect(await foundNames(sql, 'alt')).toEqual([])
    expect(await foundNames(sql, 'neu')).toEqual(['Anna Neu'])
  }))

test('hits come newest first, in pages, and obey status and include_archived', () =>
  rolledBack(database.sql, async sql => {
    const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
    await lead(sql, { name: 'Meier 1', id: id(1) })
    await lead(sql, { name: 'Meier 3', id: id(3), status: 'won' })
    await lead(sql, { name: 'Meier 2', id: id(2), status: 'won', archived_at: moment })
    await lead(sql, { name: 'Meier 4', created_at: '2026-01-01T00:00:00Z' })
    await lead(sql, { name: 'Schulz', id: id(5) })
    const all = ['Meier 3', 'Meier 2', 'Meier 1', 'Meier 4']
    expect(await foundNames(sql, 'meier')).toEqual(all)
    expect(await foundNames(sql, 'meier', { row_limit: 2 })).toEqual(all.slice(0, 2))
    expect(await foundNames(sql, 'meier', { row_limit: 2, row_offset: 2 })).toEqual(all.slice(2))
    expect(await foundNames(sql, 'meier', { status: 'won' })).toEqual(['Meier 3', 'Meier 2'])
    expect(await foundNames(sql, 'meier', { include_archived: false })).toEqual([
      'Meier 3',
      'Meier 1',
      'Meier 4',
    ])
    expect(await foundNames(sql, 'meier', { status: 'won', include_archived: false })).toEqual([
      'Meier 3',
    ])
  }))
