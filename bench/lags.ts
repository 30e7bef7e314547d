// From a commit, as its writer hears of it, to the receipt of the event.
import type { MeasuredReceipts } from './load/receiver.ts'
import type { Written } from './load/writer.ts'

/** Milliseconds, in the order of receipt. Throws for an event that no writer committed. */
export function lagsFrom(
  { commits }: Pick<Written, 'commits'>,
  { lags, made }: MeasuredReceipts,
): number[] {
  const committedAt = new Map(commits)
  return lags.map((lag, place) => {
    const t = made[place] ?? Number.NaN
    const committed = committedAt.get(t)
    if (committed === undefined) throw new Error('an event was received that no writer committed')
    return t + lag - committed
  })
}
