// The head of the feed as this process knows it, and which subscriptions have everything up to it: what comes above it
// wakes those alone that want its type.
import type { FeedFollower } from '../feed/follower.ts'
import type { LogCache } from './log_cache.ts'
import type { Subscription } from './subscription.ts'

export type FeedHead = FeedFollower & {
  head(): number
  add(subscription: Subscription): void
  remove(subscription: Subscription): void
}

export type FeedHeadOptions = {
  cache: LogCache
  owned: Map<number, Subscription>
  /** It has something to take. */
  queue(subscription: Subscription): void
  run(): void
}

export function openFeedHead({ cache, owned, queue, run }: FeedHeadOptions): FeedHead {
  const byType = new Map<string, Set<Subscription>>()
  let head = 0

  /** Those that had everything up to the head have something to take above it. */
  function leaveHead(subscriptions: Iterable<Subscription>) {
    for (const subscription of subscriptions) {
      const { live } = subscription
      if (!live.atHead) continue
      live.atHead = false
      live.after = Math.max(live.after, head)
      queue(subscription)
    }
  }

  function onHead(newHead: number) {
    if (newHead <= head) return
    leaveHead(owned.values())
    head = newHead
    run()
  }

  return {
    head: () => head,
    add(subscription) {
      for (const type of subscription.types)
        byType.set(type, (byType.get(type) ?? new Set()).add(subscription))
    },
    remove(subscription) {
      for (const type of subscription.types) byType.get(type)?.delete(subscription)
    },
    wantedTypes: () => [...byType].filter(([, listed]) => listed.size > 0).map(([type]) => type),
    onHead,
    onSequenced({ after, to, types, events }) {
      if (after > head) onHead(after)
      cache.add({ after, to, types, events })
      const found = new Set(events.map(({ type }) => type))
      for (const type of found) leaveHead(byType.get(type) ?? [])
      // Types that came to be wanted while the batch was sequenced.
      for (const [type, listed] of byType) if (!types.includes(type)) leaveHead(listed)
      head = Math.max(head, to)
      run()
    },
  }
}
