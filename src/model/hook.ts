// Spec part 2: HookSubscription, and what POST /hooks takes to make one (spec part 4).
import { Type } from '@sinclair/typebox'
import { EventTypeName } from './event.ts'
import { DateTime, Exact, Nullable, Uuid } from './schema.ts'

export const hookSources = ['api', 'zapier', 'make'] as const
export type HookSource = (typeof hookSources)[number]

export const labelLengthMax = 200

// PostgreSQL stores no NUL. Nor half of a character, but not every reader of schemas knows what that is.
const Label = Nullable(Type.String({ maxLength: labelLengthMax, pattern: '^[^\\u0000]*$' }))

export const HookSource = Type.Union(hookSources.map(source => Type.Literal(source)))

const subscription = {
  id: Uuid,
  target_url: Type.String({ format: 'uri' }),
  event_types: Type.Array(EventTypeName, { minItems: 1, uniqueItems: true }),
  label: Label,
  source: HookSource,
  active: Type.Boolean({ description: 'False while paused after 10 final failures in a row.' }),
  created_at: DateTime,
}

export const HookSubscription = Exact(subscription)

/** As POST /hooks answers, and nothing else ever does. */
export const NewHookSubscription = Exact({
  ...subscription,
  signing_secret: Type.String({
    pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
    description:
      'Key of the signatures. Shown this once: store it. `X-Service-Signature` is made with the text as it is.',
  }),
})

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
    source: Type.Optional(
      Nullable(Type.Union(HookSource.anyOf, { default: 'api', description: 'Null: `api`.' })),
    ),
  },
  { additionalProperties: true },
)
