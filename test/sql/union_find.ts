// The reference for merges: which keys belong together, by the simplest way there is.

export type Components = {
  /** False where both were one already. */
  unite(one: string, other: string): boolean
  /** Sorted members, sorted. */
  all(): string[][]
}

export function components(keys: string[]): Components {
  const parents = new Map(keys.map(key => [key, key]))
  const rootOf = (key: string): string => {
    const parent = parents.get(key) ?? key
    return parent === key ? key : rootOf(parent)
  }
  return {
    unite(one, other) {
      const [first, second] = [rootOf(one), rootOf(other)]
      parents.set(first, second)
      return first !== second
    },
    all: () =>
      Object.values(Object.groupBy(keys, rootOf))
        .map(members => (members ?? []).toSorted())
        .toSorted((one, other) => String(one).localeCompare(String(other))),
  }
}
