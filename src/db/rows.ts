// The shape of the rows of every query file in the manifest; null: it returns none. Types alone while the service runs: its
// threads do without eight megabytes of schemas each. The tests hold what PostgreSQL describes against them.
import { type TSchema, Type } from '@sinclair/typebox'
import { Appointment } from '../model/appointment.ts'
import { Erasure, KontaktLeads } from '../model/erasure.ts'
import { Haushalt, KontaktSummary } from '../model/haushalt.ts'
import { Lead, LeadAnalysis } from '../model/lead.ts'
import { MeetingIntelligence } from '../model/meeting.ts'
import { DateTime, Exact, Nullable, Uuid } from '../model/schema.ts'
import { Signal } from '../model/signal.ts'
import { claimed, hookRows } from './hook_rows.ts'
import { ownerRows } from './owner_rows.ts'
import type { QueryName } from './queries.ts'
import { redactionRows } from './redaction_rows.ts'

const EventPage = Exact({
  horizon: Type.Integer(),
  head: Type.Integer(),
  count: Type.Integer(),
  next_cursor: Type.Integer(),
  data: Type.String(),
})

export const rows = {
  listLeads: Lead,
  listActiveLeads: Lead,
  searchLeads: Lead,
  getLead: Lead,
  getLeadAnalysis: LeadAnalysis,

  listKontakte: KontaktSummary,
  getHaushalt: Haushalt,
  resolveKontaktKey: Exact({ kontakt_key: Nullable(Type.String()) }),
  getKontaktLeads: KontaktLeads,
  getKontaktHoldings: Erasure,
  deleteKontakt: Erasure,

  listAppointments: Appointment,
  getMeetingIntelligence: MeetingIntelligence,
  listSignals: Signal,

  getEventPage: EventPage,
  getEventPageByTypes: EventPage,
  sequenceEvents: Exact({
    moved: Nullable(Type.Integer()),
    unclaimed: Nullable(Type.Integer()),
    ...claimed,
  }),
  getOutboxState: Exact({ waiting: Nullable(Type.Boolean()) }),
  updateFeedHead: Exact({
    head: Nullable(Type.Integer()),
    current_partition: Nullable(Type.String()),
    next_partition: Nullable(Type.String()),
  }),
  updateFeedIdle: Exact({ idle: Nullable(Type.Boolean()) }),
  prepareEventsPartitions: Exact({
    current_partition: Nullable(Type.String()),
    next_partition: Nullable(Type.String()),
  }),
  pruneEvents: Exact({
    horizon: Nullable(Type.Integer()),
    partitions_dropped: Nullable(Type.Integer()),
  }),

  ...hookRows,
  ...ownerRows,

  listApiKeys: Exact({
    id: Uuid,
    prefix: Type.String(),
    label: Type.String(),
    scopes: Type.Array(Type.String()),
    created_at: DateTime,
    last_used_at: Nullable(DateTime),
    expires_at: Nullable(DateTime),
    revoked_at: Nullable(DateTime),
  }),
  listLiveApiKeys: Exact({
    id: Uuid,
    digest: Nullable(Type.String()),
    scopes: Type.Array(Type.String()),
    expires_at: Nullable(DateTime),
  }),
  insertApiKey: Exact({ id: Uuid }),
  updateApiKeyRevoked: Exact({ id: Uuid, prefix: Type.String(), label: Type.String() }),
  updateApiKeysLastUsed: null,
  claimPermits: Exact({
    key_id: Uuid,
    granted: Type.Integer(),
    used: Type.Integer(),
    wait_seconds: Nullable(Type.Integer()),
  }),

  ...redactionRows,

  getLostSettings: Exact({ names: Nullable(Type.Array(Type.String())) }),

  getLeadPresence: Exact({ present: Nullable(Type.Boolean()) }),
  getReadiness: Exact({ schema_version: Nullable(Type.Integer()) }),
  listSchemaMigrations: Exact({
    number: Type.Integer(),
    name: Type.String(),
    sha256: Type.String(),
  }),
  getReplicaState: Exact({
    schema_version: Nullable(Type.Integer()),
    database: Nullable(Type.String()),
  }),
  insertSchemaMigration: Exact({ number: Type.Integer(), lock_timeout: Nullable(Type.String()) }),
} satisfies Record<QueryName, TSchema | null>

export type Rows = typeof rows
