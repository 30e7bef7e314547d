// Where commands write: results on stdout, everything said on the way on stderr.
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

const barWidth = 30

/** A progress bar on a terminal, redrawn in place; without a terminal nothing but the finished line. */
export function progressBar(label: string): (done: number, total: number) => void {
  return (done, total) => {
    const share = total === 0 ? 1 : done / total
    const finished = done >= total
    if (!process.stderr.isTTY && !finished) return
    const filled = Math.round(share * barWidth)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`
    process.stderr.write(
      `${process.stderr.isTTY ? '\r' : ''}${label} ${bar} ${Math.floor(share * 100)} %${finished ? '\n' : ''}`,
    )
  }
}
