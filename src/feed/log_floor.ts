// Where the next look starts. Ids become visible after they are drawn, so a missing id may still appear; this tracks running
// transactions to know when it cannot.

/** A place in the log: cursors of events above `logId` are above `cursor`. */
export type Mark = { logId: number; cursor: number }

type LateMark = Mark & { xid: number }

/** Every event up to the mark has a cursor, never gets one, or belongs to a late transaction and is above that one's mark. */
export type FloorState = Mark & { late: readonly LateMark[] }

/** The state that sequence_events answers with. All is of one snapshot, but for the cursors that were given out then. */
export type Look = {
  identity: string
  /** The floor that it was asked to begin at; else the stored one. */
  floor_log_id: number
  floor_cursor: number
  late: readonly StoredLate[]
  /** Where it looked from: below the floor if a late transaction had ended. */
  after_log_id: number
  after_cursor: number
  head_before: number
  head: number
  sequenced: number
  /** Events above were not looked at; null: it looked at all that were visible. */
  scanned_to: number | null
  newest_log_id: number
  /** Drawn after the snapshot; null: none was. */
  xid: number | null
  xmax: number
  running: number[]
}

/** As it arrives: head and floor_log_id are null when feed or feed_floor lacks its row. */
export type UncheckedLook = Omit<Look, 'head' | 'floor_log_id'> & {
  head: number | null
  floor_log_id: number | null
}

export type StoredLate = { xid: number; log_id: number; cursor: number }

export const storedLate = ({ late }: FloorState): StoredLate[] =>
  late.map(({ xid, logId, cursor }) => ({ xid, log_id: logId, cursor }))

/** Where a sequencer begins that took its first look. */
export const startOf = ({ floor_log_id, floor_cursor, late }: Look): FloorState => ({
  logId: floor_log_id,
  cursor: floor_cursor,
  late: late.map(({ xid, log_id, cursor }) => ({ xid, logId: log_id, cursor })),
})

export type LogFloor = {
  /** Where the next look begins, and what another sequencer can begin with. */
  state(): FloorState
  /** How many ids the floor can advance once a look draws a transaction id. */
  behind(): number
  take(look: Look): void
}

// A transaction that has been running for longer is late, and does not hold the floor back: the look that finds it ended
// begins where the floor was when it became late.
const lateAfterMs = 100

type RunningTransaction = { since: number; from: Mark; late: boolean }

/** Which transactions were running at the last look, and since when. */
function openTransactions(start: FloorState, now: () => number) {
  const seen = new Map<number, RunningTransaction>(
    start.late.map(({ xid, logId, cursor }) => [
      xid,
      { since: now(), from: { logId, cursor }, late: true },
    ]),
  )
  return {
    /** The oldest transaction that may still add an event below a candidate. */
    oldest({ running, xmax }: Look): number {
      let oldest = xmax
      for (const xid of running) if (xid < oldest && !seen.get(xid)?.late) oldest = xid
      return oldest
    },
    follow({ running }: Look, floor: Mark) {
      const still = new Set(running)
      for (const xid of seen.keys()) if (!still.has(xid)) seen.delete(xid)
      for (const xid of running) {
        const known = seen.get(xid)
        if (known === undefined) seen.set(xid, { since: now(), from: floor, late: false })
        else if (!known.late && now() - known.since > lateAfterMs) {
          known.late = true
          known.from = floor
        }
      }
    },
    late: () => [...seen].flatMap(([xid, { late, from }]) => (late ? [{ xid, ...from }] : [])),
  }
}

export function openLogFloor(start: FloorState, now = () => performance.now()): LogFloor {
  const transactions = openTransactions(start, now)
  let floor: Mark = { logId: start.logId, cursor: start.cursor }
  // The newest event seen; cursors of events above it are above its cursor.
  let reached = floor
  // Ids up to the mark were drawn by transactions before this one. Once they have all ended, the floor is where a look comes to.
  let candidates: LateMark[] = []
  // A look for a late transaction ended below the floor: the next one goes on here, as for a transaction that has ended.
  let again: LateMark | undefined

  const behind = () => reached.logId - (candidates.at(-1) ?? floor).logId

  function raiseFloor(look: Look) {
    const scannedTo = look.scanned_to ?? Number.POSITIVE_INFINITY
    const oldest = transactions.oldest(look)
    const settled = candidates.filter(({ xid }) => xid <= oldest)
    const passed = settled.findLast(({ logId }) => logId <= scannedTo)
    if (passed) floor = { logId: passed.logId, cursor: passed.cursor }
    const isSettled = settled.some(({ logId }) => logId > scannedTo)
    if (isSettled && scannedTo > floor.logId) floor = { logId: scannedTo, cursor: floor.cursor }
    candidates = candidates.filter(({ logId }) => logId > floor.logId)
  }

  return {
    behind,
    state: () => ({ ...floor, late: [...transactions.late(), ...(again ? [again] : [])] }),
    take(look) {
      const { scanned_to, xid, head, newest_log_id } = look
      again =
        scanned_to !== null && scanned_to < floor.logId
          ? { xid: 0, logId: scanned_to, cursor: look.after_cursor }
          : undefined
      raiseFloor(look)
      reached = {
        logId: Math.max(reached.logId, newest_log_id),
        cursor: scanned_to === null ? head : reached.cursor,
      }
      if (xid !== null && behind() > 0) candidates.push({ ...reached, xid })
      transactions.follow(look, floor)
    },
  }
}
