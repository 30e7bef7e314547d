// Saves the positions of owned subscriptions about once a second. A save per batch would leave many row versions under an
// open snapshot. hook_attempts shows what ended since.
import type { Database } from '../db/database.ts'
import type { Mutex } from '../lib/mutex.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import { movePositions } from './moving.ts'
import { everyCursor } from './reader.ts'
import { isOver, type Lane, positionOf, type Subscription } from './subscription.ts'

export type PositionsOptions = {
  database: Database
  owned: Map<number, Subscription>
  head(): number
  /** Does something while no other position is written, and nothing is claimed. */
  positionsMutex: Mutex
  /** Some are owned no longer. */
  onLost(): void
  onFailure(error: unknown): void
}

const savingMs = 1_000
// One that had no event of its types follows the head at this distance.
const quietDistance = 10_000
// One that is further behind has claimed no more than it took.
const farBehind = 10_000

type PositionChange = { subscription: Subscription; lane: Lane; position: number }

function isDue({ lane, position }: PositionChange): boolean {
  if (position <= lane.saved) return false
  return (
    !lane.atHead ||
    lane.open.size > 0 ||
    lane.after > lane.saved ||
    position - lane.saved > quietDistance
  )
}

/** The highest cursor that may be sent before the next save or claim. */
const claimedBy = ({ claimedTo, sentTo, after, atHead }: Lane, position: number, head: number) =>
  !atHead && claimedTo === everyCursor && head - after > farBehind
    ? Math.max(sentTo, position)
    : Math.max(claimedTo, position)

/** The lanes of subscriptions, each with how far it is. */
const changesOf = (
  subscriptions: Iterable<Subscription>,
  lanesOf: (subscription: Subscription) => Lane[],
  head: number,
): PositionChange[] =>
  [...subscriptions].flatMap(subscription =>
    lanesOf(subscription).map(lane => ({ subscription, lane, position: positionOf(lane, head) })),
  )

/** Remembers how far the ranges of subscriptions are, of those that this process still has. */
export async function saveRanges(
  database: Database,
  subscriptions: Iterable<Subscription>,
  head: number,
): Promise<void> {
  const changes = changesOf(subscriptions, ({ ranges }) => ranges, head).filter(
    ({ lane, position }) => position > lane.saved || isOver(lane),
  )
  if (changes.length === 0) return
  await database.rows('updateHookSkips', {
    nos: changes.map(({ subscription }) => subscription.no),
    fences: changes.map(({ subscription }) => subscription.fence),
    to_cursors: changes.map(({ lane }) => lane.until ?? 0),
    from_cursors: changes.map(({ position }) => position),
    claimed_to: changes.map(({ lane }) => lane.claimedTo),
  })
  for (const { subscription, lane, position } of changes) {
    lane.saved = position
    // As the statement deletes it.
    if (lane.until !== null && position >= lane.until)
      subscription.ranges = subscription.ranges.filter(other => other !== lane)
  }
}

const live = ({ live: lane }: Subscription) => [lane]

/** Writes positions of new events, and of ranges. */
function openPositionWriter(options: PositionsOptions) {
  const { database, owned, head, onLost, onFailure } = options

  async function write(changes: readonly PositionChange[], claims: readonly number[]) {
    const moves = changes.map(({ subscription, position }, index) => ({
      subscription,
      cursor: position,
      claimedTo: claims[index] ?? position,
    }))
    const moved = await movePositions(database, moves, onFailure)
    for (const { lane, position } of changes) lane.saved = position
    if (moved.size < changes.length) onLost()
  }

  async function saveLive() {
    const changes = changesOf(owned.values(), live, head()).filter(isDue)
    if (changes.length === 0) return
    const claims = changes.map(({ lane, position }) => claimedBy(lane, position, head()))
    // Before the answer: what is taken meanwhile is claimed anew.
    changes.forEach(({ lane }, index) => {
      lane.claimedTo = Math.min(lane.claimedTo, claims[index] ?? lane.claimedTo)
    })
    await write(changes, claims)
  }

  return {
    async save() {
      await saveLive()
      await saveRanges(database, owned.values(), head())
    },
    /** Nothing more will be sent: only what is under way may still arrive. */
    async saveLast() {
      const all = changesOf(owned.values(), live, head())
      const claims = all.map(({ lane, position }) => Math.max(position, lane.sentTo))
      if (all.length > 0) await write(all, claims)
      await saveRanges(database, owned.values(), head())
    },
  }
}

export function startPositions(options: PositionsOptions) {
  const { positionsMutex, onFailure } = options
  const { save, saveLast } = openPositionWriter(options)
  const loop = startPollLoop({
    async step() {
      await positionsMutex(save)
      return savingMs
    },
    onFailure,
  })
  return {
    async stop() {
      await loop.stop()
      await positionsMutex(saveLast).catch(onFailure)
    },
  }
}
