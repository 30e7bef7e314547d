// Writes how far subscriptions are, and says where a position was further than its worker.
import type { Database } from '../db/database.ts'
import type { Subscription } from './subscription.ts'

export type Move = { subscription: Subscription; cursor: number; claimedTo: number }

/** The numbers of those that are still owned. */
export async function movePositions(
  database: Database,
  moves: readonly Move[],
  onFailure: (error: unknown) => void,
): Promise<Set<number>> {
  const rows = await database.rows('updateHookPositions', {
    nos: moves.map(({ subscription }) => subscription.no),
    fences: moves.map(({ subscription }) => subscription.fence),
    cursors: moves.map(({ cursor }) => cursor),
    claimed_to: moves.map(({ claimedTo }) => claimedTo),
  })
  const ahead = new Set(rows.filter(row => row.was_ahead).map(({ no }) => no))
  for (const { subscription, cursor } of moves)
    if (ahead.has(subscription.no))
      onFailure(
        new Error(
          `the position of ${subscription.target.id} was further than its worker, as after a change by hand: it is set back to ${cursor}, up to which all has ended`,
        ),
      )
  return new Set(rows.map(({ no }) => no))
}
