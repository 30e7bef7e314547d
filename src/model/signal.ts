// Spec part 2: Signal (Vertriebsimpuls).
import { Type } from '@sinclair/typebox'
import { DateTime, Exact, Nullable, Uuid } from './schema.ts'

export const signalStatuses = ['open', 'dismissed', 'done', 'resolved'] as const

export const SignalStatus = Type.Union(
  signalStatuses.map(status => Type.Literal(status)),
  { $id: 'SignalStatus' },
)

export const Signal = Exact(
  {
    id: Uuid,
    kind: Type.String(),
    title: Type.String(),
    status: SignalStatus,
    score: Type.Number(),
    lead_id: Nullable(Uuid),
    detected_at: DateTime,
    updated_at: DateTime,
  },
  { $id: 'Signal', description: 'A sales signal: title only, no detail texts.' },
)
