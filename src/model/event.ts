// Spec part 2: Event, the envelope that the feed and webhooks share, and the payload of each type (spec part 6).
import { type TSchema, Type } from '@sinclair/typebox'
import { eventMeanings } from './event_meaning.ts'
import { type EventType, eventTypes, schemaVersions } from './event_type.ts'
import { LueckenNachStufe } from './haushalt.ts'
import { Channel } from './lead.ts'
import { ResultEntry } from './meeting.ts'
import { DateTime, Exact, FreeForm, Nullable, Uuid } from './schema.ts'
import { SignalStatus } from './signal.ts'

const text = Nullable(Type.String())
const quelle = Nullable(
  Type.String({
    description:
      'Origin. `crm_import`, `manual_termin` and `kontakt_edit` do not come from a conversation.',
  }),
)

const appointment = Exact({
  appointment_id: Uuid,
  title: text,
  starts_at: DateTime,
  ends_at: Nullable(DateTime),
  platform: Type.String(),
  meeting_url: text,
  customer_display_name: text,
  source: text,
})

const signal = {
  signal_id: Uuid,
  kind: Type.String(),
  title: Type.String(),
  score: Type.Number(),
  status: SignalStatus,
  kontakt_key: text,
  lead_id: Nullable(Uuid),
  quelle,
}

const advisoryDoc = { advisory_doc_id: Uuid, lead_id: Nullable(Uuid), title: text }

/** `data` of each event type. */
export const payloads = {
  'lead.created': Exact({
    lead_id: Uuid,
    name: text,
    email: text,
    phone: text,
    source_type: text,
    status: Type.String(),
    product_domain: text,
  }),
  'lead.stage_changed': Exact({
    lead_id: Uuid,
    status_before: Type.String(),
    status_after: Type.String(),
    trigger: text,
  }),
  'lead.archived': Exact({ lead_id: Uuid, archive_reason_code: text }),
  'analysis.completed': Exact({
    channel: Channel,
    analysis_schema_version: text,
    analysis: FreeForm,
  }),
  'din.check_completed': Exact({
    channel: Nullable(Channel),
    quelle,
    kontakt_key: text,
    params_version: text,
    luecken_nach_stufe: LueckenNachStufe,
    unbekannt_anzahl: Type.Integer({ minimum: 0 }),
  }),
  'haushalt.updated': Exact({
    kontakt_key: Type.String(),
    quelle,
    geaenderte_abschnitte: Type.Array(Type.String()),
    vertraege_anzahl: Type.Integer({ minimum: 0 }),
    luecken_anzahl: Type.Integer({ minimum: 0 }),
  }),
  'kontakt.merged': Exact({ canonical_key: Type.String(), alias_key: Type.String() }),
  'appointment.scheduled': appointment,
  'appointment.cancelled': appointment,
  'appointment.updated': appointment,
  'meeting.intelligence_ready': Exact({
    appointment_id: Uuid,
    summary: text,
    next_steps: Type.Unknown({ description: 'What was agreed, usually an array of sentences.' }),
    overall_score: Nullable(Type.Number()),
    results: Type.Array(ResultEntry),
  }),
  'meeting.intelligence_failed': Exact({ appointment_id: Uuid, failure_reason: text }),
  'advisory_doc.approved': Exact({ ...advisoryDoc, approved_at: DateTime }),
  'advisory_doc.sent': Exact({ ...advisoryDoc, sent_at: DateTime }),
  'signal.opened': Exact(signal),
  'signal.status_changed': Exact(signal),
  'signal.outcome_recorded': Exact({ ...signal, outcome: Type.String() }),
} satisfies Record<EventType, TSchema>

export const EventTypeName = Type.Union(
  eventTypes.map(type => Type.Literal(type)),
  { $id: 'EventType', description: 'Types may be added: ignore one you do not know.' },
)

const envelopeMembers = {
  id: Type.String({
    format: 'uuid',
    description: 'The same at every delivery: de-duplicate by it.',
  }),
  event_type: EventTypeName,
  schema_version: Type.String({ description: 'Version of `data` for this event type.' }),
  occurred_at: DateTime,
  object_type: Type.String(),
  object_id: Type.String(),
  links: Exact({ lead_id: Nullable(Uuid), session_id: Nullable(Uuid) }, { $id: 'EventLinks' }),
  data: FreeForm,
}

const cursor = Type.Integer({
  format: 'int64',
  minimum: 1,
  description: 'Position in the feed, ascending; events sent to webhooks have none.',
})

export const FeedEvent = Exact({ ...envelopeMembers, cursor })

/** `lead.stage_changed` is `LeadStageChanged` where names take no dots, `get_lead` is `GetLead`. */
export const schemaName = (name: string): string =>
  name.replace(/(^|[._])(.)/g, (_all, _dot, letter: string) => letter.toUpperCase())

/** The envelope of one type with its own payload; `cursor` is there in the feed alone. */
const publishedEvent = (type: EventType): TSchema =>
  Exact(
    {
      ...envelopeMembers,
      event_type: Type.Literal(type),
      schema_version: Type.String({
        description: `Version of \`data\`; now \`${schemaVersions[type]}\`.`,
      }),
      data: { ...payloads[type], $id: `${schemaName(type)}Payload` },
      cursor: Type.Optional(cursor),
    },
    {
      $id: `${schemaName(type)}Event`,
      description: `${eventMeanings[type].title}. ${eventMeanings[type].when}`,
    },
  )

export const publishedEvents = Object.fromEntries(
  eventTypes.map(type => [type, publishedEvent(type)]),
) as Record<EventType, TSchema>

/** Any event; by `event_type`. */
export const PublishedEvent = Type.Unsafe<unknown>({
  $id: 'Event',
  description: 'A change in the workspace. The envelope is the same for feed, sample and webhooks.',
  oneOf: Object.values(publishedEvents),
  // It would name the type of its choice EventType, which is another shape.
  'x-ogen-name': 'AnyEvent',
  discriminator: {
    propertyName: 'event_type',
    mapping: Object.fromEntries(
      eventTypes.map(type => [type, `#/components/schemas/${schemaName(type)}Event`]),
    ),
  },
})
