// Delivers: claims what is due, signs and sends it, records what came of it. Any number of processes may run
// one. Two loops, one that claims and one that records: what gathers while a statement is on its way makes the
// next batch, so batches grow with the load by themselves. No transaction is open while an answer is awaited.
import { setTimeout as pause } from 'node:timers/promises'
import { startLoop } from '../loop.ts'
import { type Attempting, makeAttempt, released } from './attempt.ts'
import type { ClaimedRow, Delivery } from './claimed.ts'
import { openPlaces, type Places } from './places.ts'
import type { Claim, Counted, DeliveryQueue, Ended } from './queue.ts'

/** Deliveries that are claimed as the sequencer makes them. */
export type NewDeliveries = { claim: Claim; take(rows: readonly ClaimedRow[]): void }

export type Deliverer = {
  /** Deliveries may be due: look now. */
  wake(): void
  /** What there is room for. */
  claimNew(): NewDeliveries
  /** Stops claiming, lets attempts end for a while, gives the rest back. */
  stop(): Promise<void>
}

export type DelivererOptions = Attempting & {
  queue: DeliveryQueue
  /** How long attempts may go on after stop(). */
  drainMs: number
  /** Hears of every subscription whose run of final failures changed. */
  onCounted(counted: Counted): void
}

// Retries come due by the clock; this is how late one may be noticed.
const pollMs = 250
// Somebody else claims of the same subscription: about as long as that takes.
const busyPollMs = 5
// Between two batches of records: what ends meanwhile shares a statement and a commit. With 4 ms, and half as many claimed,
// 16 in place of 12 statements for a thousand deliveries. A place is free before.
const recordPauseMs = 12

/** What is under way, and what has ended and waits to be recorded. */
function openFloor(
  options: DelivererOptions,
  places: Places,
  wake: Record<'claiming' | 'recording', () => void>,
) {
  const ended: Ended[] = []
  // The sender is closed: what fails now failed because of us.
  let hurried = false

  function start(deliveries: readonly Delivery[]) {
    for (const delivery of deliveries) void makeAttempt(options, delivery).then(end)
  }

  /** Ends what waits and is not to be started. */
  function giveUp(whose: Parameters<Places['giveUp']>[0]) {
    for (const delivery of places.giveUp(whose)) ended.push(released(delivery, 0))
    if (ended.length > 0) wake.recording()
  }

  function end(made: Ended) {
    const { delivery } = made
    const isCut = hurried && !made.reply?.status
    // Its reply is kept: it tells that it may have arrived.
    const result: Ended = isCut ? { ...made, outcome: { outcome: 'released', delayMs: 0 } } : made
    ended.push(result)
    wake.recording()
    // Nothing more is sent to whoever may be paused by this.
    if (result.outcome.outcome !== 'delivered') giveUp(delivery)
    start(places.end(result))
    if (places.wantsMore(delivery)) wake.claiming()
  }

  return {
    ended,
    start,
    giveUp,
    hurry() {
      hurried = true
      options.sender.close()
    },
  }
}

/** Never fails: what goes wrong is logged and tried again. Runs until stop(). */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { queue, sender, log } = options
  const places = openPlaces()
  const { ended, start, giveUp, hurry } = openFloor(options, places, {
    claiming: () => claiming.wake(),
    recording: () => recording.wake(),
  })
  let stopped = false
  // A claim under way at a stop still brings deliveries; they are seen to like the others.
  let claimsEnded = false
  const onFailure = (error: unknown) => log.fault('deliveries', error)

  async function claim(): Promise<number> {
    giveUp('late')
    const room = places.room()
    // What has ended and cannot be recorded is kept. Its claims may lapse meanwhile; it would be sent again.
    if (room === null || recording.isFailing()) return pollMs
    const { deliveries, busy } = await queue.claim(room)
    start(places.take(deliveries, room, busy))
    if (stopped) giveUp('all')
    if (!places.wantsMore()) return pollMs
    return busy.length > 0 ? busyPollMs : 0
  }

  async function record(): Promise<number> {
    const batch = ended.splice(0)
    if (batch.length === 0) return pollMs
    try {
      for (const counted of await queue.record(batch)) options.onCounted(counted)
    } catch (error) {
      ended.unshift(...batch)
      throw error
    }
    for (const result of batch) start(places.leave(result))
    if (places.wantsMore()) claiming.wake()
    await pause(recordPauseMs)
    return ended.length > 0 ? 0 : pollMs
  }

  const isDone = () => claimsEnded && places.taken() === 0
  const claiming = startLoop({ step: claim, isOver: () => stopped, onFailure })
  const recording = startLoop({ step: record, isOver: isDone, onFailure })
  void claiming.ended.then(() => {
    claimsEnded = true
    recording.wake()
  })

  return {
    wake: claiming.wake,
    claimNew() {
      const room = places.roomForNew()
      const claim = queue.begin(room)
      const take = (rows: readonly ClaimedRow[]) => {
        start(places.take(claim.deliveries(rows), room))
        if (places.wantsMore()) claiming.wake()
      }
      return { claim, take }
    },
    async stop() {
      stopped = true
      giveUp('all')
      claiming.wake()
      recording.wake()
      const impatient = setTimeout(hurry, options.drainMs)
      await recording.ended
      clearTimeout(impatient)
      sender.close()
    },
  }
}
