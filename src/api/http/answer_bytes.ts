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

/** A request, and what is held for it until its client has taken it. */
export type Holder = {
  heldBytes?: number
  /** It failed, or took too long: its client gets no other answer any more. */
  isGivenUp?: boolean
}

const noRoom = () =>
  new ApiError(
    'internal_error',
    'Other large answers have not been taken by their clients yet. Try again in a second, or ask for fewer rows with limit.',
    { status: 503, headers: { 'retry-after': '1' } },
  )

const tooLarge = (bytes: number) =>
  new ApiError('invalid_request', `The answer has ${bytes} bytes; ask for fewer rows with limit.`)

/** How many bytes a read may have at first, and at most. */
type Bounds = { wanted?: number | undefined; most?: number }

export class AnswerBytes {
  #held = 0
  readonly #waiting = new Set<() => void>()

  /** So many are held for this request from now on; a small answer counts as none. */
  hold(holder: Holder, bytes: number) {
    const { heldBytes = 0 } = holder
    holder.heldBytes = bytes > smallAnswerMax ? bytes : 0
    this.#held += holder.heldBytes - heldBytes
    if (holder.heldBytes < heldBytes) for (const look of this.#waiting) look()
  }

  #hasRoom = (bytes: number) => this.#held + bytes <= heldMax

  /** Holds as many once there is room for them. Throws internal_error (503). */
  #holdLarge(holder: Holder, bytes: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.#waiting.delete(look)
      reject(noRoom())
    }, waitMaxMs)
    const look = () => {
      if (!this.#hasRoom(bytes)) return
      clearTimeout(timer)
      this.#waiting.delete(look)
      this.hold(holder, bytes)
      resolve()
    }
    this.#waiting.add(look)
    look()
    return promise
  }

  /**
   * What `run` comes to, which reads from the database it is given, with little at first where there is no room for what is
   * wanted. An answer that is larger is read once more, when there is room for it. Throws internal_error (503) where there is
   * none in time, and invalid_request above `most`.
   */
  async read(
    holder: Holder,
    database: Database,
    run: (database: Database) => Promise<Answer>,
    { wanted = usualMax, most = Number.POSITIVE_INFINITY }: Bounds = {},
  ): Promise<Answer> {
    const read = async (bytesMax?: number) => {
      let kept = 0
      try {
        const json: Database['json'] = (name, args) => database.json(name, args, bytesMax)
        const answer = await run({ ...database, ...(bytesMax && { bytesMax }), json })
        if (!holder.isGivenUp) kept = answer.data.length
        return answer
      } finally {
        this.hold(holder, kept)
      }
    }
    const first = this.#hasRoom(wanted) ? wanted : smallAnswerMax
    this.hold(holder, first)
    try {
      return await read(first)
    } catch (error) {
      if (!(error instanceof AnswerTooLarge)) throw error
      if (error.bytes > most) throw tooLarge(error.bytes)
      // The largest of all, by itself.
      await this.#holdLarge(holder, Math.min(error.bytes, heldMax))
      return await read()
    }
  }
}
