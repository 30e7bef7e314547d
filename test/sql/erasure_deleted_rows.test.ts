// What a writer deleted before the person was erased: its events go all the same, also those that name no lead.
import { beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { eraseKontakt } from '../../src/operations/erasure.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { dump, emptyWorkspace, sequence } from '../support/people/person_data.ts'

const database = useDatabase()
const email = 'quitte@example.org'
const name = 'Quitte'

beforeEach(() => emptyWorkspace(database.sql))

const addLead = (sql: Sql, columns: factory.Columns = {}) =>
  factory.lead(sql, { name, email, phone: null, ...columns })

/** A meeting about the person, whose appointment is deleted. */
async function deletedMeeting(sql: Sql, columns: factory.Columns) {
  const { id } = await factory.appointment(sql, { customer_display_name: name, ...columns })
  await factory.meeting(sql, { appointment_id: id, summary: `${name} hat zwei Kinder` })
  await sql`delete from appointments where id = ${id}`
}

const cases: [what: string, prepare: (sql: Sql) => Promise<unknown>][] = [
  [
    'a meeting whose appointment is gone',
    async sql => deletedMeeting(sql, { lead_id: (await addLead(sql)).id }),
  ],
  [
    'a meeting whose appointment and lead are gone',
    async sql => {
      const { id } = await addLead(sql)
      await deletedMeeting(sql, { lead_id: id })
      await sql`delete from leads where id = ${id}`
    },
  ],
  [
    'a meeting whose appointment was known by its conversation alone',
    async sql => {
      const session_id = randomUUID()
      await addLead(sql, { session_id })
      await deletedMeeting(sql, { session_id })
    },
  ],
  [
    'an appointment that got its lead later',
    async sql => {
      const { id } = await addLead(sql)
      const appointment = await factory.appointment(sql, { customer_display_name: name })
      await sql`update appointments set lead_id = ${id}, title = 'neu' where id = ${appointment.id}`
      await sql`delete from appointments where id = ${appointment.id}`
    },
  ],
  [
    'a signal that lost its lead before it changed',
    async sql => {
      const { id } = await addLead(sql)
      await factory.signal(sql, { title: name, lead_id: id })
      await sql`update signals set lead_id = null, status = 'done'`
      await sql`delete from signals`
    },
  ],
  [
    'a lead without mail and phone, which an analysis names',
    async sql => {
      const { id } = await addLead(sql, { email: null })
      const kontakt = { name, kontakt: { email } }
      await factory.analysis(sql, {
        ...{ lead_id: id, kontakt_key: `email:${email}`, analysis_v2: { kunde: kontakt } },
        din_check: { bewertung: { params_version: '1' } },
      })
      await factory.appointment(sql, { lead_id: id, customer_display_name: name })
      await sequence(sql)
      await sql`delete from leads where id = ${id}`
    },
  ],
]

test.each(cases)('nothing is left of %s', async (_, prepare) => {
  const { sql } = database
  await factory.lead(sql, { name: 'Birne', email: 'birne@example.org', phone: null })
  await prepare(sql)
  await sequence(sql)
  const with_ = async (word: string) =>
    Object.entries(await dump(sql)).flatMap(([table, rows]) =>
      rows.filter(row => row.includes(word)).map(() => table),
    )
  const others = await with_('Birne')
  expect(await with_(name)).not.toEqual([])
  await eraseKontakt(openDatabase(sql, queries), email)
  expect(await with_(name)).toEqual([])
  expect(await with_('Birne')).toEqual(others)
})
