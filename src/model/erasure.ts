// The report of an erasure: what went, and which webhooks had received it.
import { type Static, Type } from '@sinclair/typebox'
import { DateTime, Exact, Nullable, Uuid } from './schema.ts'

const Count = Type.Integer()

/**
 * Rows by table. `events` are those with a cursor and those that wait for one. `hook_deliveries` are those that were tried,
 * may have been sent, or wait for their moment.
 */
const ErasureCounts = Exact({
  leads: Count,
  lead_analyses: Count,
  haushalte: Count,
  kontakt_aliases: Count,
  appointments: Count,
  meeting_intelligence: Count,
  signals: Count,
  advisory_docs: Count,
  events: Count,
  hook_deliveries: Count,
  hook_attempts: Count,
})

/** In the order in which a report names them. */
export const erasedTables = Object.keys(ErasureCounts.properties) as (keyof Static<
  typeof ErasureCounts
>)[]

export const Recipient = Exact({
  subscription_id: Uuid,
  /** Null, as the address is, where the subscription is deleted. */
  label: Nullable(Type.String()),
  target_url: Nullable(Type.String()),
  /** Events that were accepted. */
  received: Count,
  /** Events that may have arrived: another answer, a timeout, a break, or under way just then, or cut off by the end of a process. */
  possibly: Count,
  first_at: DateTime,
  last_at: DateTime,
  event_types: Type.Array(Type.String()),
})

export const ShownLead = Exact({
  id: Uuid,
  name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  created_at: DateTime,
})

const Person = {
  canonical_key: Type.String(),
  keys: Type.Array(Type.String()),
  /** Keys of the person's leads that another person has too. */
  shared_keys: Type.Array(Type.String()),
}

/** Who it is, before all that is stored is looked through. */
export const KontaktLeads = Exact({
  ...Person,
  lead_count: Count,
  /** The newest of them. */
  leads: Type.Array(ShownLead),
})

export const Erasure = Exact({
  ...Person,
  /** Leads that had one of the keys once and have others now: perhaps the same person. They stay. */
  other_leads: Type.Array(ShownLead),
  counts: ErasureCounts,
  recipients: Type.Array(Recipient),
})

/** Perhaps different people who share a phone: a search by one of the addresses separates them. */
export const hasSeveralAddresses = ({ keys }: { keys: readonly string[] }): boolean =>
  keys.filter(key => key.startsWith('email:')).length > 1

export type Erasure = Static<typeof Erasure>
export type KontaktLeads = Static<typeof KontaktLeads>
export type ShownLead = Static<typeof ShownLead>
export type Recipient = Static<typeof Recipient>
