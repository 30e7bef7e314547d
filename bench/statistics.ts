// Medians and spreads. No mean anywhere: one pause would move it.
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const spread = (values: readonly number[]): [number, number] => [
  Math.min(...values),
  Math.max(...values),
]

/** By how much a value grows to the next one: the median over all pairs, which no single one can move. */
export const slope = (values: readonly number[]): number =>
  median(
    values.flatMap((value, place) =>
      values.slice(place + 1).map((later, distance) => (later - value) / (distance + 1)),
    ),
  )
