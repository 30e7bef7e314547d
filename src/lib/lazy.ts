// What few processes ever need is loaded when it is first asked for.

/** The function that `load` brings; loaded with its first call, and tried again where that failed. */
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
