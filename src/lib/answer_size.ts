// How large answers are, and may be.

/** In bytes. So much the buffer of a socket takes at once. */
export const smallAnswerMax = 64 * 1024

/** The database made an answer that has more bytes than its caller takes, and did not send it. */
export class AnswerTooLarge extends Error {
  constructor(readonly bytes: number) {
    super(`an answer of ${bytes} bytes`)
  }
}
