// A sleep that can be cut short, for loops that poll and are woken now and then.

export type Sleep = {
  /** Ends the sleep under way. Woken while awake, the next sleep does not begin. */
  wake(): void
  /** What woke so far is seen to now. */
  attend(): void
  sleep(milliseconds: number): Promise<void>
}

export function openSleep(): Sleep {
  let rise = () => {}
  let woken = false
  return {
    wake() {
      woken = true
      rise()
    },
    attend() {
      woken = false
    },
    sleep: milliseconds =>
      new Promise(resolve => {
        if (woken) return resolve()
        const timer = setTimeout(resolve, milliseconds)
        rise = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}
