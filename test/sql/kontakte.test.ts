// Rows in, rows out: list_kontakte and get_haushalt.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { alias, haushalt, momentSent as moment } from '../support/database/factory.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const inside = (work: (sql: Sql) => Promise<void>) => () => rolledBack(database.sql, work)

async function listedKeys(sql: Sql, row_limit = 200, row_offset = 0) {
  const rows = await rowsOf(sql, 'listKontakte', { updated_since: null, row_limit, row_offset })
  return rows.map(row => row.kontakt_key)
}

async function found(sql: Sql, kontakt_key: string) {
  const rows = await rowsOf(sql, 'getHaushalt', { kontakt_key })
  expect(rows.length).toBeLessThanOrEqual(1)
  return rows[0]
}

const survivor = 'email:survivor@example.org'
const merged = 'phone:+491713920001'
const other = 'email:other@example.org'

test(
  'contacts come last changed first, and of two at one moment by key',
  inside(async sql => {
    await haushalt(sql, { kontakt_key: 'phone:+493023125000' })
    await haushalt(sql, { kontakt_key: 'email:b@example.org' })
    await haushalt(sql, { kontakt_key: 'email:+z@example.org' })
    await haushalt(sql, {
      kontakt_key: 'email:new@example.org',
      updated_at: '2026-05-01T00:00:00Z',
    })
    const keys = [
      'email:new@example.org',
      'email:+z@example.org',
      'email:b@example.org',
      'phone:+493023125000',
    ]
    expect(await listedKeys(sql)).toEqual(keys)
    expect(await listedKeys(sql, 2)).toEqual(keys.slice(0, 2))
    expect(await listedKeys(sql, 2, 2)).toEqual(keys.slice(2))
    expect(await listedKeys(sql, 2, 4)).toEqual([])
  }),
)

test(
  'a merged-away key is not listed, its survivor is',
  inside(async sql => {
    for (const kontakt_key of [survivor, merged]) await haushalt(sql, { kontakt_key })
    await alias(sql, merged, survivor)
    expect(await listedKeys(sql)).toEqual([survivor])
  }),
)

test(
  'a listed contact shows counts instead of its documents',
  inside(async sql => {
    const din_check = {
      bewertung: {
        params_version: '2026-01',
        luecken_nach_stufe: [{ stufe: 2, themen: ['Hausrat', 'Zahnersatz'] }],
      },
    }
    await haushalt(sql, { kontakt_key: survivor, haushalt: { vertraege: [{}, {}, {}] }, din_check })
    expect(
      await rowsOf(sql, 'listKontakte', { updated_since: null, row_limit: 1, row_offset: 0 }),
    ).toEqual([
      {
        kontakt_key: survivor,
        vertraege_anzahl: 3,
        luecken_nach_stufe: [
          { stufe: 1, anzahl: 0 },
          { stufe: 2, anzahl: 2 },
          { stufe: 3, anzahl: 0 },
        ],
        params_version: '2026-01',
        updated_at: moment,
      },
    ])
  }),
)

test(
  'a household answers under its own key, with every member',
  inside(async sql => {
    await haushalt(sql, { kontakt_key: survivor, provenance: { 'kunde.name': { quelle: 'chat' } } })
    expect(await found(sql, survivor)).toEqual({
      kontakt_key: survivor,
      canonical_key: survivor,
      aliases: [],
      haushalt: { vertraege: [] },
      provenance: { 'kunde.name': { quelle: 'chat' } },
      din_check: null,
      empfehlungen_aktuell: null,
      updated_at: moment,
    })
  }),
)

test(
  'an alias leads to the survivor’s household, even where it has one of its own',
  inside(async sql => {
    await haushalt(sql, { kontakt_key: survivor })
    await haushalt(sql, { kontakt_key: merged, updated_at: '2026-06-01T00:00:00Z' })
    await alias(sql, merged, survivor)
    const expected = { kontakt_key: survivor, canonical_key: survivor, aliases: [merged] }
    expect(await found(sql, merged)).toMatchObject(expected)
    expect(await found(sql, survivor)).toMatchObject(expected)
  }),
)

test(
  'a household that was only ever stored under an alias is found by every key of the contact',
  inside(async sql => {
    await haushalt(sql, { kontakt_key: merged })
    await alias(sql, merged, survivor)
    await alias(sql, other, survivor)
    for (const asked of [survivor, merged, other])
      expect(await found(sql, asked)).toMatchObject({
        kontakt_key: merged,
        canonical_key: survivor,
        aliases: [other, merged],
      })
  }),
)

test(
  'of several households under aliases the one changed last answers, then the lower key',
  inside(async sql => {
    await alias(sql, merged, survivor)
    await alias(sql, other, survivor)
    await haushalt(sql, { kontakt_key: merged })
    await haushalt(sql, { kontakt_key: other })
    expect(await found(sql, survivor)).toMatchObject({ kontakt_key: other })
    await sql`update haushalte set updated_at = '2026-06-01' where kontakt_key = ${merged}`
    expect(await found(sql, survivor)).toMatchObject({ kontakt_key: merged })
  }),
)

test(
  'a contact whose only record stands under an alias is listed once, under its surviving key',
  inside(async sql => {
    await alias(sql, merged, survivor)
    await alias(sql, other, survivor)
    await haushalt(sql, { kontakt_key: merged, quelle: 'older' })
    expect(await listedKeys(sql)).toEqual([survivor])
    await haushalt(sql, { kontakt_key: other, updated_at: '2026-06-01T00:00:00Z', haushalt: {} })
    expect(await listedKeys(sql)).toEqual([survivor])
    const [listed] = await rowsOf(sql, 'listKontakte', {
      updated_since: null,
      row_limit: 9,
      row_offset: 0,
    })
    expect(listed?.updated_at).toBe((await found(sql, survivor))?.updated_at as string)
    await haushalt(sql, { kontakt_key: survivor })
    expect(await listedKeys(sql)).toEqual([survivor])
  }),
)

test(
  'aliases are sorted by their bytes and leave out other contacts’ and the survivor itself',
  inside(async sql => {
    await haushalt(sql, { kontakt_key: survivor })
    const keys = [
      'phone:+493023125001',
      'email:b@x.example',
      'email:+z@x.example',
      'lead:00000000-0000-4000-8000-000000000001',
      'email:ä@x.example',
    ]
    for (const key of keys) await alias(sql, key, survivor)
    await alias(sql, 'email:c@x.example', other)
    expect((await found(sql, survivor))?.aliases).toEqual([
      'email:+z@x.example',
      'email:b@x.example',
      'email:ä@x.example',
      'lead:00000000-0000-4000-8000-000000000001',
      'phone:+493023125001',
    ])
  }),
)

test(
  'a key is taken exactly as it is spelled, and an unknown one gives no row',
  inside(async sql => {
    await haushalt(sql, { kontakt_key: survivor })
    await alias(sql, other, 'email:nobody@example.org')
    for (const asked of [survivor.toUpperCase(), ` ${survivor}`, other, 'email:%', ''])
      expect(await found(sql, asked)).toBeUndefined()
  }),
)
