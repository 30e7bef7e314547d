// Rows in, rows out: list_appointments.
import { describe, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { appointment, momentSent as moment } from '../support/database/factory.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const inside = (work: (sql: Sql) => Promise<void>) => () => rolledBack(database.sql, work)

const everything = {
  ...{ status: null, lead_id: null, starts_from: null, starts_to: null },
  ...{ row_limit: 200, row_offset: 0 },
}

async function listedTitles(sql: Sql, args: object = {}) {
  const rows = await rowsOf(sql, 'listAppointments', { ...everything, ...args })
  return rows.map(row => row.title)
}

const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`

test(
  'appointments come latest start first, and of two at one moment the higher id first',
  inside(async sql => {
    await appointment(sql, { title: 'past', starts_at: '2020-01-01T00:00:00Z' })
    for (const digit of [1, 3, 2]) await appointment(sql, { title: `tie ${digit}`, id: id(digit) })
    await appointment(sql, { title: 'to come', starts_at: '2030-01-01T00:00:00Z' })
    const all = ['to come', 'tie 3', 'tie 2', 'tie 1', 'past']
    expect(await listedTitles(sql)).toEqual(all)
    expect(await listedTitles(sql, { row_limit: 2, row_offset: 1 })).toEqual(all.slice(1, 3))
    expect(await listedTitles(sql, { row_offset: 5 })).toEqual([])
  }),
)

test(
  'starts_from includes its own moment and leaves out the one before',
  inside(async sql => {
    await appointment(sql, { title: 'before', starts_at: '2026-03-01T11:59:59.999999Z' })
    await appointment(sql, { title: 'on it', starts_at: '2026-03-01T13:00:00+01:00' })
    await appointment(sql, { title: 'after', starts_at: '2026-03-01T12:00:00.000001Z' })
    const starts_from = new Date(moment)
    expect(await listedTitles(sql, { starts_from })).toEqual(['after', 'on it'])
  }),
)

test(
  'a status finds the appointments that have exactly it, with or without starts_from',
  inside(async sql => {
    await appointment(sql, { title: 'a', id: id(2) })
    await appointment(sql, { title: 'b', id: id(1), status: 'cancelled' })
    await appointment(sql, { title: 'c', status: 'cancelled', starts_at: '2020-01-01T00:00:00Z' })
    expect(await listedTitles(sql, { status: 'cancelled' })).toEqual(['b', 'c'])
    expect(await listedTitles(sql, { status: 'cancelled', starts_from: moment })).toEqual(['b'])
    expect(await listedTitles(sql, { status: 'Cancelled' })).toEqual([])
  }),
)

test(
  'an appointment leaves with every member',
  inside(async sql => {
    await appointment(sql, { id: id(1), ends_at: '2026-03-01T14:00:00+01:00' })
    expect(await rowsOf(sql, 'listAppointments', everything)).toEqual([
      {
        id: id(1),
        title: 'Erstgespräch',
        status: 'scheduled',
        platform: 'zoom',
        meeting_url: 'https://zoom.example/j/1',
        starts_at: moment,
        ends_at: '2026-03-01T13:00:00.000000Z',
        customer_display_name: 'Erika M.',
        source: 'calendar',
        intelligence_status: null,
        created_at: moment,
      },
    ])
  }),
)

describe('a link is stored as a URI', () => {
  const stored = {
    'https://zoom.example/räum|{1}': 'https://zoom.example/r%C3%A4um%7C%7B1%7D',
    'https://zoom.example/100%': 'https://zoom.example/100%25',
    'https://zoom.example/j?c=%7B%22Tid%22%7D': 'https://zoom.example/j?c=%7B%22Tid%22%7D',
    'https://[2001:db8::1]/j': 'https://[2001:db8::1]/j',
    'https://zoom.example/j#a#b': 'https://zoom.example/j#a%23b',
  }
  for (const [written, expected] of Object.entries(stored))
    test(
      written,
      inside(async sql => {
        const { id } = await appointment(sql, { meeting_url: written })
        const read = async () =>
          (await sql`select meeting_url from appointments where id = ${id}`)[0]?.meeting_url
        expect(await read()).toBe(expected)
        await sql`update appointments set meeting_url = ${written} where id = ${id}`
        expect(await read()).toBe(expected)
      }),
    )
})
