// Spec part 2: HookSubscription, and what POST /hooks takes to make one (spec part 4).
import { Type } from '@sinclair/typebox'
import { finalFailuresMax } from './delivery_rules.ts'
import { EventTypeName } from './event.ts'
import { DateTime, Exact, Nullable, Uuid } from './schema.ts'
import type { SecretKeys } from './signing_secret.ts'

/** What subscribing and test events depend on besides the database. */
export type HookSettings = {
  subscriptionsMax: number
  /** Private networks that may be subscribed all the same. */
  allowedNetworks: readonly string[]
  /** PEM; trusted in addition to the usual authorities. */
  ca?: string | undefined
  /** Encrypt signing secrets; none when there is nowhere to keep one. */
  secretsKeys: SecretKeys
}

export const hookSources = ['api', 'zapier', 'make'] as const
export type HookSource = (typeof hookSources)[number]

export const labelLengthMax = 200
export const pauseReasonLengthMax = 500

// PostgreSQL stores no NUL. Nor half of a character, but not every reader of schemas knows what that is.
const Label = Nullable(Type.String({ maxLength: labelLengthMax, pattern: '^[^\\x00]*$' }))

export const HookSource = Type.Union(
  hookSources.map(source => Type.Literal(source)),
  { $id: 'HookSource' },
)

const subscription = {
  id: Uuid,
  target_url: Type.String({ format: 'uri' }),
  event_types: Type.Array(EventTypeName, { minItems: 1 }),
  label: Label,
  source: HookSource,
  active: Type.Boolean({
    description: `False while paused: after ${finalFailuresMax} final failures in a row, or by the owner.`,
  }),
  created_at: DateTime,
  paused_at: Nullable(DateTime),
  consecutive_failures: Type.Integer({
    minimum: 0,
    maximum: finalFailuresMax,
    description: 'Deliveries in a row that ended as final failures.',
  }),
  cursor: Type.Integer({
    format: 'int64',
    minimum: 0,
    description:
      'Everything up to this cursor was delivered; `GET /events?after=` it gives all that may be missing.',
  }),
}

export const HookSubscription = Exact(subscription, {
  $id: 'HookSubscription',
  description: 'A URL and the event types that are sent to it.',
})

/** As POST /hooks answers, and nothing else ever does. */
export const NewHookSubscription = Exact(
  {
    ...subscription,
    signing_secret: Type.String({
      pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
      description:
        'Key of the signatures. Shown this once: store it. `X-Service-Signature` is made with the text as it is.',
    }),
  },
  { $id: 'HookCreated', description: 'A new subscription, with its signing secret.' },
)

/** The body of POST /hooks; what else it holds is ignored. */
export const HookRequest = Type.Object(
  {
    target_url: Type.String({
      format: 'uri',
      pattern: '^[hH][tT][tT][pP][sS]://',
      minLength: 1,
      maxLength: 2_048,
      description:
        'Where events are sent: https, without user name, on no private or reserved address. Stored in its canonical form.',
    }),
    event_types: Type.Array(EventTypeName, {
      minItems: 1,
      description: 'The types wanted. Repeated ones count once.',
    }),
    label: Type.Optional(Label),
    // No default and no null, though both are taken: Go refers to a constant of either that it never declares.
    source: Type.Optional(HookSource),
  },
  {
    $id: 'HookRequest',
    description: 'A subscription to be made. Without `source` it is `api`.',
  },
)
