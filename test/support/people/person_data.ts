// A person who has left traces in every table, written as the platform writes; and what a dump holds of them.
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../../src/db/connect.ts'
import type { Look } from '../../../src/feed/log_floor.ts'
import * as factory from '../database/factory.ts'
import { openTestSequencing } from '../feed/sequencing.ts'

type Person = {
  /** Stands in every free text. */
  name: string
  email: string
  phone: string
  leads: string[]
  /** All that must be found nowhere afterwards. */
  traces: string[]
}

/** Gives every event of the log its cursor, and stores nothing besides; where the feed is then. */
export async function sequence(sql: Sql): Promise<Look> {
  const sequencing = openTestSequencing(sql)
  for (;;) {
    const look = await sequencing.look()
    if (look.sequenced === 0) return look
  }
}

/** Two leads, one by mail and phone, one by phone alone, merged into one contact, and all that hangs on them. */
export async function plant(sql: Sql, name: string, digits: string): Promise<Person> {
  const email = `${name.toLowerCase()}@example.org`
  const phone = `+49171${digits}`
  const other = `${name.toLowerCase()}.alt@example.net`
  const session_id = randomUUID()
  const document = { kunde: { name, kontakt: { email, telefon: phone } } }
  const first = await factory.lead(sql, {
    name,
    email: email.toUpperCase(),
    phone: `0171 / ${digits.slice(0, 3)} ${digits.slice(3)}`,
    parsed_data: document,
    session_id,
    archive_reason_code: name,
    archived_at: factory.moment,
  })
  const second = await factory.lead(sql, { name, email: null, phone, parsed_data: document })
  const analysis = await factory.analysis(sql, {
    lead_id: first.id,
    source_id: name,
    analysis: { name },
    analysis_v2: document,
    din_check: { wer: name, bewertung: { params_version: '1', luecken_nach_stufe: [] } },
    session_id,
    kontakt_key: `email:${email}`,
  })
  for (const key of [`email:${email}`, `phone:${phone}`])
    await factory.haushalt(sql, {
      kontakt_key: key,
      haushalt: document,
      provenance: { 'kunde.name': { quelle: name } },
      din_check: { wer: name },
      empfehlungen_aktuell: { wer: name },
    })
  await sql`select merge_kontakte(${phone}, ${email})`
  await sql`select merge_kontakte(${other}, ${email})`
  const linked = await factory.appointment(sql, {
    title: name,
    customer_display_name: name,
    meeting_url: `https://zoom.example/${name}`,
    lead_id: second.id,
  })
  // Known by its conversation alone.
  const unlinked = await factory.appointment(sql, { title: name, session_id })
  const entry = factory.resultEntry({ value: name, rationale: name, recommendation: name })
  await factory.meeting(sql, {
    appointment_id: linked.id,
    customer_persona: name,
    summary: name,
    next_steps: [name],
    results: [entry],
  })
  await factory.meeting(sql, {
    appointment_id: unlinked.id,
    status: 'failed',
    failure_reason: name,
  })
  const byLead = await factory.signal(sql, { title: name, lead_id: first.id, outcome: name })
  const byKey = await factory.signal(sql, { title: name, kontakt_key: `email:${other}` })
  const doc = await factory.advisoryDoc(sql, {
    title: name,
    lead_id: second.id,
    approved_at: factory.moment,
  })
  await sql`update leads set status = ${name} where id = ${first.id}`
  await factory.emit(sql, 'anything', {}, { kontakt_key: `phone:${phone}`, title: name })
  const ids = [first, second, analysis, linked, unlinked, byLead, byKey, doc].map(({ id }) => id)
  return {
    name,
    email,
    phone,
    leads: [first.id, second.id],
    traces: [name, name.toLowerCase(), email, other, phone, digits, session_id, ...ids],
  }
}

/** Subscribes to everything. */
export const subscribeToAll = async (sql: Sql, label: string): Promise<string> => {
  const types = await sql`select event_type from event_types`
  const event_types = types.map(row => row.event_type)
  const target_url = `https://${label.toLowerCase()}.example.com/hook`
  return (await factory.hook(sql, { label, target_url, event_types })).id
}

/** Every row of every table, as text. */
export async function dump(sql: Sql): Promise<Record<string, string[]>> {
  const tables = await sql`
    select oid::regclass::text as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`
  const rows: Record<string, string[]> = {}
  for (const { name } of tables)
    rows[name] = (await sql.unsafe(`select dumped::text as row from ${name} as dumped`))
      .map(({ row }) => row as string)
      .sort()
  return rows
}

/** The rows that hold a trace of the person, by table. */
export const tracesIn = (rows: Record<string, string[]>, { traces }: Person) =>
  Object.fromEntries(
    Object.entries(rows)
      .map(([table, texts]) => [table, texts.filter(row => traces.some(one => row.includes(one)))])
      .filter(([, found]) => (found?.length ?? 0) > 0),
  )

const emptied = `leads lead_analyses meeting_intelligence haushalte kontakt_aliases appointments signals advisory_docs events
  event_cursors hook_subscriptions hook_outstanding hook_attempts`

/**
 * Every table that an erasure touches or reads is empty, and cursors begin anew. Without triggers; truncating makes new
 * files of all tables and their indexes, which takes ten times as long.
 */
export async function emptyWorkspace(sql: Sql): Promise<void> {
  const deletes = emptied
    .split(/\s+/)
    .map(table => `delete from ${table}`)
    .join(';')
  await sql.unsafe(`set local session_replication_role = replica; ${deletes}`)
}
