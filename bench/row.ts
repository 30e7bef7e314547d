// What a row of the benchmark is, and what it hands back.
import type { Bench } from './bench.ts'

export type Reach = { atLeast: number } | { atMost: number }

export type Figure = {
  name: string
  /** Null: could not be measured; detail says why. */
  value: number | null
  unit: string
  /** Least and greatest over the rounds. */
  spread?: [number, number]
  reach?: Reach
  detail?: string
}

export type Row = {
  name: string
  measures: string
  /** The figures to reach, by name; a row that cannot run misses all of them. */
  reaches: Record<string, Reach>
  run(bench: Bench): Promise<Figure[]>
}

/** What else is worth knowing: data sizes, warm-up, the settings that won. */
export type Note = (sentence: string) => void

export function isReached({ value, reach }: Figure): boolean | undefined {
  if (value === null) return false
  if (reach === undefined) return undefined
  return 'atLeast' in reach ? value >= reach.atLeast : value <= reach.atMost
}

/** Above 1 is better than asked for. Nothing at all is, where little is asked for. */
export function ratioOf({ value, reach }: Figure): number | undefined {
  if (value === null || reach === undefined) return undefined
  if ('atLeast' in reach) return value / reach.atLeast
  return value > 0 ? reach.atMost / value : Number.POSITIVE_INFINITY
}
