// The command line: names of rows, and how long and how large.
import { parseArgs } from 'node:util'
import { UsageError } from '../src/cli/output.ts'

export type Options = {
  names: string[]
  rounds: number
  seconds: number
  /** Leads in the small and in the large database, and in all that growth is measured over. */
  sizes: { small: number; large: number; all: number[] }
  /** Events in the feed that is read and pruned, and in all that growth is measured over. */
  events: { read: number; pruned: number; all: number[] }
  /** Requests and deliveries while memory is watched. */
  watched: { requests: number; deliveries: number }
  quick: boolean
  /** Of what happens by chance. */
  seed: number
}

export const usage = `Usage: bun run bench [NAME…] [--rounds 5] [--seconds 3] [--quick] [--seed N]

  NAME       only these rows (default: all)
  --rounds   measured rounds, alternating between service and peers
  --seconds  length of a round
  --quick    100,000 leads instead of 1,000,000, a tenth of the events and of what memory is watched over, less chaos
  --seed     repeats a course of chaos (default: another each time)
`

function positive(text: string, name: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new UsageError(`--${name} takes a number above 0.`)
  return value
}

function parse(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      quick: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  })
}

export function readOptions(args: string[]): Options {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(args)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
  const { values, positionals } = parsed
  return {
    names: positionals,
    rounds: Math.ceil(positive(values.rounds, 'rounds')),
    seconds: positive(values.seconds, 'seconds'),
    sizes: values.quick
      ? { small: 10_000, large: 100_000, all: [10_000, 100_000] }
      : { small: 10_000, large: 1_000_000, all: [10_000, 100_000, 1_000_000] },
    events: values.quick
      ? { read: 1_000_000, pruned: 100_000, all: [100_000, 1_000_000] }
      : { read: 10_000_000, pruned: 1_000_000, all: [100_000, 1_000_000, 10_000_000] },
    watched: values.quick
      ? { requests: 100_000, deliveries: 10_000 }
      : { requests: 1_000_000, deliveries: 100_000 },
    quick: values.quick,
    seed: positive(values.seed, 'seed'),
  }
}
