// Waits for a condition, never for a clock.

// What is asked is mostly a query or a request: the longer it is not true, the less often it is asked, and what is noticed
// late is so by a tenth of the wait.
const pauseMinMs = 5
const pauseMaxMs = 40
// A question that takes its time is work for the machine: it is idle for twice as long as it asks.
const pauseOfAsking = 2
const pauseOfAskingMaxMs = 100

/** Resolves with the first truthy value; fails with the last error or value after `milliseconds`. */
export async function until<Value>(
  condition: () => Value | Promise<Value>,
  milliseconds = 5_000,
): Promise<NonNullable<Value>> {
  const start = performance.now()
  let last: unknown
  for (;;) {
    const askedAt = performance.now()
    try {
      const value = await condition()
      if (value) return value
      last = value
    } catch (error) {
      last = error
    }
    const now = performance.now()
    const elapsed = now - start
    if (elapsed > milliseconds)
      throw new Error(`not true within ${milliseconds} ms; last: ${String(last)}`)
    await Bun.sleep(
      Math.max(
        Math.min(pauseMaxMs, Math.max(pauseMinMs, elapsed / 10)),
        Math.min(pauseOfAskingMaxMs, (now - askedAt) * pauseOfAsking),
      ),
    )
  }
}
