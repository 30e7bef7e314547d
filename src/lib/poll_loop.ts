// A loop that looks for work: it sleeps between two looks, can be woken, and waits ever longer while looks fail.

export type Loop = {
  /** Ends the sleep under way. Woken while at work, the next sleep does not begin. */
  wake(): void
  /** Whether the last look failed. */
  isFailing(): boolean
  /** Resolves when it is over. */
  ended: Promise<void>
}

export type LoopOptions = {
  /** One look; says for how many milliseconds to sleep. */
  step(): Promise<number>
  isOver(): boolean
  onFailure(error: unknown): void
}

const failureDelayMs = 250
const failureDelayMaxMs = 5_000

/** Looks at once, then again after every sleep, until `isOver`; wake it for that to be seen. */
export function startPollLoop({ step, isOver, onFailure }: LoopOptions): Loop {
  let rise = () => {}
  let woken = false
  let failures = 0

  const sleep = (milliseconds: number) =>
    new Promise<void>(resolve => {
      if (woken || milliseconds <= 0) return resolve()
      const timer = setTimeout(resolve, milliseconds)
      rise = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  async function look(): Promise<number> {
    try {
      const delay = await step()
      failures = 0
      return delay
    } catch (error) {
      onFailure(error)
      failures += 1
      // A wake-up while nothing works is of no use.
      woken = false
      return Math.min(failureDelayMs * failures, failureDelayMaxMs)
    }
  }

  async function run(): Promise<void> {
    while (!isOver()) {
      woken = false
      const delay = await look()
      if (!isOver()) await sleep(delay)
    }
  }

  return {
    wake() {
      woken = true
      rise()
    },
    isFailing: () => failures > 0,
    // Not before the caller has what the first look needs.
    ended: Promise.resolve().then(run),
  }
}
