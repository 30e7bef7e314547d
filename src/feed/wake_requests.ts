// At low rates each commit wakes the sequencer; at high rates it polls.
import type { Database } from '../db/database.ts'

export type WakeRequestOptions = { database: Database }

// Below the first rate writers wake the sequencer at every commit; above the second it looks by itself.
const wakeBelowPerMs = 0.3
const pollAbovePerMs = 0.6

/** Asks writers to wake the sequencer at every commit, or not to. */
export function openWakeRequests({ database }: WakeRequestOptions) {
  // What was last asked, and whether they do it; undefined: not known.
  let asked: boolean | undefined
  let woken = false
  return {
    isWoken: () => woken,
    /** Another process may ask for something else. */
    forget() {
      asked = undefined
    },
    /** True: writers now wake the sequencer, so look once more for events from before that. */
    async ask(perMs: number): Promise<boolean> {
      const wake = perMs < (asked === false ? wakeBelowPerMs : pollAbovePerMs)
      if (wake === asked) return false
      const [answer] = await database.rows('updateFeedWake', { wake })
      asked = wake
      woken = answer?.wake ?? false
      return woken
    },
  }
}
