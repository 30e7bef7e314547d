// How many requests may be in flight: to one subscription, and to all whose receivers are of one kind.
import type { ProcessorShare } from '../lib/processor_share.ts'
import type { Subscription } from './subscription.ts'

/** Requests in flight to one subscription. */
export const windowMax = 64
/** Requests in flight to prompt receivers in all: more only wait in the receivers. */
export const promptMax = 128
/** Fewer where processors are scarce: their answers wait for this thread, and fill its memory meanwhile. */
const promptMin = 16
/** Requests in flight to slow receivers in all. */
export const slowMax = 512
/** Requests in flight to receivers that have not answered for seconds: they take no turn of slow ones either. */
export const silentMax = 512
/** Requests in flight to one silent subscription; requests sent earlier may exceed it. */
const silentWindowMax = 8

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

/** How many may be in flight to one. One receiver that stops answering leaves half of the places to others. */
export function windowOf(subscription: Subscription, processorShare: ProcessorShare): number {
  const kind = kindOf(subscription)
  if (kind === 'silent') return silentWindowMax
  return kind === 'slow' ? windowMax : Math.min(windowMax, limitOf(kind, processorShare) / 2)
}
