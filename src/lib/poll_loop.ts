// A loop that looks for work: it sleeps between two looks, can be woken, and waits ever longer while looks fail.

type Loop = {
  /** Ends the current sleep; during a step, skips the next one. */
  wake(): void
  /** Whether the last look failed. */
  isFailing(): boolean
  /** Ends the loop. Resolves when its last step has ended. */
  stop(): Promise<void>
}

type LoopOptions = {
  /** One look; returns how many milliseconds to sleep. */
  step(): Promise<number>
  /** The loop goes on after stop() until this is true. By default it ends at once. */
  isOver?(): boolean
  onFailure(error: unknown): void
}

const failureDelayMs = 250
const failureDelayMaxMs = 5_000

/** Looks at once, then again after every sleep, until stop(). */
export function startPollLoop({ step, isOver = () => true, onFailure }: LoopOptions): Loop {
  let rise = () => {}
  let woken = false
  let stopped = false
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

  const isEnded = () => stopped && isOver()

  async function run(): Promise<void> {
    while (!isEnded()) {
      woken = false
      const delay = await look()
      if (!isEnded()) await sleep(delay)
    }
  }

  function wake() {
    woken = true
    rise()
  }

  // Not before the caller has what the first look needs.
  const ended = Promise.resolve().then(run)
  return {
    wake,
    isFailing: () => failures > 0,
    async stop() {
      stopped = true
      wake()
      await ended
    },
  }
}
