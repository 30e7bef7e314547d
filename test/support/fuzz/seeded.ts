// Chance that a seed repeats.
export type Random = {
  below(count: number): number
  digits(count: number): string
  of<T>(list: T[]): T
}

/** mulberry32: small, and good enough for tests. */
export function seeded(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(next() * count)
  return {
    below,
    digits: count => Array.from({ length: count }, () => below(10)).join(''),
    of: list => list[below(list.length)] as (typeof list)[number],
  }
}
