// Whose password is checked next. A check takes 0.1 s and 32 MiB on purpose, so there is one at a time, and few wait.
import { openThrottle } from '../api/http/throttle.ts'

// 1.6 s of checks. A longer wait is worse than the answer to come back.
const waitingMax = 16
// Beyond this all floods are alike.
const triesMax = 100

type Waiting = { tries: number; giveTurn(isNext: boolean): void }

export type SignInTurns = {
  /** What `check` comes to when it is this client's turn; undefined: there was no turn for it, and nothing was checked. */
  take<Value>(client: string, check: () => Promise<Value>): Promise<Value | undefined>
}

/**
 * First those who tried least in the last minute; of equals the newest, who still waits for the
 * answer. So a flood from many addresses waits for one that is new. Newer ones can make the wait of the oldest long: after
 * patienceMs it has no turn.
 */
export function openSignInTurns(patienceMs: number, now?: () => number): SignInTurns {
  const tried = openThrottle(now, triesMax)
  const waiting: Waiting[] = []
  let busy = false

  function note(client: string): number {
    const tries = tried.count(client)
    tried.recordTry(client)
    return tries
  }

  const turnOf = (tries: number) =>
    new Promise<boolean>(resolve => {
      if (!busy) {
        busy = true
        return resolve(true)
      }
      const place = waiting.findIndex(other => other.tries >= tries)
      const mine = {
        tries,
        giveTurn(isNext: boolean) {
          clearTimeout(timer)
          resolve(isNext)
        },
      }
      const timer = setTimeout(giveUp, patienceMs, mine)
      waiting.splice(place < 0 ? waiting.length : place, 0, mine)
      if (waiting.length > waitingMax) waiting.pop()?.giveTurn(false)
    })

  function giveUp(mine: Waiting) {
    const place = waiting.indexOf(mine)
    if (place >= 0) waiting.splice(place, 1)[0]?.giveTurn(false)
  }

  function next() {
    const first = waiting.shift()
    if (first) first.giveTurn(true)
    else busy = false
  }

  return {
    async take(client, check) {
      if (!(await turnOf(note(client)))) return undefined
      try {
        return await check()
      } finally {
        next()
      }
    },
  }
}
