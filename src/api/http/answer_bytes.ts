// The bytes of answers that their clients have not taken yet, bounded over all requests of this process: a client that takes
// its answer slowly, or not at all, holds it here. What fits into a socket's buffer is not counted.
import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import { AnswerTooLarge, smallAnswerMax } from '../../lib/answer_size.ts'
import type { Answer } from '../../operations/operation.ts'

const heldMax = 64 * 1024 * 1024
/** A read may come to so much without asking before; nearly all come to less. */
const usualMax = 512 * 1024
// Of the 6 s that a request has by default.
const waitMaxMs = 4_500

type Lease = {
  /** So many bytes from now on; small ones count as none. */
  keep(bytes: number): void
}

export type AnswerBytes = {
  /** At once, or not at all. */
  lease(bytes: number): Lease | undefined
  /**
   * For a large answer, once there is room for it and no other one is read: the driver holds it twice meanwhile. It is read
   * until `keep` is called. Throws internal_error (503).
   */
  leaseLarge(bytes: number): Promise<Lease>
  /** Of what is held already. */
  hold(bytes: number): Lease
}

const noRoom = () =>
  new ApiError(
    'internal_error',
    'Other large answers have not been taken by their clients yet. Try again in a second, or ask for fewer rows with limit.',
    { status: 503, headers: { 'retry-after': '1' } },
  )

type Waiting = { bytes: number; grant(lease: Lease): void }

export function openAnswerBytes(max = heldMax, waitMs = waitMaxMs): AnswerBytes {
  let held = 0
  let isReading = false
  const waiting = new Set<Waiting>()

  function hold(bytes: number, onKeep = () => {}): Lease {
    let own = bytes
    held += own
    return {
      keep(kept) {
        held -= own
        own = kept > smallAnswerMax ? kept : 0
        held += own
        onKeep()
        grantNext()
      },
    }
  }

  function grantNext(): void {
    const [next] = waiting
    if (next === undefined || isReading || held + next.bytes > max) return
    waiting.delete(next)
    isReading = true
    let isRead = false
    const onKeep = () => {
      if (!isRead) isReading = false
      isRead = true
    }
    next.grant(hold(next.bytes, onKeep))
  }

  return {
    hold,
    lease: bytes => (held + bytes > max ? undefined : hold(bytes)),
    leaseLarge: bytes =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(one)
          reject(noRoom())
          grantNext()
        }, waitMs)
        const grant = (lease: Lease) => {
          clearTimeout(timer)
          resolve(lease)
        }
        // The largest of all, by itself.
        const one = { bytes: Math.min(bytes, max), grant }
        waiting.add(one)
        grantNext()
      }),
  }
}

/** A request, and what is held for it until its client has taken it. */
export type Holder = {
  lease?: Lease
  /** It failed, or took too long: its client gets no other answer any more. */
  isGivenUp?: boolean
}

const within = (database: Database, bytesMax?: number): Database => ({
  ...database,
  ...(bytesMax && { bytesMax }),
  json: (name, args) => database.json(name, args, bytesMax),
})

/** How many bytes a read may have at first, and at most. */
type Bounds = { wanted?: number | undefined; most?: number }

const tooLarge = (bytes: number) =>
  new ApiError('invalid_request', `The answer has ${bytes} bytes; ask for fewer rows with limit.`)

/**
 * What `run` comes to, which reads from the database it is given, with little at first where there is no room for what is
 * wanted. An answer that is larger is read once more, when there is room for it. Throws internal_error (503) where there is
 * none in time, and invalid_request above `most`.
 */
export async function readWithin(
  bytes: AnswerBytes,
  holder: Holder,
  database: Database,
  run: (database: Database) => Promise<Answer>,
  { wanted = usualMax, most = Number.POSITIVE_INFINITY }: Bounds = {},
): Promise<Answer> {
  const read = async (lease: Lease, bytesMax?: number) => {
    holder.lease = lease
    let kept = 0
    try {
      const answer = await run(within(database, bytesMax))
      if (!holder.isGivenUp) kept = answer.data.length
      return answer
    } finally {
      lease.keep(kept)
    }
  }
  const lease = bytes.lease(wanted)
  try {
    return await read(lease ?? bytes.hold(0), lease ? wanted : smallAnswerMax)
  } catch (error) {
    if (!(error instanceof AnswerTooLarge)) throw error
    if (error.bytes > most) throw tooLarge(error.bytes)
    return await read(await bytes.leaseLarge(error.bytes))
  }
}
