// Rows whose shape says more than the types of their columns: those of the contract. All others are made from what
// PostgreSQL describes (bun run queries). Types alone while the service runs: its threads do without eight megabytes of
// schemas each. The tests hold what PostgreSQL describes against them.
import { type TSchema, Type } from '@sinclair/typebox'
import { Appointment } from '../model/appointment.ts'
import { Erasure, KontaktLeads } from '../model/erasure.ts'
import { FeedEvent } from '../model/event.ts'
import { Haushalt, KontaktSummary } from '../model/haushalt.ts'
import { HookSubscription } from '../model/hook.ts'
import { Lead, LeadAnalysis } from '../model/lead.ts'
import { MeetingIntelligence } from '../model/meeting.ts'
import { Signal } from '../model/signal.ts'
import type { QueryTypes } from './queries.generated.ts'

export const rows = {
  listLeads: Lead,
  getLead: Lead,
  getLeadAnalysis: LeadAnalysis,
  listKontakte: Type.Omit(KontaktSummary, ['haushalt']),
  listKontakteWithHaushalt: KontaktSummary,
  getHaushalt: Haushalt,
  getKontaktLeads: KontaktLeads,
  getKontaktHoldings: Erasure,
  deleteKontakt: Erasure,
  listAppointments: Appointment,
  getMeetingIntelligence: MeetingIntelligence,
  listSignals: Signal,
  listHooks: HookSubscription,
  getEvent: FeedEvent,
} satisfies Partial<Record<keyof QueryTypes, TSchema>>

export type Rows = typeof rows
