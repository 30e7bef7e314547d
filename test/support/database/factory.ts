// One small insert helper per table. Every column has a default, so a test names only what it is about;
// what depends on another column follows it (an archived lead has a reason).
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../../src/db/connect.ts'

export type Columns = Record<string, unknown>
export type Inserted = Columns & { id: string }

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
/** The same as the API writes it. */
export const momentSent = '2026-03-01T12:00:00.000000Z'

export const lead = (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'leads', {
    id: randomUUID(),
    name: 'Erika Mustermann',
    email: 'erika@example.org',
    phone: '+491713920001',
    status: 'new',
    source_type: 'website_form',
    contacted_at: null,
    archived_at: null,
    archive_reason_code: columns.archived_at ? 'not_reachable' : null,
    parsed_data: { stadt: 'Leipzig' },
    created_at: moment,
    product_domain: null,
    session_id: null,
    ...columns,
  })

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
    din_check: null,
    created_at: moment,
    session_id: null,
    kontakt_key: null,
    ...columns,
  })

export const haushalt = (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'haushalte', {
    kontakt_key: `lead:${randomUUID()}`,
    haushalt: { vertraege: [] },
    provenance: null,
    din_check: null,
    empfehlungen_aktuell: null,
    quelle: 'crm_import',
    updated_at: moment,
    ...columns,
  })

export const alias = (sql: Sql, alias_key: string, canonical_key: string) =>
  insertRow(sql, 'kontakt_aliases', { alias_key, canonical_key, created_at: moment })

export const appointment = (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'appointments', {
    id: randomUUID(),
    title: 'Erstgespräch',
    status: 'scheduled',
    platform: 'zoom',
    meeting_url: 'https://zoom.example/j/1',
    starts_at: moment,
    ends_at: null,
    customer_display_name: 'Erika M.',
    source: 'calendar',
    intelligence_status: null,
    created_at: moment,
    lead_id: null,
    session_id: null,
    ...columns,
  })

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
    customer_persona: null,
    conversation_type: null,
    summary: null,
    next_steps: null,
    results: [],
    created_at: moment,
    ...columns,
  })

export const signal = (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'signals', {
    id: randomUUID(),
    kind: 'contract_end',
    title: 'Vertrag läuft aus',
    status: 'open',
    score: 0.8,
    lead_id: null,
    detected_at: moment,
    updated_at: moment,
    kontakt_key: null,
    quelle: 'crm_import',
    outcome: null,
    ...columns,
  })

export const advisoryDoc = (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'advisory_docs', {
    id: randomUUID(),
    lead_id: null,
    title: 'Beratungsdokumentation',
    approved_at: null,
    sent_at: null,
    created_at: moment,
    ...columns,
  })

export const apiKey = (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'api_keys', {
    id: randomUUID(),
    prefix: 'wda_AAAAAAAA',
    digest: `\\x${randomUUID().replaceAll('-', '').repeat(2)}`,
    label: 'test',
    scopes: ['read:leads'],
    created_at: moment,
    last_used_at: null,
    expires_at: null,
    revoked_at: null,
    ...columns,
  })

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
export const outboxEvent = (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'events', { ...envelope(), ...columns })

/** In the log and in the feed, at once: a sequencer that runs finds nothing to do. */
export async function event(sql: Sql, columns: Columns = {}): Promise<Inserted> {
  const { cursor = 1, sequenced_at = moment, ...logged } = { ...envelope(), ...columns } as Columns
  const names = Object.keys(logged).join(', ')
  const [row] = await sql.unsafe(
    `with logged as (
       insert into events (${names})
       select ${names} from jsonb_populate_record(null::events, $1::jsonb)
       returning *
     ),
     placed as (
       insert into event_cursors (cursor, log_id, sequenced_at, event_type)
       select $2::text::bigint, log_id, $3::text::timestamptz, event_type from logged
       returning *
     )
     select to_jsonb(logged) || jsonb_build_object('cursor', placed.cursor, 'sequenced_at', placed.sequenced_at) as row
     from logged, placed`,
    [JSON.stringify(logged), String(cursor), iso(sequenced_at)],
  )
  return JSON.parse(row?.row as string)
}

const iso = (at: unknown) => (at instanceof Date ? at.toISOString() : String(at))

export const hook = (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'hook_subscriptions', {
    id: randomUUID(),
    target_url: 'https://hooks.example.com/a',
    event_types: ['lead.created'],
    label: null,
    source: 'api',
    active: true,
    created_at: moment,
    secret: 'sealed',
    old_secret: null,
    old_secret_until: null,
    old_secret_leads: false,
    consecutive_failures: 0,
    failing_since: null,
    paused_at: null,
    ...columns,
  })

/** A delivery that failed for good; with `due_at`, one that waits for its next attempt. */
export const outstanding = (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'hook_outstanding', { cursor: 1, attempts: 1, due_at: null, ...columns })

let attempts = 0

/** One that delivered; with another outcome, a 500. No two are at the same time, unless asked for. */
export const attempt = (sql: Sql, columns: Columns = {}) => {
  const { outcome = 'd' } = columns
  attempts += 1
  return insertRow(sql, 'hook_attempts', {
    cursor: 1,
    started_at: new Date(Date.parse(moment) + attempts),
    version: 1,
    duration_ms: 12,
    attempt: 1,
    status: outcome === 'd' ? 200 : 500,
    outcome,
    error_class: outcome === 'd' ? null : 'status',
    excerpt: null,
    headers: null,
    ...columns,
  })
}

export const ownerNotice = (sql: Sql, columns: Columns = {}) =>
  insertRow(sql, 'owner_notices', {
    id: randomUUID(),
    subscription_id: randomUUID(),
    failures: 5,
    created_at: moment,
    due_at: moment,
    ...columns,
  })
