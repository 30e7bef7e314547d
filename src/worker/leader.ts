// Of all processes with the role worker one leads: it sequences, delivers and prunes. The others wait until its lease ends.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import type { Log } from '../observability/log.ts'

type LeaderOptions = {
  /** A connection of its own: no other statement delays a renewal. */
  database: Database
  log: Log
  /** No other process can work on this database, so a lease that is not over belongs to one that is gone. */
  isAlone: boolean
  /** This process leads from now on, or leads another database than before: what it knows is to be read again. */
  onBegin(fence: number, identity: string): void
  /** Another process leads. */
  onEnd(): void
  onRenewed(state: { versions: string; due: readonly string[] }): void
}

const leaseMs = 5_000
const renewalMs = 1_000
const waitMinMs = 100

/** Runs until stop(); a renewal that fails is logged and tried again. */
export function startLeader(options: LeaderOptions) {
  const { database, log } = options
  const worker = randomUUID()
  let isAlone = options.isAlone
  let leaseUntil = 0
  let term: { fence: number; identity: string } | undefined

  function end() {
    leaseUntil = 0
    if (term) options.onEnd()
    term = undefined
  }

  async function step(): Promise<number> {
    const sentAt = performance.now()
    const [lease] = await database.rows('claimLease', {
      worker,
      alone: isAlone,
      lease_ms: leaseMs,
    })
    if (lease === undefined || lease.fence === null) {
      end()
      return Math.max(waitMinMs, lease?.left_ms ?? 0)
    }
    isAlone = false
    leaseUntil = sentAt + leaseMs
    const { fence, identity, versions, due } = lease
    if (term?.fence !== fence || term.identity !== identity) {
      term = { fence, identity }
      log.event('leading', { fence })
      options.onBegin(fence, identity)
    }
    options.onRenewed({ versions, due })
    return renewalMs
  }

  const loop = startPollLoop({ step, onFailure: error => log.fault('leader', error) })
  return {
    /** By this process's own clock the lease is not over. */
    isLeading: () => performance.now() < leaseUntil,
    /** Asks again now: the leader may have left. */
    wake: loop.wake,
    /** A recording was refused: until the database says otherwise this process does not lead. */
    lose() {
      end()
      loop.wake()
    },
    /** Gives the lease back. */
    async stop() {
      await loop.stop()
      if (term === undefined) return
      end()
      await database.rows('updateLeaseEnded', { worker }).catch(error => log.fault('leader', error))
    },
  }
}
