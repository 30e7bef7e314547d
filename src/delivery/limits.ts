// How many requests may be in flight: to one subscription, and to all whose receivers are of one kind.
import type { ProcessorShare } from '../lib/processor_share.ts'
import type { Subscription } from './subscription.ts'

/** Requests in flight to one subscription. */
export const windowMax = 64
/** Requests in flight to prompt receivers in all: more only wait in the receivers. */
export const promptMax = 128
/** Fewer where processors are scarce: their answers wait for this thread, and fill its memory meanwhile. */
const promptMin = 32
/** Requests in flight to slow receivers in all. */
export const slowMax = 512
/** Requests in flight to receivers that have not answered for seconds: they take no turn of slow ones either. */
const silentMax = 512
/** Requests in flight to one silent subscription; requests sent earlier may exceed it. */
export const silentWindowMax = 8
/** Requests in flight to one subscription to catch up with ranges. */
const rangeWindowMax = 16

/** By how long receivers take to answer. */
export type Kind = 'prompt' | 'slow' | 'silent'

export const kindOf = ({ slow, silent }: Subscription): Kind =>
  silent ? 'silent' : slow ? 'slow' : 'prompt'

/** How many may be in flight to all receivers of a kind. */
export function limitOf(kind: Kind, processorShare: ProcessorShare): number {
  if (kind === 'slow') return slowMax
  if (kind === 'silent') return silentMax
  return Math.max(promptMin, Math.round(promptMax * (processorShare() ?? 1)))
}

/** How many may be in flight to one. One receiver that stops answering leaves half of the limit to others. */
export function windowOf(subscription: Subscription, processorShare: ProcessorShare): number {
  const kind = kindOf(subscription)
  if (kind === 'silent') return silentWindowMax
  if (kind === 'slow') return windowMax
  return Math.min(windowMax, Math.floor(limitOf(kind, processorShare) / 2))
}

/** How many may be in flight to one to catch up with ranges. Half of its window is left to new events. */
export const rangeWindowOf = (subscription: Subscription, processorShare: ProcessorShare) =>
  Math.min(rangeWindowMax, windowOf(subscription, processorShare) / 2)

/** How many more retries may be taken for one. A silent receiver that is back gets a whole window at once. */
export function roomFor(subscription: Subscription, processorShare: ProcessorShare): number {
  const { paused, leaving, silent, inFlight, retries } = subscription
  if (paused || leaving) return 0
  const most = silent ? windowMax : windowOf(subscription, processorShare)
  return Math.max(0, most - inFlight - retries.length)
}
