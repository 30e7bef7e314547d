// Where the sequencer looks from. Ids of the log become visible after they are drawn, so a missing id may still appear.
//
// The floor: each event at or below it has a cursor, never appears, or is of a late transaction, whose events are found by
// its id. Why that holds:
// - A writer has its transaction id before it draws an id of the log. The id of a look's own transaction is above that of
//   each transaction that drew an id which the look before saw.
// - Once all transactions below have ended or are late, what such ids are to become is visible, and the same look gives
//   cursors to it.
// - A transaction that runs for long becomes late, so it does not hold the floor back.

/** Its events up to log_id have cursors. */
type LateTransaction = { xid: number; log_id: number }

export type FloorState = { floor: number; late: readonly LateTransaction[] }

/** The state that sequence_events answers with. What it saw is of one snapshot. */
export type Look = FloorState & {
  identity: string
  /** The feed went on beyond all cursors, because another database gave out the last ones. */
  advanced: boolean
  /** Writers wake the sequencer. */
  sleeps: boolean
  head_before: number
  head: number
  sequenced: number
  /** Events above were left for the next look; null: none were. */
  scanned_to: number | null
  /** The greatest id that it saw. */
  newest: number
  /** Its own transaction, drawn before the snapshot. */
  xid: number
  xmax: number
  running: readonly number[]
}

export type LogFloor = {
  state(): FloorState
  take(look: Look): void
}

const lateAfterMs = 100

export function openLogFloor(start: FloorState, now = () => performance.now()): LogFloor {
  let { floor } = start
  /** By transaction, up to where its events have cursors. */
  const late = new Map(start.late.map(({ xid, log_id }) => [xid, log_id]))
  /** Since when the others have been running. */
  const runningSince = new Map<number, number>()
  let newest = floor
  // All ids up to it were drawn by transactions below xid.
  let candidate: { logId: number; xid: number } | undefined
  let settled = floor

  function settle({ running, xmax }: Look) {
    const oldest = Math.min(xmax, ...running.filter(xid => !late.has(xid)))
    if (candidate === undefined || candidate.xid > oldest) return
    settled = candidate.logId
    candidate = undefined
  }

  function followLate({ scanned_to }: Look, running: ReadonlySet<number>) {
    for (const xid of late.keys()) {
      if (running.has(xid)) continue
      if (scanned_to === null) late.delete(xid)
      else late.set(xid, scanned_to)
    }
  }

  function followRunning(running: ReadonlySet<number>) {
    for (const xid of runningSince.keys()) if (!running.has(xid)) runningSince.delete(xid)
    for (const xid of running) {
      if (late.has(xid)) continue
      const since = runningSince.get(xid) ?? now()
      runningSince.set(xid, since)
      if (now() - since <= lateAfterMs) continue
      late.set(xid, 0)
      runningSince.delete(xid)
    }
  }

  return {
    state: () => ({ floor, late: [...late].map(([xid, log_id]) => ({ xid, log_id })) }),
    take(look) {
      const running = new Set(look.running)
      settle(look)
      floor = Math.max(floor, Math.min(settled, look.scanned_to ?? settled))
      followLate(look, running)
      if (candidate === undefined && newest > settled) candidate = { logId: newest, xid: look.xid }
      newest = Math.max(newest, look.newest)
      followRunning(running)
    },
  }
}
