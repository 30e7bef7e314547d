// Where commands write: results on stdout, everything on the way on stderr.
import { errorCodeOf } from '../lib/error_code.ts'

/** A mistake in the command line; shown without a stack, exit code 2. */
export class UsageError extends Error {}

// `| head` has read enough: that is no failure.
const forgiveClosedPipe = (error: unknown) => {
  if (errorCodeOf(error) !== 'EPIPE') throw error
}

export const write = (text: string): void => {
  if (process.stdout.listenerCount('error', forgiveClosedPipe) === 0)
    process.stdout.on('error', forgiveClosedPipe)
  process.stdout.write(`${text}\n`)
}

export const progress = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

// A text of others: no line of its own making, no command to the terminal.
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')

/** Columns of a line, two spaces between them. */
export const columns = (...parts: unknown[]): string => parts.join('  ')

/** On a terminal a line that is redrawn in place; without one nothing but the finished line. */
export const progressOf =
  (label: string) =>
  (done: number, total: number): void => {
    const isDone = done >= total
    if (!process.stderr.isTTY && !isDone) return
    const percent = total === 0 ? 100 : Math.floor((done / total) * 100)
    process.stderr.write(
      `${process.stderr.isTTY ? '\r' : ''}${label} ${percent} %${isDone ? '\n' : ''}`,
    )
  }
