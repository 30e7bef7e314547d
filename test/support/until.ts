// Waits for a condition, never for a clock.

/** Resolves with the first truthy value; fails with the last error or value after `milliseconds`. */
export async function until<Value>(
  condition: () => Value | Promise<Value>,
  milliseconds = 5_000,
): Promise<NonNullable<Value>> {
  const end = performance.now() + milliseconds
  let last: unknown
  for (;;) {
    try {
      const value = await condition()
      if (value) return value
      last = value
    } catch (error) {
      last = error
    }
    if (performance.now() > end)
      throw new Error(`not true within ${milliseconds} ms; last: ${String(last)}`)
    await Bun.sleep(5)
  }
}
