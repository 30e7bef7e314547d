// Loads rarely used code on first use.

/** The loaded function; a failed load is tried again at the next call. */
export function lazy<Args extends unknown[], Value>(
  load: () => Promise<(...args: Args) => Value | Promise<Value>>,
): (...args: Args) => Promise<Value> {
  let loaded: ReturnType<typeof load> | undefined
  return async (...args) => {
    loaded ??= load().catch(error => {
      loaded = undefined
      throw error
    })
    return (await loaded)(...args)
  }
}
