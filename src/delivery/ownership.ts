// Which subscriptions this process owns. Every 500 ms it renews its lease, takes subscriptions without a live owner, and
// releases those that another process is to get.
import { startPollLoop } from '../lib/poll_loop.ts'
import { movePositions } from './moving.ts'
import type { OwnedRow } from './owned_rows.ts'
import { saveRanges } from './positions.ts'
import { positionOf, type Subscription } from './subscription.ts'
import { type LostSubscriptions, type OwnershipOptions, openTakeOver } from './taking.ts'

export type Ownership = {
  /** Whose session is known to hold this lock; null: none. */
  setLockKey(key: number | null): void
  /** Subscriptions changed: ask for all of them anew. */
  refresh(): void
  /** The lease may be over, as after a process was stopped: others may own what this one did. */
  hasLapsed(): boolean
  /** Gives everything back, what is busy as soon as it is not, and takes nothing more. */
  leave(): void
  stop(): Promise<void>
}

// Another process's death is noticed this late.
const heartbeatMs = 500
// A process that lost its session or its lease has this long to come back.
const patienceMs = 400
// Longer if this process lost its own too: then the others have probably lost theirs as well, and are not back yet.
const lostPatienceMs = 3_000
const lostForMs = 5_000
// A process takes nothing before it has a session: killed without one, it would keep its subscriptions until its lease ends. One that
// gets none, as where DATABASE_LISTEN_URL does not answer, starts without.
const firstSessionMs = 3_000
// Without a notification changes are noticed this late.
const refreshMs = 5_000
// A busy subscription is given back within about this time.
const leavingMs = 50
// claim_subscriptions renews a lease only below this share, so at least this much is left after an answer.
export const renewedBelow = 0.7

/** The lock of this process's own session, and since when it was without. */
function openSession() {
  let lockKey: number | null = null
  let lostAt = Number.NEGATIVE_INFINITY
  let backAt = Number.NEGATIVE_INFINITY
  let hadOne = false
  const openedAt = performance.now()
  return {
    set(key: number | null) {
      const now = performance.now()
      // A first one that cannot be made is lost as well: then the database was away for all.
      const isLost = lockKey !== null || lostAt === Number.NEGATIVE_INFINITY
      if (key === null && isLost) lostAt = now
      if (key !== null && lostAt > backAt) backAt = now
      hadOne ||= key !== null
      lockKey = key
    },
    /** The lease of this process is over. */
    noteLapse() {
      lostAt = performance.now()
      backAt = lostAt
    },
    lockKey: () => lockKey,
    isAwaited: () => !hadOne && performance.now() - openedAt < firstSessionMs,
    /** How long ago it was lost, as long as others may not be back yet; else null. 0: it is not back itself. */
    lostMs(): number | null {
      const now = performance.now()
      if (hadOne && lockKey === null) return 0
      return now - backAt < lostForMs ? Math.round(now - lostAt) : null
    },
  }
}

