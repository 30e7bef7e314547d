// What a row hands back, and the arithmetic over its rounds. No mean anywhere: one pause would move it.
import type { Bench } from './bench.ts'

export type Reach = { atLeast: number } | { atMost: number }

export type Figure = {
  name: string
  /** Null: could not be measured; detail has the reason. */
  value: number | null
  unit: string
  /** Least and greatest over the rounds. */
  spread?: [number, number]
  reach?: Reach | undefined
  detail?: string | undefined
}

export type Row = { name: string; measures: string; run(bench: Bench): Promise<Figure[]> }

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

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

/** The median over the rounds. */
export const figure = (
  name: string,
  values: readonly number[],
  unit: string,
  reach?: Reach,
  detail?: string,
): Figure => ({
  name,
  value: values.length === 0 ? null : median(values),
  unit,
  ...(values.length > 1 && { spread: [Math.min(...values), Math.max(...values)] }),
  reach,
  detail,
})

/** Round by round. */
export const ratioFigure = (
  name: string,
  over: readonly number[],
  under: readonly number[],
  atLeast?: number,
): Figure =>
  figure(
    name,
    over.map((value, round) => value / (under[round] ?? Number.NaN)),
    '×',
    atLeast === undefined ? undefined : { atLeast },
  )

export type Subject = { name: string; measure(): Promise<number> }

/** By subject, the figure of each round. They take turns, so that a slow minute of the machine falls on all. */
export async function alternateRounds(
  subjects: readonly Subject[],
  rounds: number,
): Promise<Map<string, number[]>> {
  const figures = new Map(subjects.map(({ name }): [string, number[]] => [name, []]))
  for (let round = 0; round < rounds; round += 1)
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const subject = subjects[(round + turn) % subjects.length]
      if (subject) figures.get(subject.name)?.push(await subject.measure())
    }
  return figures
}
