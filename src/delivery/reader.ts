// Reads the log for subscriptions that are behind what is in memory, and claims in the database what they are about to
// send: an erasure then knows who may have received an event. One page at a time; what asks for the same page shares it.
import type { Database } from '../db/database.ts'
import { logEventsOf } from '../feed/log_event.ts'
import type { Mutex } from '../lib/mutex.ts'
import { type Loop, startPollLoop } from '../lib/poll_loop.ts'
import type { LogCache } from './log_cache.ts'
import { movePositions } from './moving.ts'
import { openPageSizes, pageEventsMax } from './page_size.ts'
import { type Lane, positionOf, type Subscription } from './subscription.ts'

export type Reader = {
  /** Requests the events of a lane above a cursor; onRead follows. */
  want(subscription: Subscription, lane: Lane, after: number): void
  stop(): Promise<void>
}

export type ReaderOptions = {
  database: Database
  cache: LogCache
  head(): number
  /** Does something while no other position is written, and nothing is claimed. */
  positionsMutex: Mutex
  onHead(head: number): void
  /** Its events are in memory now. */
  onRead(subscription: Subscription): void
  /** These are still owned; the others are not. */
  onClaimed(claimed: readonly Subscription[], owned: ReadonlySet<number>): void
  onFailure(error: unknown): void
}

/** Above every cursor there will be: it follows the head. */
export const everyCursor = Number.MAX_SAFE_INTEGER

type PageRequest = {
  after: number
  until: number | null
  lanes: Map<Lane, Subscription>
  /** Events at most. */
  size: number
}

// want() wakes the loop; this covers a wake-up during a failed read.
const everyMs = 1_000
// As PostgreSQL stores them, which is less than they are sent as.
const pageBytes = 4 * 1_024 * 1_024

/** As far as a large page reaches: with a claim for each small one, positions would be written all the time. */
const claimable = (to: number, { after }: PageRequest) => Math.max(to, after + pageEventsMax)

/** Claims what is about to be sent. */
function openClaims(options: ReaderOptions) {
  const { database, cache, head, positionsMutex, onClaimed, onFailure } = options
  /** What was read before the claim and erased since is in no report: it must not be sent. */
  async function forgetErased(claimed: readonly [Lane, Subscription][]) {
    const after = Math.min(...claimed.map(([{ claimedTo }]) => claimedTo))
    const erased = await database.rows('listErasedEvents', { after })
    cache.forget(erased.map(({ cursor }) => cursor))
  }

  async function claimLive(to: number, request: PageRequest) {
    const claimed = [...request.lanes].filter(
      ([lane, { live, leaving }]) => lane === live && !leaving && lane.claimedTo < to,
    )
    if (claimed.length === 0) return
    const subscriptions = claimed.map(([, subscription]) => subscription)
    // At the head it is claimed once, and not with every event.
    const claimedTo = to >= head() ? everyCursor : claimable(to, request)
    const moves = subscriptions.map(subscription => ({
      subscription,
      cursor: positionOf(subscription.live, head()),
      claimedTo,
    }))
    const owned = await movePositions(database, moves, onFailure)
    await forgetErased(claimed)
    for (const { no, live } of subscriptions) if (owned.has(no)) live.claimedTo = claimedTo
    onClaimed(subscriptions, owned)
  }

  async function claimRanges(to: number, request: PageRequest) {
    const claimed = [...request.lanes].filter(
      ([lane, { live, leaving }]) => lane !== live && !leaving && lane.claimedTo < to,
    )
    if (claimed.length === 0) return
    const claimedTo = claimable(to, request)
    const rows = await database.rows('updateHookSkips', {
      nos: claimed.map(([, { no }]) => no),
      fences: claimed.map(([, { fence }]) => fence),
      to_cursors: claimed.map(([{ until }]) => until ?? 0),
      from_cursors: claimed.map(([lane]) => positionOf(lane, head())),
      claimed_to: claimed.map(() => claimedTo),
    })
    await forgetErased(claimed)
    const owned = new Set(rows.map(({ no }) => no))
    for (const [lane, { no }] of claimed) if (owned.has(no)) lane.claimedTo = claimedTo
    onClaimed(
      claimed.map(([, subscription]) => subscription),
      owned,
    )
  }

  // A position that is saved meanwhile would take the claim back.
  return (to: number, request: PageRequest) =>
    positionsMutex(async () => {
      await claimLive(to, request)
      await claimRanges(to, request)
    })
}

/** Reads pages into memory. */
function openPages({ database, cache }: ReaderOptions) {
  async function readPage(request: PageRequest): Promise<number> {
    const { after, until, lanes, size } = request
    const types = [...new Set([...lanes.values()].flatMap(({ types }) => [...types]))]
    const page = { after, up_to: until, event_types: types, row_limit: size }
    const before = cache.clears()
    const rows = await database.rows('listLogEvents', { ...page, bytes_max: pageBytes })
    // Events were erased meanwhile: these rows may have the bodies from before.
    if (cache.clears() !== before) return await readPage(request)
    const events = logEventsOf(rows)
    const to = rows.find(({ event_type }) => event_type === null)?.cursor ?? after
    cache.add({ after, to, types, events })
    return to
  }

  /** Up to which cursor all of them have their events in memory; undefined: one has not. */
  function inMemoryTo({ after, lanes }: PageRequest): number | undefined {
    let reach = everyCursor
    for (const { types } of lanes.values()) {
      const found = cache.next(after, types)
      if (found === 'missing') return undefined
      reach = Math.min(reach, 'event' in found ? found.to : found.end)
    }
    return reach
  }

  return { readPage, inMemoryTo }
}

export function openReader(options: ReaderOptions): Reader {
  const { onHead, onRead, onFailure } = options
  const claim = openClaims(options)
  const { readPage, inMemoryTo } = openPages(options)
  const sizeOf = openPageSizes()
  let requests = new Map<string, PageRequest>()

  async function readOne(next: PageRequest) {
    const to = inMemoryTo(next) ?? (await readPage(next))
    await claim(to, next)
    if (next.until === null) onHead(to)
    for (const subscription of next.lanes.values()) onRead(subscription)
  }

  const loop: Loop = startPollLoop({
    async step() {
      const [first] = requests
      if (first === undefined) return everyMs
      const [key, next] = first
      requests.delete(key)
      try {
        await readOne(next)
      } catch (error) {
        if (!requests.has(key)) requests.set(key, next)
        throw error
      }
      return requests.size > 0 ? 0 : everyMs
    },
    onFailure,
  })

  return {
    want(subscription, lane, after) {
      const key = `${after} ${lane.until}`
      const known = requests.get(key)
      const size = sizeOf(lane)
      if (known) {
        known.lanes.set(lane, subscription)
        known.size = Math.max(known.size, size)
      } else {
        const lanes = new Map([[lane, subscription]])
        requests.set(key, { after, until: lane.until, lanes, size })
      }
      loop.wake()
    },
    async stop() {
      requests = new Map()
      await loop.stop()
    },
  }
}