/** What is owned no longer goes, and what is to go is given back. */
function openRelease(
  options: OwnershipOptions,
  lost: LostSubscriptions,
  lockKey: () => number | null,
) {
  const { database, worker, leaseMs, owned, head, onLost, isBusy, positionsMutex, onFailure } =
    options
  let renewedAt = Number.NEGATIVE_INFINITY
  // The lock that other processes look for: a session that is cut while a stop waits comes back with another.
  let renewedKey: number | null = null

  function lose(subscription: Subscription) {
    const { live } = subscription
    owned.delete(subscription.no)
    subscription.leaving = true
    if (live.atHead) live.after = Math.max(live.after, head())
    live.atHead = false
    lost.set(subscription.no, subscription)
    onLost(subscription)
  }

  /** A paused one keeps its fence: its position is to tell exactly what it missed. */
  async function forgetLost() {
    const idle = [...lost.values()].filter(one => !isBusy(one))
    if (idle.length === 0) return
    await savePositions(idle)
    for (const { no } of idle) lost.delete(no)
  }

  /** Gives back what another process is to have, once nothing of it is under way. Until then its lease must last. */
  async function giveBack(isLeaving: boolean): Promise<boolean> {
    const leaving = [...owned.values()].filter(one => isLeaving || one.leaving)
    const idle = leaving.filter(one => !isBusy(one))
    const isWaiting = leaving.length > idle.length
    const now = performance.now()
    const lock_key = lockKey()
    const isRenewing =
      isLeaving &&
      isWaiting &&
      (lock_key !== renewedKey || now - renewedAt > leaseMs * (1 - renewedBelow))
    if (idle.length > 0) await savePositions(idle)
    if (idle.length > 0 || isRenewing) {
      const nos = idle.map(({ no }) => no)
      const release = { worker, nos, leaving: isLeaving, lease_ms: leaseMs, lock_key }
      await database.rows('updateHooksReleased', release)
      if (isLeaving) {
        renewedAt = now
        renewedKey = lock_key
      }
      for (const subscription of idle) lose(subscription)
    }
    return isWaiting
  }

  async function writePositions(subscriptions: readonly Subscription[]) {
    const moves = subscriptions.map(subscription => {
      const cursor = positionOf(subscription.live, head())
      return { subscription, cursor, claimedTo: Math.max(subscription.live.sentTo, cursor) }
    })
    // Should it stay owned, what it sends next is claimed anew.
    for (const { subscription, claimedTo } of moves)
      subscription.live.claimedTo = Math.min(subscription.live.claimedTo, claimedTo)
    await movePositions(database, moves, onFailure)
    await saveRanges(database, subscriptions, head())
  }

  const savePositions = (subscriptions: readonly Subscription[]) =>
    positionsMutex(() => writePositions(subscriptions))

  return { lose, forgetLost, giveBack }
}

export function startOwnership(options: OwnershipOptions): Ownership {
  const { database, worker, leaseMs, owned, onFailure } = options
  const lost: LostSubscriptions = new Map()
  const { own, follow } = openTakeOver(options, lost)
  const session = openSession()
  const { lose, forgetLost, giveBack } = openRelease(options, lost, session.lockKey)
  let refreshed = Number.NEGATIVE_INFINITY
  let isLeaving = false
  let leasedUntil = 0
  const hasLapsed = () => performance.now() > leasedUntil

  async function ask() {
    const isDue = performance.now() - refreshed > refreshMs
    if (isDue) refreshed = performance.now()
    const known = isDue ? [] : [...owned.values()]
    const askedAt = performance.now()
    // Before its first answer it has no lease to lose: a process that replaces a dead one is no more patient than usual.
    if (hasLapsed() && leasedUntil > 0) session.noteLapse()
    const rows = await database.rows('claimSubscriptions', {
      worker,
      lock_key: session.lockKey(),
      lease_ms: leaseMs,
      patience_ms: patienceMs,
      lost_ms: session.lostMs(),
      lost_patience_ms: lostPatienceMs,
      known_nos: known.map(({ no }) => no),
      known_fences: known.map(({ fence }) => fence),
    })
    leasedUntil = askedAt + leaseMs * renewedBelow
    const isNew = (row: OwnedRow) => owned.get(row.no ?? 0)?.fence !== row.fence
    const kept = new Set(rows.map(({ no }) => no))
    for (const subscription of [...owned.values()])
      if (!kept.has(subscription.no)) lose(subscription)
    for (const row of rows) if (!isNew(row)) follow(row)
    await own(rows.filter(row => isNew(row) && row.id !== null))
    await forgetLost()
  }

  const loop = startPollLoop({
    async step() {
      if (!isLeaving && !session.isAwaited()) await ask()
      return (await giveBack(isLeaving)) ? leavingMs : heartbeatMs
    },
    onFailure(error) {
      refreshed = Number.NEGATIVE_INFINITY
      onFailure(error)
    },
  })

  return {
    setLockKey(key) {
      session.set(key)
      loop.wake()
    },
    refresh() {
      refreshed = Number.NEGATIVE_INFINITY
      loop.wake()
    },
    hasLapsed,
    leave() {
      isLeaving = true
      loop.wake()
    },
    stop: loop.stop,
  }
}
