// One small insert helper per table. Every column has a default, so a test names only what it is about;
// what depends on another column follows it (an archived lead has a reason).
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../../src/db/connect.ts'

export type Columns = Record<string, unknown>
type Inserted = Columns & { id: string }

/** Inserts a row; columns named in `columns` alone, the rest is the table's default. */
export async function insertRow(sql: Sql, table: string, columns: Columns): Promise<Inserted> {
  const names = Object.keys(columns).join(', ')
  const [row] = await sql.unsafe(
    `insert into ${table} (${names})
     select ${names} from jsonb_populate_record(null::${table}, $1::jsonb)
     returning to_jsonb(${table}) as row`,
    [JSON.stringify(columns)],
  )
  return JSON.parse(row?.row as string)
}

export const moment = '2026-03-01T12:00:00+00:00'

/** Inserts a row of a table: `defaults`, and the columns that a test is about. */
const rowOf =
  (table: string, defaults: (columns: Columns) => Columns) =>
  (sql: Sql, columns: Columns = {}) =>
    insertRow(sql, table, { ...defaults(columns), ...columns })

export const lead = rowOf('leads', ({ archived_at }) => ({
  id: randomUUID(),
  name: 'Erika Mustermann',
  email: 'erika@example.org',
  phone: '+491713920001',
  status: 'new',
  source_type: 'website_form',
  archive_reason_code: archived_at ? 'not_reachable' : null,
  parsed_data: { stadt: 'Leipzig' },
  created_at: moment,
}))

/** Of a lead of its own, unless `lead_id` is given. */
export const analysis = async (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'lead_analyses', {
    id: randomUUID(),
    lead_id: columns.lead_id ?? (await lead(sql)).id,
    channel: 'chat',
    source_id: randomUUID(),
    analysis_schema_version: 'din_core_v2',
    analysis: { kunde_alter: 34 },
    analysis_v2: { meta: { version: 'din_core_v2' } },
    created_at: moment,
    ...columns,
  })

export const haushalt = rowOf('haushalte', () => ({
  kontakt_key: `lead:${randomUUID()}`,
  haushalt: { vertraege: [] },
  quelle: 'crm_import',
  updated_at: moment,
}))

export const alias = (sql: Sql, alias_key: string, canonical_key: string) =>
  insertRow(sql, 'kontakt_aliases', { alias_key, canonical_key, created_at: moment })

export const appointment = rowOf('appointments', () => ({
  id: randomUUID(),
  title: 'Erstgespräch',
  status: 'scheduled',
  platform: 'zoom',
  meeting_url: 'https://zoom.example/j/1',
  starts_at: moment,
  customer_display_name: 'Erika M.',
  source: 'calendar',
  created_at: moment,
}))

export const resultEntry = (members: Columns = {}) => ({
  field_key: 'bedarf',
  label: 'Bedarf',
  kind: 'finding',
  output_type: 'text',
  status: 'ready',
  value: 'Haftpflicht fehlt',
  score: 0.5,
  level: 'hoch',
  rationale: null,
  recommendation: null,
  generated_at: '2026-03-01T12:00:00Z',
  ...members,
})

/** Of an appointment of its own, unless `appointment_id` is given. */
export const meeting = async (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'meeting_intelligence', {
    appointment_id: columns.appointment_id ?? (await appointment(sql)).id,
    status: 'ready',
    failure_reason: columns.status === 'failed' ? 'no_transcript' : null,
    overall_score: columns.status === 'failed' ? null : 7.5,
    results: [],
    created_at: moment,
    ...columns,
  })

export const signal = rowOf('signals', () => ({
  id: randomUUID(),
  kind: 'contract_end',
  title: 'Vertrag läuft aus',
  status: 'open',
  score: 0.8,
  detected_at: moment,
  updated_at: moment,
  quelle: 'crm_import',
}))

export const advisoryDoc = rowOf('advisory_docs', () => ({
  id: randomUUID(),
  title: 'Beratungsdokumentation',
  created_at: moment,
}))

export const apiKey = rowOf('api_keys', () => ({
  id: randomUUID(),
  prefix: 'wda_AAAAAAAA',
  digest: `\\x${randomUUID().replaceAll('-', '').repeat(2)}`,
  label: 'test',
  scopes: ['read:leads'],
  created_at: moment,
}))

const envelope = () => ({
  id: randomUUID(),
  event_type: 'lead.created',
  schema_version: '1',
  occurred_at: moment,
  object_type: 'lead',
  object_id: randomUUID(),
  links: { lead_id: null, session_id: null },
  data: {},
})

/** In the log, without a cursor: the sequencer has not seen it. */
export const outboxEvent = rowOf('events', envelope)

/** In the log and in the feed, at once: a sequencer that runs finds nothing to do. */
export async function event(sql: Sql, columns: Columns = {}): Promise<Inserted> {
  const { cursor = 1, sequenced_at = moment, ...logged } = { ...envelope(), ...columns } as Columns
  const names = Object.keys(logged).join(', ')
  const at = sequenced_at instanceof Date ? sequenced_at.toISOString() : String(sequenced_at)
  const [row] = await sql.unsafe(
    `with logged as (
       insert into events (${names}) select ${names} from jsonb_populate_record(null::events, $1::jsonb) returning *
     ),
     placed as (
       insert into event_cursors (cursor, log_id, sequenced_at, event_type)
       select $2::text::bigint, log_id, $3::text::timestamptz, event_type from logged
       returning *
     )
     select to_jsonb(logged) || jsonb_build_object('cursor', cursor, 'sequenced_at', sequenced_at) as row
     from logged join placed using (log_id)`,
    [JSON.stringify(logged), String(cursor), at],
  )
  return JSON.parse(row?.row as string)
}

/** signal.opened, as a producer emits it; members that are not given are null. */
export const emit = (sql: Sql, object_id: string, links: object, data: object = {}) => sql`
  select emit_event('signal.opened', 'signal', ${object_id}, ${JSON.stringify(links)}::text::jsonb,
    jsonb_object(members, array_fill(null::text, array[cardinality(members)])) || ${JSON.stringify(data)}::text::jsonb)
  from event_types where event_type = 'signal.opened'`

/** At the head of the feed, unless `cursor` is given. */
export const hook = async (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'hook_subscriptions', {
    id: randomUUID(),
    target_url: 'https://hooks.example.com/a',
    event_types: ['lead.created'],
    source: 'api',
    active: true,
    created_at: moment,
    secret: 'sealed',
    consecutive_failures: 0,
    cursor: columns.cursor ?? (await sql`select head::text from feed_state`)[0]?.head,
    ...columns,
  })

/** A delivery that failed for good; with `due_at`, one that waits for its next attempt. */
export const outstanding = rowOf('hook_outstanding', () => ({
  cursor: 1,
  attempts: 1,
  due_at: null,
}))

let attempts = 0

/** One that delivered; with another outcome, a 500. No two are at the same time, unless asked for. */
export const attempt = rowOf('hook_attempts', ({ outcome = 'd' }) => {
  attempts += 1
  return {
    cursor: 1,
    started_at: new Date(Date.parse(moment) + attempts),
    version: 1,
    duration_ms: 12,
    attempt: 1,
    status: outcome === 'd' ? 200 : 500,
    outcome,
    error_class: outcome === 'd' ? null : 'status',
  }
})

export const ownerNotice = rowOf('owner_notices', () => ({
  id: randomUUID(),
  subscription_id: randomUUID(),
  failures: 5,
  created_at: moment,
  due_at: moment,
}))
